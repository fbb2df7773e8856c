import type { Timestamp } from '../dates.ts'
import { isJsonObject, isShallow, type JsonObject, parseJson, stringifyJson } from '../json.ts'
import type { GatewayReply } from '../ports/messages.ts'
import type { Values } from '../resources/resource.ts'
import type { smsMessages } from '../resources/sms-messages.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { externalIdOf, failureDetail } from './reply.ts'

/** An SMS message as it is stored; `remote_response` is JSON text. */
export type Message = Values<typeof smsMessages.fields> & { readonly id: number }

/** A delivery receipt that names its message. */
export interface Receipt {
  readonly externalId: string
  /** Lowercased, as the gateway wrote it; null where it gave one that is no text. */
  readonly status: string | null
  readonly payload: JsonObject
  /** Of the payload, in characters. */
  readonly size: number
}

/** What is posted to a gateway. `body` is JSON text. */
export interface Submission {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly body: string
}

export type Redact = (value: unknown) => unknown

/** The most that `remote_response` may grow to by receipts, in characters; those past it still change the status. */
const MAX_MERGED = 65_536

/** Begins the sentence of a failure after which the gateway may have the message all the same. */
const OUTCOME_UNKNOWN = 'outcome unknown: '

const GIVEN_UP = `${OUTCOME_UNKNOWN}the service stopped before the gateway answered`

/** A message waits for its gateway while it is queued, or was given up on while the gateway still had it. */
const isOpen = (message: Message): boolean => message.delivery_status === 'queued' || message.error_message === GIVEN_UP

/** queued → submitted or failed, by the gateway's reply. Any other message stays as it is. */
export function settle(message: Message, reply: GatewayReply, redact: Redact, now: Timestamp): Message {
  if (!isOpen(message)) return message
  if (reply.kind === 'failed') {
    const exception = String(redact(reply.exception))
    return failed(message, reply.isWritten ? `${OUTCOME_UNKNOWN}${exception}` : exception, { exception })
  }
  const value = readBody(reply.body)
  const body = isShallow(value) ? value : reply.body
  const kept = redact(isJsonObject(body) ? body : { body })
  if (reply.status < 200 || reply.status > 299)
    return failed(message, `HTTP ${reply.status}${failureDetail(redact(body))}`, kept)
  const id = externalIdOf(value)
  return {
    ...message,
    delivery_status: 'submitted',
    submitted_at: now,
    error_message: null,
    external_message_id: id !== null && redact(id) === id ? id : message.external_message_id,
    remote_response: stringifyJson(kept),
  }
}

function failed(message: Message, reason: string, remoteResponse: unknown): Message {
  return {
    ...message,
    delivery_status: 'failed',
    error_message: reason,
    remote_response: stringifyJson(remoteResponse),
  }
}

/** A reply's JSON value, or its text when it is no JSON. */
function readBody(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/**
 * queued → failed, for a message whose sender did not live to see the reply. It is never sent again by itself. One that
 * is queued by the word of a receipt was submitted.
 */
export function giveUp(message: Message): Message {
  const isUnanswered = message.delivery_status === 'queued' && message.delivered_at === null
  return isUnanswered ? failed(message, GIVEN_UP, {}) : message
}

/** any → the receipt's status; an interim one, or none, is merged but changes neither status nor delivery time. */
export function receive(
  message: Message,
  receipt: Receipt,
  options: Pick<GatewayOptions, 'interimStatuses'>,
  redact: Redact,
  now: Timestamp,
): Message {
  const remote_response = merged(message.remote_response, receipt, redact)
  if (receipt.status === null || options.interimStatuses.has(receipt.status)) return { ...message, remote_response }
  return { ...message, delivery_status: String(redact(receipt.status)), delivered_at: now, remote_response }
}

/** Shallow and by own keys only, so that a key such as `__proto__` is plain data. */
function merged(stored: string | null, { payload, size }: Receipt, redact: Redact): string | null {
  if ((stored?.length ?? 0) + size > MAX_MERGED) return stored
  const before = stored === null ? {} : parseJson(stored)
  const added = redact(payload)
  const after = stringifyJson({ ...(isJsonObject(before) ? before : {}), ...(isJsonObject(added) ? added : {}) })
  return after.length > MAX_MERGED ? stored : after
}
