import { type Changes, changesOf } from '../audit.ts'
import type { Timestamp } from '../dates.ts'
import { isJsonObject, isShallow, type JsonObject, parseJson, stringifyJson } from '../json.ts'
import type { Values } from '../resources/resource.ts'
import { smsMessages, type wholeMessages } from '../resources/sms-messages.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { externalIdOf, failureDetail, type GatewayReply } from './reply.ts'
import { classOf, type StatusClass } from './status-class.ts'

/** A stored SMS message; `remote_response`, `part_classes` and `tries` are JSON text. */
export type Message = Omit<Values<typeof wholeMessages.fields>, 'status_class'> & {
  readonly id: number
  readonly status_class: StatusClass | null
}

/** A delivery receipt that names its message, by the gateway's id or by our reference. */
export interface Receipt {
  /** null: the gateway gave none. */
  readonly externalId: string | null
  /** Our own reference of the message. */
  readonly reference: string | null
  /** The gateway's word in lower case; null if it was not text. */
  readonly status: string | null
  readonly payload: JsonObject
  /** The length of the payload in characters. */
  readonly size: number
}

export type Redact = (value: unknown) => unknown

/** How an event of a message is recorded: without secrets, and when. */
export interface Recording {
  readonly redact: Redact
  readonly now: Timestamp
}

/** The length in characters up to which receipts extend `remote_response`; later ones still change the status. */
const MAX_MERGED = 65_536

/** Begins the error message if the gateway may have the message despite the failure. */
export const OUTCOME_UNKNOWN = 'outcome unknown: '

const STOPPED = 'the service stopped before the gateway answered'
const GIVEN_UP = `${OUTCOME_UNKNOWN}${STOPPED}`

const { sms_gateway_id, tenant_id, to_number, from_sender } = smsMessages.fields
const AUDITED = { sms_gateway_id, tenant_id, to_number, from_sender }

/** What the audit trail keeps of a sent message: neither its text nor the callback token. */
export const sendingOf = (message: Omit<Message, 'id'>): Changes => changesOf({ fields: AUDITED }, null, message)

/** True if the message still waits for its gateway: it is queued, or its sender was given up on. */
export const isOpen = (message: Message): boolean =>
  message.delivery_status === 'queued' || message.error_message === GIVEN_UP

/** Returns every id that the provider gave to the message or its parts. */
export function externalIdsOf({ external_message_id, part_classes }: Message): readonly string[] {
  const parts = part_classes === null ? {} : parseJson(part_classes)
  return [...new Set([external_message_id, ...Object.keys(isJsonObject(parts) ? parts : {})])]
}

/** Returns the messages among those that share an external id that have no final status, or all if every one has. */
export function meant(messages: readonly Message[]): readonly Message[] {
  const open = messages.filter(({ status_class }) => status_class === null || status_class === 'pending')
  return open.length > 0 ? open : messages
}

/** queued → submitted or failed, by the gateway's reply. Any other message stays unchanged. */
export function settle(message: Message, reply: GatewayReply, { redact, now }: Recording): Message {
  if (!isOpen(message)) return message
  if (reply.kind === 'failed') {
    const exception = String(redact(reply.exception))
    return reply.isWritten ? lost(message, exception, { exception }) : failed(message, exception, { exception })
  }
  const { value, body, kept } = readBody(reply.body, redact)
  if (reply.status < 200 || reply.status > 299)
    return failed(message, `HTTP ${reply.status}${failureDetail(redact(body))}`, kept)
  const id = externalIdOf(value)
  return {
    ...message,
    delivery_status: 'submitted',
    status_class: 'pending',
    submitted_at: now,
    error_message: null,
    external_message_id: id !== null && redact(id) === id ? id : message.external_message_id,
    remote_response: stringifyJson(kept),
  }
}

export const failed = (message: Message, reason: string, remoteResponse: unknown): Message => ({
  ...message,
  delivery_status: 'failed',
  status_class: 'failed',
  error_message: reason,
  remote_response: stringifyJson(remoteResponse),
})

/** Returns the message as failed, though the gateway may still have it. */
export const lost = (message: Message, reason: string, remoteResponse: unknown): Message => ({
  ...failed(message, `${OUTCOME_UNKNOWN}${reason}`, remoteResponse),
  status_class: 'unknown',
})

/** Returns a reply's JSON value (or its text if it is not JSON), the form to show and the form to store. */
export function readBody(text: string, redact: Redact): { value: unknown; body: unknown; kept: unknown } {
  const value = jsonOrText(text)
  const body = isShallow(value) ? value : text
  return { value, body, kept: redact(isJsonObject(body) ? body : { body }) }
}

function jsonOrText(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/**
 * queued → failed, for a message whose sender died before the reply. It is never sent again automatically. A message
 * that a receipt reported as queued stays as it is.
 */
export function giveUp(message: Message): Message {
  const { delivery_status, delivered_at, submitted_at } = message
  const isUnanswered = delivery_status === 'queued' && delivered_at === null && submitted_at === null
  return isUnanswered ? lost(message, STOPPED, {}) : message
}

/** any → the receipt's status. An interim status, or none, is merged but changes neither status nor delivery time. */
export function receive(
  message: Message,
  receipt: Receipt,
  options: Pick<GatewayOptions, 'interimStatuses'>,
  { redact, now }: Recording,
): Message {
  const remote_response = merged(message.remote_response, receipt, redact)
  if (receipt.status === null || options.interimStatuses.has(receipt.status)) return { ...message, remote_response }
  const delivery_status = String(redact(receipt.status))
  return { ...message, delivery_status, status_class: classOf(delivery_status), delivered_at: now, remote_response }
}

/** Merges shallowly and by own keys only, so that a key such as `__proto__` is plain data. */
export function merged(
  stored: string | null,
  { payload, size }: Pick<Receipt, 'payload' | 'size'>,
  redact: Redact,
): string | null {
  if ((stored?.length ?? 0) + size > MAX_MERGED) return stored
  const before = stored === null ? {} : parseJson(stored)
  const added = redact(payload)
  const after = stringifyJson({ ...(isJsonObject(before) ? before : {}), ...(isJsonObject(added) ? added : {}) })
  return after.length > MAX_MERGED ? stored : after
}
