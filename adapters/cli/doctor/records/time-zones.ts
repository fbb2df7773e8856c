import { isTimeZone } from '../../../../core/dates.ts'
import { objects } from '../../../../core/json.ts'
import { nearest } from '../../../../core/nearest.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { quoted } from '../../command-line.ts'
import { spelling } from '../../naming/references.ts'
import type { Check } from '../check.ts'

/** Finds time zones unknown to this system: another version of its names accepted them. */
export const timeZones: Check = {
  about: 'time zones',
  async *examine(patient) {
    const { maintenance, records } = await patient.open()
    for (const zone of await maintenance.held(tenants, 'timezone')) {
      if (isTimeZone(zone)) continue
      const meant = nearest(zone, Intl.supportedValuesOf('timeZone'))
      for await (const page of records.list(tenants, { view: 'plain', where: { timezone: zone } }))
        for (const row of objects(`[${page.json}]`)) {
          const named = await spelling(records, tenants, Number(row['id']))
          yield {
            kind: 'time_zone_unknown',
            finding: `tenant ${named} has the time zone ${zone}, which does not exist`,
            fix: `trunkline tenant update ${quoted(named)} --timezone ${meant ?? 'UTC'}`,
          }
        }
    }
  },
}
