import type { Catalog } from '../../calls/record-call.ts'
import type { Timestamp } from '../../dates.ts'
import type { Calls } from '../../ports/calls.ts'
import type { CallsInProgress, LimitUsage, LiveCall, UsedBy } from '../../ports/switching.ts'
import type { Clock } from '../../ports/system.ts'
import type { SwitchTenant } from '../directory.ts'
import { costSoFar, secondsOf } from '../limits/cost-so-far.ts'
import {
  isPriced,
  isReached,
  type LimitSettings,
  type Limits,
  limitsInUse,
  PRICED,
  type Used,
} from '../limits/limits.ts'

/** What a call's facts come from, besides the directory of its tenant. */
export interface FactSources {
  readonly calls: Pick<Calls, 'catalog'>
  readonly limitUsage: Pick<LimitUsage, 'of'>
  readonly clock: Clock
}

/** Who may have limits on cost: a tenant, and its extensions by number. */
export interface Spender {
  readonly tenant: SwitchTenant
  readonly limits: LimitSettings
  readonly extensions: ReadonlyMap<string, { readonly id: number }>
}

/** Returns the tenant's calls in progress that may have cost something by now. */
export const spendingOf = ({ slug }: SwitchTenant, live: CallsInProgress): readonly LiveCall[] =>
  live.ofTenant(slug).filter(({ direction, answeredAt }) => direction === 'outbound' && answeredAt !== null)

/** Returns when the first of the calls began. */
export const firstOf = (calls: readonly LiveCall[], now: Timestamp): Timestamp =>
  calls.reduce((earliest, { startedAt }) => (startedAt < earliest ? startedAt : earliest), now)

/** Adds to what ended calls have used what those in progress have cost so far. A call without a rate has cost nothing. */
export function withCosts(
  used: UsedBy,
  spending: readonly LiveCall[],
  { extensions }: Pick<Spender, 'extensions'>,
  { catalog, now }: { readonly catalog: Catalog; readonly now: Timestamp },
): UsedBy {
  const costs = new Map<number, number>()
  let total = 0
  for (const call of spending) {
    const cost = costSoFar(call, secondsOf(call, now), catalog) ?? 0
    total += cost
    const id = extensions.get(call.extension ?? '')?.id
    if (id !== undefined) costs.set(id, (costs.get(id) ?? 0) + cost)
  }
  return {
    tenant: withCost(used.tenant, total),
    extension: id => withCost(used.extension(id), costs.get(id) ?? 0),
    extensions: () => new Set([...used.extensions(), ...costs.keys()]),
  }
}

const withCost = (used: Used, cost: number): Used => ({
  ...used,
  cost_per_hour: used.cost_per_hour + cost,
  cost_per_day: used.cost_per_day + cost,
})

/** Returns what has been used of limits, including what calls in progress have cost so far if any limit is on cost. */
export async function usedSoFar(
  spender: Spender,
  live: CallsInProgress,
  { calls, limitUsage, clock }: FactSources,
): Promise<UsedBy> {
  const { tenant, limits } = spender
  const used = await limitUsage.of(tenant)
  const spending = isPriced(limits) ? spendingOf(tenant, live) : []
  if (spending.length === 0) return used
  const now = clock.now()
  const catalog = await calls.catalog(tenant.id, firstOf(spending, now), now)
  return withCosts(used, spending, spender, { catalog, now })
}

/** The owner of a limit: an extension's number, or null for the tenant. */
export type Owner = string | null

/** Returns who has reached a limit on cost. */
export function spentBy({ limits, extensions }: Spender, used: UsedBy): ReadonlySet<Owner> {
  const callers = used.extensions()
  const own = [...extensions].filter(([, { id }]) => callers.has(id))
  return new Set([
    ...(isSpent(limits.tenant, used.tenant) ? [null] : []),
    ...own.flatMap(([number, { id }]) =>
      isSpent(limits.extensions.get(number) ?? limits.extension, used.extension(id)) ? [number] : [],
    ),
  ])
}

const isSpent = (limits: Limits, used: Used): boolean =>
  limitsInUse(limits, { used, live: { calls: 0, callsOut: 0 }, isOut: true }).some(
    use => PRICED.some(name => name === use.name) && isReached(use),
  )
