/** A request, as received, that may carry receipts. */
export interface ReceiptRequest {
  readonly method: string
  /** The public address that the provider used, not what a proxy forwards. */
  readonly url: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

const FORM = /^application\/x-www-form-urlencoded\b/i

export const isForm = (headers: ReceiptRequest['headers']): boolean => FORM.test(headers['content-type'] ?? '')

/** Returns a URL's query without parsing the rest. */
export const queryOf = (url: string): URLSearchParams => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
