import { type JsonObject, parseJson } from '../../json.ts'
import type { Gateway } from '../submission.ts'
import { type TextForm, textForm } from '../text.ts'
import { type ProviderReceipt, readReceipts } from './receipt.ts'
import { isForm, type ReceiptRequest } from './receipt-request.ts'
import { type ProviderReply, readReply } from './reply.ts'
import { type ProviderRequest, providerRequest, templateValues } from './request.ts'
import type { Profile } from './schema.ts'

/** Shows what a profile would do, without sending anything. */

const SAMPLE_TEXTS = ['Your table is booked for 19:30.', 'Ваш столик чекає о 19:30.'] as const

export interface SampleRequest {
  readonly text: string
  readonly form: TextForm
  readonly request: ProviderRequest
}

const SAMPLE_REFERENCE = '07033084-5cfd-4812-90a4-e4d24ffb6e3d'
const RECEIPTS = 'https://pbx.example.com/api/sms-gateways/1/dlr'

/** Returns the requests for a text in GSM-7 and one in UCS-2; account values appear as their names in capitals. */
export function sampleRequests(profile: Profile): readonly SampleRequest[] {
  const { defaults, account } = profile
  const scheme = defaults.use_ssl === false ? 'http' : 'https'
  const base = `${scheme}://${defaults.server_host ?? 'sms.example.com'}:${defaults.server_port ?? 443}`
  const gateway: Pick<Gateway, 'username' | 'password' | 'callback_token'> = {
    username: 'USERNAME',
    password: 'PASSWORD',
    callback_token: 'TOKEN',
  }
  const hasSecret = profile.sender.some(({ kind }) => kind === 'url')
  const values = Object.fromEntries(account.map(({ key, fallback }) => [key, fallback ?? key.toUpperCase()]))
  return SAMPLE_TEXTS.map(text => {
    const form = textForm(text)
    const reference = profile.request.reference === 'id' ? '1' : SAMPLE_REFERENCE
    const outgoing = {
      ...{ to_number: '+380501234567', from_sender: 'ACME', message: text },
      callback_url: `${RECEIPTS}?${hasSecret ? 'token=TOKEN&' : ''}ref=${reference}`,
      reference,
    }
    return {
      text,
      form,
      request: providerRequest(profile, base, templateValues(profile, outgoing, gateway, values), form),
    }
  })
}

export const sampleReply = (profile: Profile, status: number, body: string): ProviderReply =>
  readReply(profile, status, body)

/** Reads a receipt as if it had been received: the query of a GET, else a form or JSON. */
export function sampleReceipts(profile: Profile, text: string): readonly ProviderReceipt[] {
  const { methods, encodings } = profile.receipt
  const isJson = /^\s*[[{]/.test(text)
  const isQuery = !isJson && !encodings.includes('form')
  const request: ReceiptRequest = {
    method: isQuery ? 'GET' : (methods.find(each => each === 'POST') ?? 'GET'),
    url: isQuery ? `${RECEIPTS}?${text.trim().replace(/^\?/, '')}` : RECEIPTS,
    headers: { 'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded' },
    body: new TextEncoder().encode(isQuery ? '' : text.trim()),
  }
  return readReceipts(profile, request)
}

/** Returns a request for display, with the members of its form or JSON. */
export const asThing = ({ method, url, headers, body, basic }: ProviderRequest): JsonObject => ({
  method,
  url,
  ...(basic ? { authorization: `Basic ${basic.username}:${basic.password}` } : {}),
  ...(Object.keys(headers).length > 0 ? { headers } : {}),
  ...bodyOf(headers, body),
})

function bodyOf(headers: ProviderRequest['headers'], body: string | null): JsonObject {
  if (body === null) return {}
  if (isForm(headers)) return { form: Object.fromEntries(new URLSearchParams(body)) }
  try {
    return { body: parseJson(body) }
  } catch {
    // The mask of a numeric secret is text.
    return { body }
  }
}
