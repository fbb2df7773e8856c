import { isJsonObject, numeral } from '../json.ts'

/** The outcome of handing a message to a gateway. A failure is a value, since the API answers it with a 200. */
export type GatewayReply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | {
      readonly kind: 'failed'
      readonly exception: string
      /** True once anything was sent: the gateway may have the message despite the failure. */
      readonly isWritten: boolean
    }

const MAX_ID = 255
const MAX_DETAIL = 300

/** Jasmin's answer; over REST its closing quote is missing. */
const SUCCESS = /Success "([^"\s]+)/

const usable = (text: string | null | undefined): string | null => {
  const id = text?.trim()
  return id && id.length <= MAX_ID ? id : null
}

/** Returns the gateway's own id in a successful reply (a JSON value or text); null if it gives none. */
export function externalIdOf(body: unknown): string | null {
  if (!isJsonObject(body)) return typeof body === 'string' ? usable(SUCCESS.exec(body)?.[1]) : null
  return (
    usable(numeral(body.message_id)) ??
    usable(numeral(body.id)) ??
    (typeof body.data === 'string' ? usable(SUCCESS.exec(body.data)?.[1]) : null)
  )
}

/** Returns the gateway's error as ": text", or nothing. */
export function failureDetail(body: unknown): string {
  const said = isJsonObject(body) ? [body.message, body.error, body.title, body.description, body.data] : [body]
  const text = said.find(value => typeof value === 'string' && value.trim() !== '')
  if (typeof text !== 'string') return ''
  const line = text.replace(/\s+/g, ' ').trim()
  return `: ${line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line}`
}

/** With these, a proxy or a crash may hide what was really done. */
const INDEFINITE = new Set([408, 500, 502, 504])

/** True if a message that was not accepted certainly did not go out. */
export const isDefinite = (reply: GatewayReply): boolean =>
  reply.kind === 'failed' ? !reply.isWritten : !INDEFINITE.has(reply.status)
