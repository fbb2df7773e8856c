import { formatAmount } from '../../amounts.ts'
import type { Timestamp } from '../../dates.ts'
import { notFound } from '../../errors.ts'
import type { Calls, KeptRating } from '../../ports/calls.ts'
import type { Records } from '../../ports/records.ts'
import { numberRead } from '../../rating/number-read.ts'
import { isUnrated, type Outcome } from '../../rating/outcome.ts'
import { type UnratedNow, unratedNow } from '../../rating/unrated-now.ts'
import { cdrs } from '../../resources/cdrs.ts'

/** A rating of a call with amounts as text. */
export type RatingShown = Omit<KeptRating, 'cost' | 'cost_per_minute'> & {
  readonly cost: string
  readonly cost_per_minute: string | null
}

export interface CallRatingPorts {
  readonly records: Pick<Records, 'find'>
  readonly calls: Pick<Calls, 'ratings'>
}

/** Returns how a call was rated, the current rating last; none if no switch delivered the call. Throws `not_found`. */
export async function callRatings({ records, calls }: CallRatingPorts, id: number): Promise<readonly RatingShown[]> {
  if (!(await records.find(cdrs, id))) throw notFound(cdrs.label)
  return (await calls.ratings(id)).map(({ cost, cost_per_minute, ...others }) => ({
    ...others,
    cost: formatAmount(cost),
    cost_per_minute: cost_per_minute === null ? null : formatAmount(cost_per_minute),
  }))
}

/** A call without a price, and what the rates of its time say now. */
export interface UnratedCall {
  readonly tenantId: number
  readonly number: string
  readonly startedAt: Timestamp
  readonly seconds: number
  readonly now: UnratedNow
  /** How the number is read, as a sentence without its full stop. */
  readonly read: string
}

/** Returns the outcome of a call's current rating, null if it has none, and why the call is unrated if it is. */
export async function currentOutcome(
  { records, calls }: CallRatingPorts & { readonly calls: Pick<Calls, 'catalog'> },
  id: number,
): Promise<{ readonly outcome: Outcome | null; readonly unrated: UnratedCall | null }> {
  const outcome = (await calls.ratings(id)).at(-1)?.outcome ?? null
  const call = await records.find(cdrs, id)
  if (!call || outcome === null || !isUnrated(outcome)) return { outcome, unrated: null }
  const tenantId = Number(call['tenant_id'])
  const [number, startedAt] = [String(call['destination_number']), String(call['started_at'])]
  const seconds = Number(call['duration_seconds'])
  const catalog = await calls.catalog(tenantId, startedAt)
  const now = unratedNow({ number, startedAt, seconds }, catalog)
  return {
    outcome,
    unrated: { tenantId, number, startedAt, seconds, now, read: numberRead(number, now.read, catalog.dialling) },
  }
}
