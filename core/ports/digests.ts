export type DigestAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** The cryptography that proves who sent a receipt. All of it is synchronous and takes microseconds. */
export interface Digests {
  hmac(algorithm: DigestAlgorithm, key: Uint8Array, data: Uint8Array): Uint8Array
  hash(algorithm: DigestAlgorithm, data: Uint8Array): Uint8Array
  /** `publicKey` is the 32 bytes of the key. False for a key or signature that is none. */
  verifyEd25519(publicKey: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean
  /** Compares in constant time. */
  equal(one: Uint8Array, other: Uint8Array): boolean
}
