export type DigestAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** What is signed, piece by piece; texts stand for their bytes in UTF-8. */
export type Pieces = readonly (Uint8Array | string)[]

/** The cryptography that proves who sent a receipt. All of it is synchronous and takes microseconds. */
export interface Digests {
  hmac(algorithm: DigestAlgorithm, key: Uint8Array, data: Pieces): Uint8Array
  hash(algorithm: DigestAlgorithm, data: Uint8Array): Uint8Array
  /** `publicKey` is the 32 bytes of the key. False for a key or signature that is none. */
  verifyEd25519(publicKey: Uint8Array, data: Pieces, signature: Uint8Array): boolean
  /** Compares in constant time. */
  equal(one: Uint8Array, other: Uint8Array): boolean
}
