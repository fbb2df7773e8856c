import { isJsonObject, isShallow, parseJson, stringifyJson } from '../json.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { isOpen, type Message, OUTCOME_UNKNOWN, type Receipt, type Recording, type Redact, STOPPED } from './message.ts'
import { externalIdOf, failureDetail, type GatewayReply } from './reply.ts'
import { classOf } from './status-class.ts'

/** The length in characters up to which receipts extend `remote_response`; later ones still change the status. */
const MAX_MERGED = 65_536

/**
 * queued → submitted or failed, by the gateway's reply. Any other message stays unchanged. Gateways with a profile have
 * `profiles/profiled-states.ts` instead.
 */
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
