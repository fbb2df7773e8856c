import type { ReadNumber } from '../../dialling/read-number.ts'
import type { Calls } from '../../ports/calls.ts'
import type { CallFacts, LimitUsage } from '../../ports/switching.ts'
import type { Clock } from '../../ports/system.ts'
import type { Rate } from '../../rating/deck.ts'
import { rateTo } from '../../rating/rate-call.ts'
import type { SwitchExtension, TenantDirectory } from '../directory.ts'
import { type Limits, NOTHING_USED } from '../limits/limits.ts'

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

/** Returns what decides an outgoing call; with the rate, if a limit or an explanation needs it. */
export async function outsideFacts(
  directory: TenantDirectory,
  {
    caller,
    read,
    isExplained,
  }: { readonly caller: SwitchExtension; readonly read: ReadNumber; readonly isExplained: boolean },
  sources: FactSources,
): Promise<CallFacts> {
  const { tenant, limits } = directory
  const all = [limits.tenant, limits.extensions.get(caller.number) ?? limits.extension]
  const facts = insideFacts(directory)
  const rate =
    isExplained || all.some(({ ratedOnly }) => ratedOnly) ? await rateFor(tenant.id, read, sources) : undefined
  if (!all.some(hasCounts)) return { ...facts, rate }
  const used = await sources.limitUsage.of(tenant)
  return { ...facts, rate, used: { tenant: used.tenant, extension: used.extension(caller.id) } }
}

/** True if a limit is set that counts stored calls. */
const hasCounts = ({ most }: Limits): boolean => Object.keys(most).some(name => name !== 'concurrent_calls')

async function rateFor(tenantId: number, read: ReadNumber, { calls, clock }: FactSources): Promise<Rate | null> {
  const now = clock.now()
  const rate = rateTo((await calls.catalog(tenantId, now)).deckAt(now), read)
  return typeof rate === 'string' ? null : rate
}
