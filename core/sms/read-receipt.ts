import { isShallow, type JsonObject, numeral } from '../json.ts'
import type { GatewayOptions } from './gateway-options.ts'
import type { Receipt } from './message.ts'
import { REFERENCE_PARAMETER } from './profiles/receipt.ts'

const MAX_LENGTH = 255

/** The data that a gateway called back with. */
export interface ReceiptPayload {
  readonly query: JsonObject
  readonly body: JsonObject
  /** The size of both as received, in bytes. */
  readonly size: number
}

/** Why a receipt cannot be read, without any of its contents. */
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
 * Reads a payload leniently; null if it names no message. The body takes precedence over the query, except the
 * gateway's token and our reference, which are dropped. If a payload nests too deep, only its status is read.
 */
export function readReceipt(
  { query, body, size }: ReceiptPayload,
  { tokenIn, sendsReference }: Pick<GatewayOptions, 'tokenIn' | 'sendsReference'>,
): Receipt | null {
  const reference = sendsReference ? firstOf(query, [REFERENCE_PARAMETER]) : null
  const ours = [...tokenName(tokenIn), ...(sendsReference ? [REFERENCE_PARAMETER] : [])]
  const members = { ...without(query, ours), ...body }
  const id = firstOf(members, ['message_id', 'id', 'messageId'])
  const externalId = id !== null && id.length <= MAX_LENGTH ? id : null
  if (externalId === null && reference === null) return null
  const isSilent = STATUS.every(name => !Object.hasOwn(members, name))
  const status = isSilent ? 'delivered' : firstOf(members, STATUS)
  return {
    externalId,
    reference,
    status: status?.slice(0, MAX_LENGTH).toLowerCase() ?? null,
    payload: isShallow(members) ? members : {},
    size,
  }
}

const tokenName = (tokenIn: GatewayOptions['tokenIn']): readonly string[] =>
  tokenIn !== null && tokenIn !== 'unreadable' && tokenIn.in === 'query' ? [tokenIn.name] : []

const without = (query: JsonObject, names: readonly string[]): JsonObject =>
  names.length === 0 ? query : Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))
