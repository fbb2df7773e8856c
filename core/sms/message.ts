import { type Changes, changesOf } from '../audit.ts'
import type { Timestamp } from '../dates.ts'
import { isJsonObject, type JsonObject, parseJson } from '../json.ts'
import type { Values } from '../resources/resource.ts'
import { smsMessages, type wholeMessages } from '../resources/sms-messages.ts'
import type { StatusClass } from './status-class.ts'

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

/** Begins the error message if the gateway may have the message despite the failure. */
export const OUTCOME_UNKNOWN = 'outcome unknown: '

export const STOPPED = 'the service stopped before the gateway answered'
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
