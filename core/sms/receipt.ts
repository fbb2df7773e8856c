import { isShallow, type JsonObject, numeral } from '../json.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { Receipt } from './message.ts'

const MAX_LENGTH = 255

/** What a gateway called back with. */
export interface ReceiptPayload {
  readonly query: JsonObject
  readonly body: JsonObject
  /** Of both as they came, in bytes. */
  readonly size: number
}

/** Why a receipt cannot be read: never anything of what is in it. */
export type Unreadable = 'too_large' | 'unsupported_media' | 'malformed' | 'too_many_fields' | 'no_message_id'

const STATUS = ['status', 'message_status'] as const

const firstOf = (payload: JsonObject, names: readonly string[]): string | null => {
  for (const name of names) {
    const value = Object.hasOwn(payload, name) ? numeral(payload[name])?.trim() : undefined
    if (value) return value
  }
  return null
}

/**
 * Reads a payload leniently; null if it names no message. The body goes before the query, of which the gateway's token
 * is left out. A payload that nests too deep tells its status alone.
 */
export function readReceipt({ query, body, size }: ReceiptPayload, tokenIn: GatewayOptions['tokenIn']): Receipt | null {
  const members = { ...withoutToken(query, tokenIn), ...body }
  const externalId = firstOf(members, ['message_id', 'id', 'messageId'])
  if (externalId === null || externalId.length > MAX_LENGTH) return null
  const isSilent = STATUS.every(name => !Object.hasOwn(members, name))
  const status = isSilent ? 'delivered' : firstOf(members, STATUS)
  return {
    externalId,
    status: status?.slice(0, MAX_LENGTH).toLowerCase() ?? null,
    payload: isShallow(members) ? members : {},
    size,
  }
}

function withoutToken(query: JsonObject, tokenIn: GatewayOptions['tokenIn']): JsonObject {
  if (tokenIn === null || tokenIn === 'unreadable' || tokenIn.in !== 'query') return query
  return Object.fromEntries(Object.entries(query).filter(([name]) => name !== tokenIn.name))
}
