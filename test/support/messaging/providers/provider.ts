import type { Submitted } from '../gateway.ts'

/** Providers of SMS as they behave on the wire: what they answer to a send, and how they send receipts. */

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How a message is identified: by the provider's id, and by what we sent along. */
export interface Known {
  readonly id: string
  readonly reference: string
  /** Where its receipts go. */
  readonly url: string
}

export interface Provider {
  readonly profile: string
  readonly gateway: Readonly<Record<string, unknown>>
  /** The body of a success. */
  accepts(id: string, reference: string): string
  readonly status?: number
  /** An answer that refuses the message, and its reason. */
  readonly refusal: { readonly status: number; readonly body: string; readonly error: RegExp }
  /** Reads the request as the provider's server does. */
  read(submitted: Submitted): { readonly text: string; readonly url: string | null; readonly reference: string | null }
  receipt(known: Known, word: string): Call
  readonly words: { readonly delivered: string; readonly failed: string; readonly pending: string }
  /** Receipts carry no id of the provider. */
  readonly hasNoId?: true
  /** Receipts return nothing that we sent along, apart from their URL. */
  readonly byUrlOnly?: true
}

export const TOKEN = 'a-secret-of-receipts'
/** The account settings of a gateway. */
export const ACCOUNT = { username: 'AC1', password: 'pa55-w0rd', callback_token: TOKEN }
