import { isShallow, type JsonObject, numeral } from '../json.ts'
import type { Receipt } from './message.ts'

const MAX_LENGTH = 255

/** What a gateway called back with. */
export interface ReceiptPayload {
  readonly members: JsonObject
  /** In characters, as it came. */
  readonly size: number
}

const firstOf = (payload: JsonObject, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = Object.hasOwn(payload, name) ? numeral(payload[name])?.trim() : undefined
    if (value) return value
  }
  return null
}

/** Reads a payload leniently; null when it names no message. One that nests too deep tells its status alone. */
export function readReceipt({ members, size }: ReceiptPayload): Receipt | null {
  const externalId = firstOf(members, ['message_id', 'id', 'messageId'])
  if (externalId === null || externalId.length > MAX_LENGTH) return null
  const status = firstOf(members, ['status', 'message_status']) ?? 'delivered'
  return {
    externalId,
    status: status.slice(0, MAX_LENGTH).toLowerCase(),
    payload: isShallow(members) ? members : {},
    size,
  }
}
