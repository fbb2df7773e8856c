import type { JsonObject } from '../json.ts'
import type { Receipt } from './message.ts'

/**
 * Receipts that come before the reply to their own send is stored are parked. Anyone can send receipts, so each sender
 * has room for so many, and where a gateway has no room left, the sender with the most loses its oldest.
 */
export const PARKED = {
  /** The most that wait for the sends of one gateway. */
  perGateway: 10_000,
  /** The most of one sender among them. */
  perSender: 1_000,
  /** How many go at once where there is no room: one by one, each would cost a look at all that wait. */
  dropped: 250,
}

/** Longer payloads, in characters, are left out, and the status still counts. Real ones are a few hundred. */
const LONGEST_PAYLOAD = 16_384

/** The payload that is kept of a receipt that is parked. */
export const parkedPayload = ({ payload, size }: Receipt): JsonObject => (size > LONGEST_PAYLOAD ? {} : payload)
