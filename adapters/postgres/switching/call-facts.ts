import type { ReadNumber } from '../../../core/dialling/dialling.ts'
import type { Calls } from '../../../core/ports/calls.ts'
import type { CallFacts, LimitUsage } from '../../../core/ports/switching.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Rate } from '../../../core/rating/deck.ts'
import { rateTo } from '../../../core/rating/rate-call.ts'
import type { SwitchExtension } from '../../../core/switching/directory.ts'
import { type Limits, NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import type { Gathered } from './gathered.ts'

export interface Sources {
  readonly calls: Pick<Calls, 'catalog'>
  readonly limitUsage: LimitUsage
  readonly clock: Clock
}

/** The facts that decide a call inside: it costs nothing. */
export const insideFacts = (parts: Gathered): CallFacts => ({
  directory: parts.directory(),
  rate: undefined,
  used: { tenant: NOTHING_USED, extension: NOTHING_USED },
})

/** The facts that decide a call out; the rate only where a limit needs it or the caller asks for it. */
export async function outsideFacts(
  parts: Gathered,
  { caller, read, isTold }: { readonly caller: SwitchExtension; readonly read: ReadNumber; readonly isTold: boolean },
  sources: Sources,
): Promise<CallFacts> {
  const { tenant, limits } = parts.known
  const all = [limits.tenant, limits.extensions.get(caller.number) ?? limits.extension]
  const facts = insideFacts(parts)
  const rate = isTold || all.some(({ ratedOnly }) => ratedOnly) ? await rateFor(tenant.id, read, sources) : undefined
  if (!all.some(hasCounts)) return { ...facts, rate }
  const used = await sources.limitUsage.of(tenant)
  return { ...facts, rate, used: { tenant: used.tenant, extension: used.extension(caller.id) } }
}

/** Does a limit depend on stored calls? */
const hasCounts = ({ most }: Limits): boolean => Object.keys(most).some(name => name !== 'concurrent_calls')

async function rateFor(tenantId: number, read: ReadNumber, { calls, clock }: Sources): Promise<Rate | null> {
  const now = clock.now()
  const rate = rateTo((await calls.catalog(tenantId, now)).deckAt(now), read)
  return typeof rate === 'string' ? null : rate
}
