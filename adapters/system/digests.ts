import { createHash, createHmac, createPublicKey, hash, timingSafeEqual, verify } from 'node:crypto'
import type { Digests } from '../../core/ports/digests.ts'

/** The DER prefix of a 32-byte Ed25519 key (RFC 8410). */
const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex')

export const nodeDigests = (): Digests => ({
  hmac: (algorithm, key, data) => {
    const hmac = createHmac(algorithm, key)
    for (const piece of data) hmac.update(piece)
    return hmac.digest()
  },
  hash: (algorithm, data) => createHash(algorithm).update(data).digest(),
  verifyEd25519: (publicKey, data, signature) => {
    if (publicKey.length !== 32 || signature.length !== 64) return false
    const key = createPublicKey({ key: Buffer.concat([ED25519_DER, publicKey]), format: 'der', type: 'spki' })
    return verify(null, Buffer.concat(data.map(piece => Buffer.from(piece))), key, signature)
  },
  equal: (one, other) => one.length === other.length && timingSafeEqual(one, other),
})

/** Returns 128 bits of a digest, as 22 characters that an ETag may hold. */
export const shortHash = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

/** A hash of a text, in hexadecimal. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
