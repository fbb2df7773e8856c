import type { JsonObject } from '../json.ts'
import type { Receipt } from './message.ts'

/**
 * Receipts that arrive before the reply to their own send are parked. Anyone can send receipts, so each sender has
 * limited room, and when a gateway's room is full, the sender with the most loses its oldest.
 */
export const PARKED = {
  /** The most parked receipts of one gateway. */
  perGateway: 10_000,
  /** The most from one sender. */
  perSender: 1_000,
  /** How many to drop at once when there is no room: dropping single ones would scan all each time. */
  dropped: 250,
}

/** Longer payloads, in characters, are dropped, while the status still counts. Real ones have a few hundred. */
const LONGEST_PAYLOAD = 16_384

/** Returns the payload to keep of a parked receipt. */
export const parkedPayload = ({ payload, size }: Receipt): JsonObject => (size > LONGEST_PAYLOAD ? {} : payload)
