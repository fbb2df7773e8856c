import { nationalNumbers, presumedCountry } from '../../core/dialling/presumed.ts'
import { diallingOf } from '../../core/dialling/settings.ts'
import { parseJson } from '../../core/json.ts'
import type { Records } from '../../core/ports/records.ts'
import { dids } from '../../core/resources/dids.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { quoted } from './command-line.ts'
import { cell, objects } from './json-values.ts'

/** Calls that no rate matched because nobody has said which country their tenant dials from. */
export interface MissingCountry {
  readonly calls: number
  /** The one that the tenant's DIDs and time zone speak for; null where none stands out. */
  readonly country: string | null
  /** The command that sets it. */
  readonly fix: string
}

/** Counts calls of a tenant without a country, by whether a country would most likely read their number as national. */
export interface NationalCalls {
  add(number: string, calls: number): void
  /** null where none does. */
  found(): MissingCountry | null
}

/** null where the tenant has a country, or is not there. */
export async function nationalCalls(records: Records, tenantId: number): Promise<NationalCalls | null> {
  const tenant = await records.find(tenants, tenantId)
  const settings = typeof tenant?.['settings'] === 'string' ? parseJson(tenant['settings']) : null
  if (!tenant || diallingOf(settings).country !== null) return null
  const presumed = presumedCountry({ timezone: String(tenant['timezone']), dids: await didsOf(records, tenantId) })
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
      const slug = quoted(String(tenant['slug']))
      const fix = `trunkline tenant update ${slug} --settings-set dialling.country=${country ?? 'COUNTRY'}`
      return calls > 0 ? { calls, country, fix } : null
    },
  }
}

/** Enough digits to recognise the country. */
const MOST_DIDS = 200

async function didsOf(records: Records, tenantId: number): Promise<string[]> {
  const numbers: string[] = []
  for await (const page of records.list(dids, { view: 'plain', where: { tenant_id: tenantId }, limit: MOST_DIDS }))
    numbers.push(...objects(`[${page.json}]`).map(row => cell(row['number'])))
  return numbers
}
