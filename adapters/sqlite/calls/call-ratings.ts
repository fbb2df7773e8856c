import { ANSWERED } from '../../../core/calls/completed-call.ts'
import { ACTIVE } from '../../../core/rating/deck.ts'
import { UNRATED_OUTCOMES } from '../../../core/rating/outcome.ts'
import type { RatedCall } from '../../../core/rating/rate-call.ts'

/** True for the ratings `r` that are `unrated`, as SQL; their index is for this condition and no other. */
export const UNRATED = `r.outcome IN (${UNRATED_OUTCOMES.map(outcome => `'${outcome}'`).join()})`

/** True for the rates that `isActive`, as SQL. */
export const IS_ACTIVE = `status = '${ACTIVE}'`

/** True for the calls `c` that `isAnswered`, as SQL. */
export const IS_ANSWERED = `upper(c.disposition) = '${ANSWERED}'`

/** Adds what of a rating is kept with a call, in the order of the columns. */
export const pushRating = (row: unknown[], { outcome, rate }: RatedCall): number =>
  rate
    ? row.push(outcome, rate.id, rate.prefix, rate.pricePerMinute, rate.increment)
    : row.push(outcome, null, null, null, null)
