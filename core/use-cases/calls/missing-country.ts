import { nationalAlone, nationalNumbers, presumedCountry } from '../../dialling/presumed.ts'
import { diallingOf } from '../../dialling/settings.ts'
import { objects, parseJson } from '../../json.ts'
import type { Calls, RatedNumber } from '../../ports/calls.ts'
import type { Records } from '../../ports/records.ts'
import type { Clock } from '../../ports/system.ts'
import type { Period } from '../../rating/period.ts'
import { dids } from '../../resources/dids.ts'
import { tenants } from '../../resources/tenants.ts'

/** Calls that no rate matched because their tenant has no country to dial from. */
export interface MissingCountry {
  readonly calls: number
  /** The country that the tenant's DIDs and time zone suggest; null if none stands out. */
  readonly country: string | null
}

/** Counts calls of a tenant without a country whose number a country would most likely read as national. */
export interface NationalCalls {
  add(number: string, calls: number): void
  /** null if there are none. */
  found(): MissingCountry | null
}

/** Returns null if the tenant has a country, or does not exist. */
export async function nationalCalls(records: CountryPorts['records'], tenantId: number): Promise<NationalCalls | null> {
  const tenant = await countryless(records, tenantId)
  if (!tenant) return null
  const { presumed } = tenant
  const tried = (presumed === null ? [null] : [presumed, null]).map(country => ({
    country,
    isNational: nationalNumbers(country),
    calls: 0,
  }))
  return {
    add: (number, calls) => {
      for (const each of tried) if (each.isNational(number)) each.calls += calls
    },
    found: () => {
      const { country, calls } = tried.find(each => each.calls > 0) ?? { country: null, calls: 0 }
      return calls > 0 ? { calls, country } : null
    },
  }
}

/** Calls whose national number was billed as a number of another country. */
export interface BilledAbroad {
  readonly calls: number
  readonly country: string
  /** One of them, with the prefix that billed it and the number that it most likely is. */
  readonly example: RatedNumber & { readonly e164: string }
}

export interface CountryPorts {
  readonly records: Pick<Records, 'find' | 'list'>
  readonly calls: Pick<Calls, 'newestRated' | 'catalog'>
  readonly clock: Pick<Clock, 'now'>
}

/** The number of a tenant's newest calls that suffices to judge. */
const LOOKED_AT = 2_000
/** Fewer distinct numbers may be dialling mistakes. */
const ENOUGH = 3

/**
 * Finds calls billed abroad among a tenant's newest ones of the period, if it has no country to dial from; null if
 * there are none. Ignores calls whose number, read as national, no rate would match: those rates are written for
 * numbers as dialled.
 */
export async function billedAbroad(
  { records, calls, clock }: CountryPorts,
  tenantId: number,
  period: Period,
): Promise<BilledAbroad | null> {
  const tenant = await countryless(records, tenantId)
  if (!tenant || tenant.presumed === null) return null
  const country = tenant.presumed
  const wholeOf = nationalAlone(country)
  const national = (await calls.newestRated(tenantId, period, LOOKED_AT)).flatMap(call => {
    const e164 = wholeOf(call.number, tenant.dialling.read(call.number).digits)
    return e164 === null ? [] : [{ ...call, e164 }]
  })
  if (new Set(national.map(({ e164 }) => e164)).size < ENOUGH) return null
  const now = clock.now()
  const deck = (await calls.catalog(tenantId, now)).deckAt(now)
  const billed = national.filter(({ e164 }) => deck?.match({ kind: 'international', digits: e164 }))
  const [example] = billed
  return example ? { calls: billed.length, country, example } : null
}

/** Returns what is known of a tenant without a country; null if it has one, or does not exist. */
async function countryless(records: CountryPorts['records'], tenantId: number) {
  const tenant = await records.find(tenants, tenantId)
  const settings = typeof tenant?.['settings'] === 'string' ? parseJson(tenant['settings']) : null
  const dialling = diallingOf(settings)
  if (!tenant || dialling.country !== null) return null
  const presumed = presumedCountry({ timezone: String(tenant['timezone']), dids: await didsOf(records, tenantId) })
  return { dialling, presumed }
}

/** Enough to recognise the country. */
const MOST_DIDS = 200

async function didsOf(records: CountryPorts['records'], tenantId: number): Promise<string[]> {
  const numbers: string[] = []
  for await (const page of records.list(dids, { view: 'plain', where: { tenant_id: tenantId }, limit: MOST_DIDS }))
    numbers.push(...objects(`[${page.json}]`).map(row => String(row['number'])))
  return numbers
}
