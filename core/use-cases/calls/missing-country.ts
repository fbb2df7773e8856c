import { nationalAlone, nationalNumbers, presumedCountry } from '../../dialling/presumed.ts'
import { diallingOf } from '../../dialling/settings.ts'
import { objects, parseJson } from '../../json.ts'
import type { Calls, RatedNumber } from '../../ports/calls.ts'
import type { Records } from '../../ports/records.ts'
import type { Clock } from '../../ports/system.ts'
import type { Period } from '../../rating/period.ts'
import { dids } from '../../resources/dids.ts'
import { tenants } from '../../resources/tenants.ts'

/** Calls that no rate matched because nobody has said which country their tenant dials from. */
export interface MissingCountry {
  readonly calls: number
  /** The one that the tenant's DIDs and time zone speak for; null where none stands out. */
  readonly country: string | null
}

/** Counts calls of a tenant without a country, by whether a country would most likely read their number as national. */
export interface NationalCalls {
  add(number: string, calls: number): void
  /** null where none does. */
  found(): MissingCountry | null
}

/** Returns null where the tenant has a country, or is not there. */
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

/** Calls that were billed as if their national numbers were those of another country. */
export interface BilledAbroad {
  readonly calls: number
  readonly country: string
  /** One of them, with the prefix by which it was billed and the number that it most likely is. */
  readonly example: RatedNumber & { readonly e164: string }
}

export interface CountryPorts {
  readonly records: Pick<Records, 'find' | 'list'>
  readonly calls: Pick<Calls, 'newestRated' | 'catalog'>
  readonly clock: Pick<Clock, 'now'>
}

/** How many of a tenant's newest calls are enough to judge by. */
const LOOKED_AT = 2_000
/** Fewer different numbers may be slips of those who dialled them. */
const ENOUGH = 3

/**
 * Those of a tenant's newest calls of the period that were billed so, where nobody has said which country it dials from;
 * null where there are none. What its rates would not match as a number of its own country is left out: those rates are
 * written for numbers as they are dialled.
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

/** What is known of a tenant without a country; null of one that has one, or is not there. */
async function countryless(records: CountryPorts['records'], tenantId: number) {
  const tenant = await records.find(tenants, tenantId)
  const settings = typeof tenant?.['settings'] === 'string' ? parseJson(tenant['settings']) : null
  const dialling = diallingOf(settings)
  if (!tenant || dialling.country !== null) return null
  const presumed = presumedCountry({ timezone: String(tenant['timezone']), dids: await didsOf(records, tenantId) })
  return { dialling, presumed }
}

/** Enough digits to recognise the country. */
const MOST_DIDS = 200

async function didsOf(records: CountryPorts['records'], tenantId: number): Promise<string[]> {
  const numbers: string[] = []
  for await (const page of records.list(dids, { view: 'plain', where: { tenant_id: tenantId }, limit: MOST_DIDS }))
    numbers.push(...objects(`[${page.json}]`).map(row => String(row['number'])))
  return numbers
}
