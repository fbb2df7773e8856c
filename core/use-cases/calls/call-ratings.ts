import { formatAmount } from '../../amounts.ts'
import { notFound } from '../../errors.ts'
import type { Calls, KeptRating } from '../../ports/calls.ts'
import type { Records } from '../../ports/records.ts'
import { cdrs } from '../../resources/cdrs.ts'

/** A rating of a call with amounts as text. */
export type RatingShown = Omit<KeptRating, 'cost' | 'cost_per_minute'> & {
  readonly cost: string
  readonly cost_per_minute: string | null
}

/** Returns how a call was rated, the current rating last; none if no switch delivered the call. Throws `not_found`. */
export async function callRatings(
  { records, calls }: { readonly records: Pick<Records, 'find'>; readonly calls: Pick<Calls, 'ratings'> },
  id: number,
): Promise<readonly RatingShown[]> {
  if (!(await records.find(cdrs, id))) throw notFound(cdrs.label)
  return (await calls.ratings(id)).map(({ cost, cost_per_minute, ...others }) => ({
    ...others,
    cost: formatAmount(cost),
    cost_per_minute: cost_per_minute === null ? null : formatAmount(cost_per_minute),
  }))
}
