import { tenants } from '../../../core/resources/tenants.ts'
import { type NationalCalls, nationalCalls } from '../missing-country.ts'
import { naming } from '../references.ts'
import { counted } from '../whole-number.ts'
import { type Check, recordsOf } from './check.ts'

/** Calls that are not billed since nobody has said which country their tenant dials from. */
export const dialling: Check = {
  about: 'unrated calls to national numbers',
  async *examine(patient) {
    const services = await patient.open()
    const { calls, records } = services
    const counts = new Map<number, NationalCalls>()
    for await (const { id } of recordsOf(services, tenants)) {
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
        finding: `${counted(missing.calls, 'unrated call')} of tenant ${name} went to what look like national numbers, and its settings name no country that it dials from`,
        fix: missing.fix,
      }
    }
  },
}
