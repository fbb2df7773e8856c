import { nationalNumbers, presumedCountry } from '../../core/dialling/presumed.ts'
import { diallingOf } from '../../core/dialling/settings.ts'
import { parseJson } from '../../core/json.ts'
import type { Records } from '../../core/ports/records.ts'
import { dids } from '../../core/resources/dids.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { cell, objects } from './columns.ts'
import { quoted } from './command-line.ts'

/** Calls that no rate matched because nobody has said which country their tenant dials from. */
export interface MissingCountry {
  readonly calls: number
  /** The one that the tenant's DIDs and time zone speak for; null where none stands out. */
  readonly country: string | null
  /** The command that sets it. */
  readonly fix: string
}

/** The calls of a tenant without a country that a country would most likely read as national; null where there are none. */
export async function missingCountry(
  records: Records,
  tenantId: number,
  unrated: Iterable<{ readonly number: string; readonly calls: number }>,
): Promise<MissingCountry | null> {
  const tenant = await records.find(tenants, tenantId)
  const settings = typeof tenant?.['settings'] === 'string' ? parseJson(tenant['settings']) : null
  if (!tenant || diallingOf(settings).country !== null) return null
  const numbers = [...unrated]
  const presumed = presumedCountry({ timezone: String(tenant['timezone']), dids: await didsOf(records, tenantId) })
  for (const country of presumed === null ? [null] : [presumed, null]) {
    const isNational = nationalNumbers(country)
    const calls = numbers.reduce((sum, each) => sum + (isNational(each.number) ? each.calls : 0), 0)
    const slug = quoted(String(tenant['slug']))
    const fix = `trunkline tenant update ${slug} --settings-set dialling.country=${country ?? 'COUNTRY'}`
    if (calls > 0) return { calls, country, fix }
  }
  return null
}

/** Enough to tell the country by. */
const MOST_DIDS = 200

async function didsOf(records: Records, tenantId: number): Promise<string[]> {
  const numbers: string[] = []
  for await (const page of records.list(dids, { view: 'plain', where: { tenant_id: tenantId }, limit: MOST_DIDS }))
    numbers.push(...objects(`[${page.json}]`).map(row => cell(row['number'])))
  return numbers
}
