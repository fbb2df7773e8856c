import type { Catalog } from '../../calls/record-call.ts'
import type { Timestamp } from '../../dates.ts'
import type { ReadNumber } from '../../dialling/read-number.ts'
import type { CallFacts, CallOptions } from '../../ports/switching.ts'
import type { Rate } from '../../rating/deck.ts'
import { rateTo } from '../../rating/rate-call.ts'
import type { SwitchExtension, TenantDirectory } from '../directory.ts'
import { NO_CALLS } from '../in-progress.ts'
import { type Limits, NOTHING_USED, PRICED } from '../limits/limits.ts'
import { type FactSources, firstOf, spendingOf, withCosts } from './costs-so-far.ts'

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
  const isCatalogNeeded = isRateNeeded || spending.length > 0
  const catalog = isCatalogNeeded ? await calls.catalog(tenant.id, firstOf(spending, now), now) : null
  const facts = { ...insideFacts(directory), rate: isRateNeeded ? rateAt(now, catalog, read) : undefined }
  if (!all.some(hasCounts)) return facts
  const ended = await limitUsage.of(tenant)
  const extensions = new Map([[caller.number, caller]])
  const used = catalog ? withCosts(ended, spending, { extensions }, { catalog, now }) : ended
  return { ...facts, used: { tenant: used.tenant, extension: used.extension(caller.id) } }
}

const hasCosts = ({ most }: Limits): boolean => PRICED.some(name => most[name] !== undefined)

/** True if a limit is set that counts stored calls. */
const hasCounts = ({ most }: Limits): boolean => Object.keys(most).some(name => name !== 'concurrent_calls')

function rateAt(now: Timestamp, catalog: Catalog | null, read: ReadNumber): Rate | null {
  const rate = rateTo(catalog?.deckAt(now) ?? null, read)
  return typeof rate === 'string' ? null : rate
}
