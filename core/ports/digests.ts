export type DigestAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** What is signed, piece by piece; texts are signed as UTF-8. */
export type Pieces = readonly (Uint8Array | string)[]

/** The cryptography that proves who sent a receipt. It is synchronous and takes microseconds. */
export interface Digests {
  hmac(algorithm: DigestAlgorithm, key: Uint8Array, data: Pieces): Uint8Array
  hash(algorithm: DigestAlgorithm, data: Uint8Array): Uint8Array
  /** `publicKey` is the 32 bytes of the key. Returns false for a malformed key or signature. */
  verifyEd25519(publicKey: Uint8Array, data: Pieces, signature: Uint8Array): boolean
  /** Compares in constant time. */
  equal(one: Uint8Array, other: Uint8Array): boolean
}
