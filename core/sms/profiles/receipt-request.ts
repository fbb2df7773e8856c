/** A request that may carry receipts, as it came. */
export interface ReceiptRequest {
  readonly method: string
  /** As the provider knows it: the public address, not what a proxy passes on. */
  readonly url: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}
