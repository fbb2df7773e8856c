import { objects } from '../../../../core/json.ts'
import { unreadOf, unreadProblem } from '../../../../core/resources/values/unread.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { flagOf } from '../../fields.ts'
import { labelOf, pluralOf, spelling } from '../../naming/references.ts'
import { commandOf } from '../../naming/resource-names.ts'
import { AT_MOST, type Check, everyField, type FieldOf, type Finding } from '../check.ts'

/** Finds unknown values where rules act on known ones. */
export const statuses: Check = {
  about: 'statuses',
  async *examine(patient) {
    const services = await patient.open()
    for (const each of everyField())
      for (const value of each.field.known ? await services.maintenance.held(each.resource, each.name) : [])
        yield* unknownValue(services, each, value)
  },
}

async function* unknownValue(
  { records }: Services,
  { resource, name, field }: FieldOf,
  value: string,
): AsyncIterable<Finding> {
  const [fault] = unreadOf(field, value)
  if (!fault) return
  const { predicate } = unreadProblem(fault)
  const where = { [name]: value }
  const meant = fault.meant && 'value' in fault.meant ? fault.meant.value : (field.otherwise ?? field.known?.[0])
  const flag = `--${flagOf(name, field)}`
  for await (const page of records.list(resource, { view: 'plain', where, limit: AT_MOST }))
    for (const row of objects(`[${page.json}]`)) {
      const named = await spelling(records, resource, Number(row['id']))
      yield {
        kind: 'status_unknown',
        finding: `the ${name} of ${labelOf(resource)} ${named} ${predicate}`,
        fix: `trunkline ${commandOf(resource)} update ${quoted(named)} ${flag} ${meant}`,
      }
    }
  const more = (await records.count(resource, where)) - AT_MOST
  if (more > 0)
    yield {
      kind: 'status_unknown',
      finding: `the ${name} of ${more} more ${pluralOf(resource)} ${predicate}`,
      fix: `trunkline ${commandOf(resource)} list ${flag} ${quoted(value)}`,
    }
}
