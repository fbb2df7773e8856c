import { ANSWERED } from '../../../core/calls/completed-call.ts'
import { ACTIVE } from '../../../core/rating/deck.ts'
import { UNRATED_OUTCOMES } from '../../../core/rating/outcome.ts'
import type { RatedCall } from '../../../core/rating/rate-call.ts'

/** The SQL condition for ratings `r` that are `unrated`; their index needs exactly this condition. */
export const UNRATED = `r.outcome IN (${UNRATED_OUTCOMES.map(outcome => `'${outcome}'`).join()})`

/** The SQL condition for rates that are `isActive`. */
export const IS_ACTIVE = `status = '${ACTIVE}'`

/** The SQL condition for calls `c` that are `isAnswered`. */
export const IS_ANSWERED = `upper(c.disposition) = '${ANSWERED}'`

/** Pushes the part of a rating that is kept with a call, in the order of the columns. */
export const pushRating = (row: unknown[], { outcome, rate }: RatedCall): number =>
  rate
    ? row.push(outcome, rate.id, rate.prefix, rate.pricePerMinute, rate.increment)
    : row.push(outcome, null, null, null, null)
