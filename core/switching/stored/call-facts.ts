import type { ReadNumber } from '../../dialling/read-number.ts'
import type { Calls } from '../../ports/calls.ts'
import type { CallFacts, CallOptions, LimitUsage, LiveCall } from '../../ports/switching.ts'
import type { Clock } from '../../ports/system.ts'
import type { Rate } from '../../rating/deck.ts'
import { rateTo } from '../../rating/rate-call.ts'
import type { SwitchExtension, TenantDirectory } from '../directory.ts'
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
  { caller, read, isExplained = false, live = [] }: OutsideCall,
  sources: FactSources,
): Promise<CallFacts> {
  const { tenant, limits } = directory
  const all = [limits.tenant, limits.extensions.get(caller.number) ?? limits.extension]
  const facts = insideFacts(directory)
  const rate =
    isExplained || all.some(({ ratedOnly }) => ratedOnly) ? await rateFor(tenant.id, read, sources) : undefined
  if (!all.some(hasCounts)) return { ...facts, rate }
  const used = await sources.limitUsage.of(tenant)
  const spending = live.filter(call => call.tenant === tenant.slug && call.direction === 'outbound')
  const costs = all.some(hasCosts) ? await Promise.all(spending.map(call => costNow(tenant.id, call, sources))) : []
  const own = costs.filter((_, index) => spending[index]?.extension === caller.number)
  return {
    ...facts,
    rate,
    used: {
      tenant: withCost(used.tenant, sum(costs)),
      extension: withCost(used.extension(caller.id), sum(own)),
    },
  }
}

const hasCosts = ({ most }: Limits): boolean => most.cost_per_hour !== undefined || most.cost_per_day !== undefined

/** Returns what a call in progress has cost so far, in units of 0.0001; 0 without a rate. */
async function costNow(tenantId: number, call: LiveCall, { calls, clock }: FactSources): Promise<number> {
  const catalog = await calls.catalog(tenantId, call.startedAt)
  return costSoFar(call, secondsOf(call, clock.now()), catalog) ?? 0
}

const sum = (costs: readonly number[]): number => costs.reduce((total, cost) => total + cost, 0)

const withCost = (used: Used, cost: number): Used => ({
  ...used,
  cost_per_hour: used.cost_per_hour + cost,
  cost_per_day: used.cost_per_day + cost,
})

/** True if a limit is set that counts stored calls. */
const hasCounts = ({ most }: Limits): boolean => Object.keys(most).some(name => name !== 'concurrent_calls')

async function rateFor(tenantId: number, read: ReadNumber, { calls, clock }: FactSources): Promise<Rate | null> {
  const now = clock.now()
  const rate = rateTo((await calls.catalog(tenantId, now)).deckAt(now), read)
  return typeof rate === 'string' ? null : rate
}
