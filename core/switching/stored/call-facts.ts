import type { Catalog } from '../../calls/record-call.ts'
import type { Timestamp } from '../../dates.ts'
import type { ReadNumber } from '../../dialling/read-number.ts'
import type { Calls } from '../../ports/calls.ts'
import type { CallFacts, CallOptions, CallsInProgress, LimitUsage, LiveCall } from '../../ports/switching.ts'
import type { Clock } from '../../ports/system.ts'
import type { Rate } from '../../rating/deck.ts'
import { rateTo } from '../../rating/rate-call.ts'
import type { SwitchExtension, SwitchTenant, TenantDirectory } from '../directory.ts'
import { NO_CALLS } from '../in-progress.ts'
import { costSoFar, secondsOf } from '../limits/cost-so-far.ts'
import { type Limits, NOTHING_USED, type Used } from '../limits/limits.ts'

/** What a call's facts come from, besides the directory of its tenant. */
export interface FactSources {
  readonly calls: Pick<Calls, 'catalog'>
  readonly limitUsage: LimitUsage
  readonly clock: Clock
}

/** Returns what decides an internal call: it costs nothing. */
export const insideFacts = (directory: TenantDirectory): CallFacts => ({
  directory,
  rate: undefined,
  used: { tenant: NOTHING_USED, extension: NOTHING_USED },
})

interface OutsideCall extends CallOptions {
  readonly caller: SwitchExtension
  readonly read: ReadNumber
}

/** Returns what decides an outgoing call; with the rate, if a limit or an explanation needs it. */
export async function outsideFacts(
  directory: TenantDirectory,
  { caller, read, isExplained = false, live = NO_CALLS }: OutsideCall,
  { calls, limitUsage, clock }: FactSources,
): Promise<CallFacts> {
  const { tenant, limits } = directory
  const all = [limits.tenant, limits.extensions.get(caller.number) ?? limits.extension]
  const isRateNeeded = isExplained || all.some(({ ratedOnly }) => ratedOnly)
  const spending = all.some(hasCosts) ? spendingOf(tenant, live) : []
  const now = clock.now()
  const first = spending.reduce((earliest, { startedAt }) => (startedAt < earliest ? startedAt : earliest), now)
  const catalog = isRateNeeded || spending.length > 0 ? await calls.catalog(tenant.id, first, now) : null
  const facts = { ...insideFacts(directory), rate: isRateNeeded ? rateAt(now, catalog, read) : undefined }
  if (!all.some(hasCounts)) return facts
  const used = await limitUsage.of(tenant)
  const spent = (of: readonly LiveCall[]): number =>
    of.reduce((sum, call) => sum + (catalog ? (costSoFar(call, secondsOf(call, now), catalog) ?? 0) : 0), 0)
  return {
    ...facts,
    used: {
      tenant: withCost(used.tenant, spent(spending)),
      extension: withCost(
        used.extension(caller.id),
        spent(spending.filter(({ extension }) => extension === caller.number)),
      ),
    },
  }
}

/** Returns the tenant's calls in progress that may have cost something by now. */
const spendingOf = ({ slug }: SwitchTenant, live: CallsInProgress): readonly LiveCall[] =>
  live.ofTenant(slug).filter(({ direction, answeredAt }) => direction === 'outbound' && answeredAt !== null)

const hasCosts = ({ most }: Limits): boolean => most.cost_per_hour !== undefined || most.cost_per_day !== undefined

const withCost = (used: Used, cost: number): Used => ({
  ...used,
  cost_per_hour: used.cost_per_hour + cost,
  cost_per_day: used.cost_per_day + cost,
})

/** True if a limit is set that counts stored calls. */
const hasCounts = ({ most }: Limits): boolean => Object.keys(most).some(name => name !== 'concurrent_calls')

function rateAt(now: Timestamp, catalog: Catalog | null, read: ReadNumber): Rate | null {
  const rate = rateTo(catalog?.deckAt(now) ?? null, read)
  return typeof rate === 'string' ? null : rate
}
