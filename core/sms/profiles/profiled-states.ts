import { isJsonObject, parseJson, stringifyJson } from '../../json.ts'
import { isOpen, type Message, type Receipt, type Recording } from '../message.ts'
import { failed, lost, merged, readBody } from '../message-states.ts'
import type { GatewayReply } from '../reply.ts'
import { isDefinite } from '../reply.ts'
import { classOf, STATUS_CLASSES, type StatusClass } from '../status-class.ts'
import { firstTextAt } from './path.ts'
import { readReply } from './reply.ts'
import type { Profile } from './schema.ts'

/** How a message progresses by what its provider reports, if the gateway has a profile. */

/** The status class of each id of one message. */
type PartClasses = Readonly<Record<string, StatusClass>>

/** A long message has a few. */
const MOST_PARTS = 255

/** A receipt may have come before the reply: its status stays, unless it now turns out to concern one part only. */
export function settleByProfile(
  message: Message,
  profile: Profile,
  reply: GatewayReply,
  { redact, now }: Recording,
): Message {
  if (reply.kind === 'failed') {
    const exception = String(redact(reply.exception))
    return refused(message, exception, { exception }, reply)
  }
  const { kept } = readBody(reply.body, redact)
  const read = readReply(profile, reply.status, reply.body)
  if (!read.isAccepted) return refused(message, String(redact(read.error)), kept, reply)
  const ids = read.ids.filter(id => redact(id) === id)
  const accepted: Message = {
    ...message,
    submitted_at: message.submitted_at ?? now,
    external_message_id: ids[0] ?? message.external_message_id,
    remote_response: before(kept, message.remote_response),
  }
  if (ids.length < 2) return isOpen(message) ? submitted({ ...accepted, part_classes: null }) : accepted
  const storedParts = knownParts(message)
  const parts = Object.fromEntries(
    ids.slice(0, MOST_PARTS).map(id => [id, classAt(storedParts, id) ?? 'pending'] as const),
  )
  const whole = { ...accepted, part_classes: stringifyJson(parts) }
  const isUndone = overall(parts) === 'pending' && message.status_class !== 'pending'
  return isOpen(message) || isUndone ? submitted(whole) : whole
}

const submitted = (message: Message): Message => ({
  ...message,
  delivery_status: 'submitted',
  status_class: 'pending',
  error_message: null,
  delivered_at: null,
})

/** A provider that has sent a receipt has the message, whatever happened to its reply. */
function refused(message: Message, reason: string, response: unknown, reply: GatewayReply): Message {
  if (!isOpen(message) && (message.status_class !== 'pending' || !isDefinite(reply))) return message
  return isDefinite(reply) ? failed(message, reason, response) : lost(message, reason, response)
}

/** Merges a reply with what earlier receipts stored. */
function before(reply: unknown, stored: string | null): string {
  const later = stored === null ? {} : parseJson(stored)
  return stringifyJson({ ...(isJsonObject(reply) ? reply : {}), ...(isJsonObject(later) ? later : {}) })
}

/**
 * True if the message's status is final, so that no interim status may change it. If the outcome of the send is
 * unknown, the provider's report still counts.
 */
const isFinal = ({ status_class, submitted_at }: Message): boolean =>
  status_class === 'delivered' || status_class === 'failed' || (status_class === 'unknown' && submitted_at !== null)

/** Merges every receipt; changes the status unless the receipt says less than is known already. */
export function receiveByProfile(
  message: Message,
  { receipt: read, title }: Profile,
  receipt: Receipt,
  { redact, now }: Recording,
): Message {
  const word = receipt.status ?? ''
  const said = classOf(word, read.table) ?? 'pending'
  const parts = partsWith(message, receipt, said)
  const meaning = parts ? overall(parts) : said
  const noted: Message = {
    ...message,
    part_classes: parts && stringifyJson(parts),
    external_message_id:
      message.submitted_at === null && receipt.externalId !== null && redact(receipt.externalId) === receipt.externalId
        ? receipt.externalId
        : message.external_message_id,
    submitted_at: message.submitted_at ?? now,
    remote_response: merged(message.remote_response, receipt, redact),
  }
  const failure = (): string =>
    [`${title} says ${word}`, firstTextAt(receipt.payload, read.error ?? [])].filter(each => each !== null).join(': ')
  const saysLess = isFinal(message) && (meaning === 'pending' || meaning === 'unknown')
  if (receipt.status === null || meaning !== said || saysLess) return noted
  return {
    ...noted,
    delivery_status: String(redact(word)),
    status_class: meaning,
    delivered_at: meaning === 'pending' ? message.delivered_at : now,
    error_message: meaning === 'failed' ? String(redact(failure())) : null,
  }
}

const isClass = (value: unknown): value is StatusClass => STATUS_CLASSES.some(each => each === value)

function partsOf({ part_classes }: Message): PartClasses {
  const stored = part_classes === null ? {} : parseJson(part_classes)
  return Object.fromEntries(
    Object.entries(isJsonObject(stored) ? stored : {}).flatMap(([id, value]) =>
      isClass(value) ? [[id, value] as const] : [],
    ),
  )
}

/** Returns the parts that receipts named before the reply. */
function knownParts(message: Message): PartClasses {
  const { part_classes, external_message_id: first, reference, status_class } = message
  return part_classes === null && first !== reference && status_class !== null
    ? { [first]: status_class }
    : partsOf(message)
}

const classAt = (parts: PartClasses, id: string): StatusClass | undefined =>
  Object.hasOwn(parts, id) ? parts[id] : undefined

/** Returns the parts updated by a receipt for one of them; null while the message has a single id, or only ours. */
function partsWith(message: Message, { externalId: id }: Receipt, said: StatusClass): PartClasses | null {
  const { part_classes, external_message_id: first, reference, status_class } = message
  const storedParts = partsOf(message)
  if (id === null || id === reference) return part_classes === null ? null : storedParts
  if (part_classes === null && (id === first || first === reference)) return null
  const parts = part_classes === null ? { [first]: status_class ?? 'pending' } : storedParts
  const former = classAt(parts, id) ?? 'pending'
  if (classAt(parts, id) === undefined && Object.keys(parts).length >= MOST_PARTS) return parts
  return { ...parts, [id]: said === 'pending' ? former : said }
}

/** Returns the class of the whole message: it did not arrive if a part is missing. */
function overall(parts: PartClasses): StatusClass {
  const all = Object.values(parts)
  for (const each of ['failed', 'pending', 'unknown'] as const) if (all.includes(each)) return each
  return 'delivered'
}
