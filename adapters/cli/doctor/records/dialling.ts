import { counted } from '../../../../core/format-count.ts'
import { FOREVER } from '../../../../core/rating/period.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { billedAbroad, type NationalCalls, nationalCalls } from '../../../../core/use-cases/calls/missing-country.ts'
import { countryFix } from '../../commands/rating/country-fix.ts'
import type { Services } from '../../context.ts'
import { naming } from '../../naming/references.ts'
import { type Check, type Finding, recordsOf } from '../check.ts'

/**
 * Finds calls that are not billed, or billed as international ones, because their tenant has no country to dial from.
 */
export const dialling: Check = {
  about: 'calls to national numbers',
  async *examine(patient) {
    const services = await patient.open()
    const { calls, records } = services
    const counts = new Map<number, NationalCalls>()
    for await (const { id } of recordsOf(services, tenants)) {
      yield* abroad(services, Number(id))
      const ofTenant = await nationalCalls(records, Number(id))
      if (ofTenant) counts.set(Number(id), ofTenant)
    }
    for await (const page of calls.unratedOf([...counts.keys()]))
      for (const { tenantId, number } of page) counts.get(tenantId)?.add(number, 1)
    for (const [tenantId, ofTenant] of counts) {
      const missing = ofTenant.found()
      if (!missing) continue
      const name = await naming(records)(tenants, tenantId)
      yield {
        kind: 'no_country',
        finding: `${counted(missing.calls, 'unrated call')} of tenant ${name} went to numbers that look national, but its settings name no country`,
        fix: await countryFix(services, tenantId, missing.country),
      }
    }
  },
}

async function* abroad(services: Services, tenantId: number): AsyncIterable<Finding> {
  const billed = await billedAbroad(services, tenantId, FOREVER)
  if (!billed) return
  const { calls, country, example } = billed
  const name = await naming(services.records)(tenants, tenantId)
  yield {
    kind: 'billed_abroad',
    finding: `${counted(calls, 'recent call')} of tenant ${name}, whose settings name no country, went to numbers of ${country} and were billed as international (${example.number} by prefix ${example.prefix}, as if it were not ${example.e164})`,
    fix: await countryFix(services, tenantId, country),
  }
}
