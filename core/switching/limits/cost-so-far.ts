import type { Catalog } from '../../calls/record-call.ts'
import type { Timestamp } from '../../dates.ts'
import type { LiveCall } from '../../ports/switching.ts'
import { rateCall } from '../../rating/rate-call.ts'

/** Returns the whole seconds since a call was answered; null while it rings. */
export const secondsOf = ({ answeredAt }: Pick<LiveCall, 'answeredAt'>, now: Timestamp): number | null =>
  answeredAt === null ? null : Math.max(0, Math.floor((Date.parse(now) - Date.parse(answeredAt)) / 1000))

/**
 * Returns what a call would cost if it ended now, in units of 0.0001, by the rates in force when it began; null if it
 * has no rate.
 */
export function costSoFar(
  { direction, to, startedAt }: Pick<LiveCall, 'direction' | 'to' | 'startedAt'>,
  seconds: number | null,
  { dialling, deckAt }: Pick<Catalog, 'dialling' | 'deckAt'>,
): number | null {
  if (direction !== 'outbound') return 0
  const { cost, unrated } = rateCall(deckAt(startedAt), {
    direction,
    answered: seconds !== null,
    // A started second counts as a whole one.
    answeredSeconds: seconds === null ? 0 : seconds + 1,
    destination: dialling.read(to),
  })
  return unrated ? null : cost
}
