import { tenants } from '../../../core/resources/tenants.ts'
import { missingCountry } from '../missing-country.ts'
import { naming } from '../references.ts'
import { counted } from '../whole-number.ts'
import type { Check } from './check.ts'

/** Of the newest unrated calls. */
const LOOKED_AT = 100_000

/** Calls that are not billed since nobody has said which country their tenant dials from. */
export const dialling: Check = {
  about: 'unrated calls to national numbers',
  async *examine(patient) {
    const { calls, records } = await patient.open()
    const byTenant = new Map<number, Map<string, number>>()
    let seen = 0
    for await (const page of calls.newestUnrated()) {
      for (const { tenantId, number } of page) {
        const numbers = byTenant.get(tenantId) ?? new Map<string, number>()
        byTenant.set(tenantId, numbers.set(number, (numbers.get(number) ?? 0) + 1))
      }
      seen += page.length
      if (seen >= LOOKED_AT) break
    }
    for (const [tenantId, numbers] of byTenant) {
      const unrated = [...numbers].map(([number, count]) => ({ number, calls: count }))
      const missing = await missingCountry(records, tenantId, unrated)
      if (!missing) continue
      const name = await naming(records)(tenants, tenantId)
      yield {
        kind: 'no_country',
        finding: `${counted(missing.calls, 'unrated call')} of tenant ${name} went to what look like national numbers, and its settings name no country that it dials from`,
        fix: missing.fix,
      }
    }
  },
}
