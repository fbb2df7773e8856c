import { ANSWERED } from '../../../core/calls/completed-call.ts'
import { ACTIVE } from '../../../core/rating/deck.ts'
import { UNRATED_OUTCOMES } from '../../../core/rating/outcome.ts'

/** SQL that is true for `unrated` ratings `r`; their index has exactly this condition. */
export const UNRATED = `r.outcome IN (${UNRATED_OUTCOMES.map(outcome => `'${outcome}'`).join(', ')})`

/** SQL for `isActive`, over rates. */
export const IS_ACTIVE = `status = '${ACTIVE}'`

/** SQL for `isAnswered`, over calls `c`. */
export const IS_ANSWERED = `upper(c.disposition) = '${ANSWERED}'`
