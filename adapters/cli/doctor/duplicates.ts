import { resources } from '../../../core/resources/all.ts'
import { rates } from '../../../core/resources/rates.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { cell } from '../columns.ts'
import type { Services } from '../context.ts'
import { pluralOf } from '../references.ts'
import { commandOf } from '../resource-names.ts'
import { mayBeShared } from '../same-key.ts'
import { AT_MOST, type Check, type Finding, recordsOf } from './check.ts'

/** Records with the same natural key, where the API allows that. */
export const duplicates: Check = {
  about: 'records with the same key',
  async *examine(patient) {
    const services = await patient.open()
    for (const resource of resources) if (mayBeShared(resource)) yield* duplicatesOf(services, resource)
  },
}

interface Duplicate {
  readonly id: string
  readonly isInUse: boolean
}

async function* duplicatesOf(services: Services, resource: Resource): AsyncIterable<Finding> {
  const kept = new Map<string, Duplicate>()
  let found = 0
  for await (const row of recordsOf(services, resource)) {
    const key = JSON.stringify(resource.key.map(name => cell(row[name])))
    const older = { id: cell(row['id']), isInUse: row['status'] === 'active' }
    const newer = kept.get(key)
    const stays = newer ? staying(newer, older, resource) : older
    kept.set(key, stays)
    if (!newer || found++ >= AT_MOST) continue
    const goes = stays === newer ? older : newer
    yield {
      kind: 'same_key',
      finding: `${pluralOf(resource)} ${newer.id} and ${older.id} have the same ${resource.key.join(' and ')} (${cell(row[resource.key.at(-1) ?? 'id'])})`,
      fix: `trunkline ${commandOf(resource)} delete id:${goes.id}`,
    }
  }
  if (found > AT_MOST)
    yield {
      kind: 'same_key',
      finding: `${found - AT_MOST} more ${pluralOf(resource)} have the same ${resource.key.join(' and ')} as another`,
      fix: 'trunkline doctor',
    }
}

/**
 * Which of two with the same key is to stay: the one in use. Of two alike it is the newer of rates, since that counts,
 * and the older of others, since the rest was set up with it.
 */
function staying(newer: Duplicate, older: Duplicate, { name }: Resource): Duplicate {
  const isNewer = newer.isInUse === older.isInUse ? name === rates.name : newer.isInUse
  return isNewer ? newer : older
}
