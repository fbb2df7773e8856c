import { referencesTo, resources } from '../../../../core/resources/all.ts'
import { rates } from '../../../../core/resources/rates.ts'
import type { Resource } from '../../../../core/resources/resource.ts'
import { numberField, numberReader } from '../../../../core/use-cases/records/same-number.ts'
import { quoted } from '../../command-line.ts'
import type { Services } from '../../context.ts'
import { flagOf } from '../../fields.ts'
import { pluralOf } from '../../naming/references.ts'
import { commandOf } from '../../naming/resource-names.ts'
import { mayBeShared } from '../../naming/same-key.ts'
import { cell } from '../../terminal/json-values.ts'
import { AT_MOST, type Check, type Finding, recordsOf } from '../check.ts'

/** Finds records with the same natural key, where the API allows that. */
export const duplicates: Check = {
  about: 'records with the same key',
  async *examine(patient) {
    const services = await patient.open()
    for (const resource of resources) if (mayBeShared(resource)) yield* duplicatesOf(services, resource)
  },
}

interface Duplicate {
  readonly id: number
  /** Its name within its owner, as written. */
  readonly name: string
  readonly isInUse: boolean
}

async function* duplicatesOf(services: Services, resource: Resource): AsyncIterable<Finding> {
  const groups = await groupsOf(services, resource)
  let found = 0
  for (const [newest, ...older] of groups) {
    let stays = newest === undefined ? null : await duplicate(services, resource, newest)
    for (const id of found < AT_MOST ? older : []) {
      const [newer, one] = [stays, await duplicate(services, resource, id)]
      if (!newer || !one || found++ >= AT_MOST) continue
      stays = await staying(services, newer, one, resource)
      yield {
        kind: 'same_key',
        finding: `${pluralOf(resource)} ${newer.id} and ${id} have the same ${resource.key.join(' and ')} (${[...new Set([newer.name, one.name])].join(', ')})`,
        fix: await parting(services, resource, stays === newer ? one : newer),
      }
    }
  }
  const more = groups.reduce((sum, group) => sum + group.length - 1, 0) - AT_MOST
  if (more > 0)
    yield {
      kind: 'same_key',
      finding: `${more} more ${pluralOf(resource)} have the same ${resource.key.join(' and ')} as another`,
      fix: 'trunkline doctor',
    }
}

const ownKey = (resource: Resource): string => resource.key.at(-1) ?? 'id'

async function duplicate({ records }: Services, resource: Resource, id: number): Promise<Duplicate | null> {
  const row = await records.find(resource, id)
  return row && { id, name: cell(row[ownKey(resource)] ?? null), isInUse: row['status'] === 'active' }
}

/** Returns ids of records that share a key, newest first. A phone number is the same however it is written. */
async function groupsOf(services: Services, resource: Resource): Promise<number[][]> {
  const field = numberField(resource)
  if (field === null) return services.maintenance.shared(resource)
  const digitsOf = numberReader(services.records)
  const groups = new Map<string, number[]>()
  for await (const row of recordsOf(services, resource)) {
    const written = cell(row[field])
    const key = (await digitsOf(Number(row['tenant_id']), written)) || JSON.stringify(written)
    const group = groups.get(key)
    if (group) group.push(Number(row['id']))
    else groups.set(key, [Number(row['id'])])
  }
  return [...groups.values()].filter(({ length }) => length > 1)
}

/** Returns the command that renames a record whose references would outlive it, or deletes any other record. */
async function parting({ records }: Services, resource: Resource, { id, name }: Duplicate): Promise<string> {
  const command = `trunkline ${commandOf(resource)}`
  const own = ownKey(resource)
  if (!referencesTo(resource).some(({ onDelete }) => onDelete === 'keep')) return `${command} delete id:${id}`
  for (let n = 2; ; n++) {
    const free = `${name} ${n}`
    if ((await records.identify(resource, { [own]: free })).length > 0) continue
    return `${command} update id:${id} --${flagOf(own, resource.fields[own] ?? {})} ${quoted(free)}`
  }
}

/**
 * Decides which of two records with the same key stays: the one in use, else the one that others belong to. Otherwise
 * the newer of two rates, since that one counts, and the older of other records, since the rest was set up with it.
 */
async function staying(
  { records }: Services,
  newer: Duplicate,
  older: Duplicate,
  resource: Resource,
): Promise<Duplicate> {
  if (newer.isInUse !== older.isInUse) return newer.isInUse ? newer : older
  const belonging = async ({ id }: Duplicate): Promise<number> => {
    const counts = await Promise.all(referencesTo(resource).map(({ from, where }) => records.count(from, where(id))))
    return counts.reduce((sum, count) => sum + count, 0)
  }
  const [ofNewer, ofOlder] = [await belonging(newer), await belonging(older)]
  if (ofNewer > 0 !== ofOlder > 0) return ofNewer > 0 ? newer : older
  return resource.name === rates.name ? newer : older
}
