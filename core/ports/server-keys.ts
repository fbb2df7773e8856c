/** Keys that the service makes for itself and keeps with its data. */
export interface ServerKeys {
  /** 32 random bytes in base64url; made when they are asked for the first time, and the same for every process. */
  find(name: string): Promise<string>
}
