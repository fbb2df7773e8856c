import { objects } from '../../json.ts'
import type { Calls } from '../../ports/calls.ts'
import { type CheckedRate, checkDeck, type DeckFindings } from '../../rating/check-deck.ts'
import { isActive } from '../../rating/deck.ts'
import type { Period } from '../../rating/period.ts'
import { rates } from '../../resources/rates.ts'
import {
  type BilledAbroad,
  billedAbroad,
  type CountryPorts,
  type MissingCountry,
  nationalCalls,
} from './missing-country.ts'

export interface CheckPorts extends CountryPorts {
  readonly calls: CountryPorts['calls'] & Pick<Calls, 'unratedDestinations' | 'usedRates'>
}

/** What to check in a tenant's rates, by its calls of a period. */
export interface RateFindings extends DeckFindings {
  /** Unrated calls that would most likely be national if the tenant's settings named a country; null for none. */
  readonly national: MissingCountry | null
  readonly abroad: BilledAbroad | null
}

export async function checkRates(ports: CheckPorts, tenantId: number, period: Period): Promise<RateFindings> {
  const { records, calls, clock } = ports
  const stored: CheckedRate[] = []
  for await (const page of records.list(rates, { view: 'plain', where: { tenant_id: tenantId } }))
    for (const { id, prefix, destination, status } of objects(`[${page.json}]`))
      stored.push({
        id: Number(id),
        prefix: String(prefix),
        destination: String(destination),
        active: isActive(status),
      })
  const unrated = await calls.unratedDestinations(tenantId, period)
  const starts = unrated.map(({ startedAt }) => startedAt).sort()
  const now = clock.now()
  const catalog = await calls.catalog(tenantId, starts[0] ?? now, starts.at(-1) ?? now)
  const national = await nationalCalls(records, tenantId)
  for (const each of unrated) national?.add(each.number, each.calls)
  return {
    ...checkDeck(stored, await calls.usedRates(tenantId, period), unrated, catalog),
    national: national?.found() ?? null,
    abroad: await billedAbroad(ports, tenantId, period),
  }
}
