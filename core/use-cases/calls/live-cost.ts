import type { Calls } from '../../ports/calls.ts'
import type { LiveCall } from '../../ports/switching.ts'
import type { Clock } from '../../ports/system.ts'
import { tenants } from '../../resources/tenants.ts'
import { costSoFar, secondsOf } from '../../switching/limits/cost-so-far.ts'
import type { Lookup } from '../records/lookup.ts'

export interface LiveCostPorts {
  readonly records: Pick<Lookup, 'identify'>
  readonly calls: Pick<Calls, 'catalog'>
  readonly clock: Pick<Clock, 'now'>
}

/** Returns how long a call in progress has been answered and what it costs so far; null if that is not known. */
export async function costOfLive(
  { records, calls, clock }: LiveCostPorts,
  call: LiveCall,
): Promise<{ readonly seconds: number | null; readonly cost: number | null }> {
  const [tenantId] = call.tenant === null ? [] : await records.identify(tenants, { slug: call.tenant })
  const catalog = tenantId === undefined ? null : await calls.catalog(tenantId, call.startedAt)
  const seconds = secondsOf(call, clock.now())
  return { seconds, cost: catalog && costSoFar(call, seconds, catalog) }
}
