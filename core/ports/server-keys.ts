/** Keys that the service creates for itself and stores with its data. */
export interface ServerKeys {
  /** Returns 32 random bytes in base64url, created on first use and the same for every process. */
  find(name: string): Promise<string>
}
