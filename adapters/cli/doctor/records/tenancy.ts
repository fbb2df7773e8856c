import { resourceNamed, resources } from '../../../../core/resources/all.ts'
import { type Side, sidesOf } from '../../../../core/resources/references/within.ts'
import type { Resource, Row, Within } from '../../../../core/resources/resource.ts'
import type { Services } from '../../context.ts'
import { flagOf, targetIn } from '../../fields.ts'
import { labelOf, naming, pluralOf } from '../../naming/references.ts'
import { commandOf } from '../../naming/resource-names.ts'
import { AT_MOST, type Check, type Finding } from '../check.ts'

/** Finds records that join things of two tenants. */
export const tenancy: Check = {
  about: 'agents, routes and calls that join two tenants',
  async *examine(patient) {
    const services = await patient.open()
    for (const resource of resources) if (resource.within) yield* straysOf(services, resource, resource.within)
  },
}

async function* straysOf(services: Services, resource: Resource, within: Within): AsyncIterable<Finding> {
  const inWords = sideTeller(services, resource, within)
  const ids = await services.maintenance.strays(resource)
  for (const id of ids.slice(0, AT_MOST)) {
    const row = await services.records.find(resource, id)
    if (!row) continue
    const joined = await Promise.all(sidesOf(resource).map(side => inWords(side, row)))
    yield {
      kind: 'two_tenants',
      finding: `${labelOf(resource)} ${id} joins two tenants: ${joined.join(' and ')}`,
      fix: `trunkline ${commandOf(resource)} ${parting(resource, within, id)}`,
    }
  }
  if (ids.length > AT_MOST)
    yield {
      kind: 'two_tenants',
      finding: `${ids.length - AT_MOST} more ${pluralOf(resource)} join two tenants`,
      fix: 'trunkline doctor',
    }
}

/**
 * Returns the command that deletes the record, or clears the foreign reference if the rest has a meaning without it.
 */
function parting(resource: Resource, { isRule }: Within, id: number): string {
  const side = sidesOf(resource).find(({ field, to }) => to !== null && !resource.fields[field]?.required)
  if (isRule || !side) return `remove id:${id}`
  return `update id:${id} --${flagOf(side.field, resource.fields[side.field] ?? {})} ''`
}

/** Returns what describes a side of a record by name and owner: `queue acme/800`, `DID +4930123 of acme`. */
function sideTeller({ records }: Services, resource: Resource, within: Within) {
  const owner = resourceNamed(String(resource.fields[within.field]?.references?.to ?? 'tenants'))
  const nameOf = naming(records)
  return async ({ field, to }: Side, row: Row): Promise<string> => {
    const id = Number(row[field])
    if (to === null) return `${labelOf(owner)} ${await nameOf(owner, id)}`
    const target = targetIn(resource.fields[field] ?? {}, row)
    if (!target) return `${field} ${id}`
    const found = await records.find(target, id)
    const [name, whose] = [await nameOf(target, id), await nameOf(owner, Number(found?.[within.field]))]
    return `${labelOf(target)} ${name}${name.startsWith(`${whose}/`) ? '' : ` of ${whose}`}`
  }
}
