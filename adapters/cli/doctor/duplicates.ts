import type { JsonObject } from '../../../core/json.ts'
import { resources } from '../../../core/resources/all.ts'
import { rates } from '../../../core/resources/rates.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { cell } from '../columns.ts'
import type { Services } from '../context.ts'
import { pluralOf } from '../references.ts'
import { commandOf } from '../resource-names.ts'
import { mayBeShared } from '../same-key.ts'
import { numberField, numberReader } from '../same-number.ts'
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
  readonly name: string
  readonly isInUse: boolean
}

async function* duplicatesOf(services: Services, resource: Resource): AsyncIterable<Finding> {
  const kept = new Map<string, Duplicate>()
  const keyOf = keyReader(services, resource)
  let found = 0
  for await (const row of recordsOf(services, resource)) {
    const key = await keyOf(row)
    const name = cell(row[resource.key.at(-1) ?? 'id'])
    const older = { id: cell(row['id']), name, isInUse: row['status'] === 'active' }
    const newer = kept.get(key)
    const stays = newer ? staying(newer, older, resource) : older
    kept.set(key, stays)
    if (!newer || found++ >= AT_MOST) continue
    const goes = stays === newer ? older : newer
    yield {
      kind: 'same_key',
      finding: `${pluralOf(resource)} ${newer.id} and ${older.id} have the same ${resource.key.join(' and ')} (${[...new Set([newer.name, name])].join(', ')})`,
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

/** What tells a record from others; a telephone number does so however it is written. */
function keyReader({ records }: Services, resource: Resource): (row: JsonObject) => Promise<string> {
  const field = numberField(resource)
  const digitsOf = numberReader(records)
  return async row => {
    const digits = field === null ? '' : await digitsOf(Number(row['tenant_id']), cell(row[field]))
    return digits || JSON.stringify(resource.key.map(name => cell(row[name])))
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
