import { ANSWERED } from '../../../core/calls/completed-call.ts'
import { ACTIVE } from '../../../core/rating/deck.ts'
import { UNRATED_OUTCOMES } from '../../../core/rating/outcome.ts'

/** True for the ratings `r` that are `unrated`, as SQL; their index is for this condition and no other. */
export const UNRATED = `r.outcome IN (${UNRATED_OUTCOMES.map(outcome => `'${outcome}'`).join(', ')})`

/** True for the rates that `isActive`, as SQL. */
export const IS_ACTIVE = `status = '${ACTIVE}'`

/** True for the calls `c` that `isAnswered`, as SQL. */
export const IS_ANSWERED = `upper(c.disposition) = '${ANSWERED}'`
