/** A request that may carry receipts, as it came. */
export interface ReceiptRequest {
  readonly method: string
  /** As the provider knows it: the public address, not what a proxy passes on. */
  readonly url: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

const FORM = /^application\/x-www-form-urlencoded\b/i

export const isForm = (headers: ReceiptRequest['headers']): boolean => FORM.test(headers['content-type'] ?? '')

/** The query of a URL, which need not be taken apart for it. */
export const queryOf = (url: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
