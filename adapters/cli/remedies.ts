import { AppError, type Rule } from '../../core/errors.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import type { Value } from '../../core/resources/field.ts'
import { jointsAt } from '../../core/resources/references/within.ts'
import type { Limit, Resource } from '../../core/resources/resource.ts'
import type { Lookup } from '../../core/use-cases/records/lookup.ts'
import { quoted } from './command-line.ts'
import { flagOf } from './fields.ts'
import { spelling } from './naming/references.ts'
import { commandOf } from './naming/resource-names.ts'

/** Returns the command that lets a parent, given by its natural key, have that many records. */
export function raising({ parent, max }: Limit, key: string, count: number): string {
  const field = resourceNamed(parent).fields[max]
  const flag = field ? flagOf(max, field) : max
  return `trunkline ${commandOf({ name: parent })} update ${quoted(key)} --${flag} ${count}`
}

/** Returns the command that makes room for more records of one parent; undefined if nothing limits them. */
export async function makingRoom(
  records: Lookup,
  resource: Resource,
  parentId: Value | undefined,
  more: number,
): Promise<string | undefined> {
  const { limit } = resource
  if (!limit || !Number.isSafeInteger(Number(parentId))) return undefined
  const parent = resourceNamed(limit.parent)
  const row = await records.find(parent, Number(parentId))
  if (!row) return undefined
  const stored = await records.count(resource, { [limit.by]: Number(parentId) })
  return raising(limit, String(row[parent.key[0] ?? 'id']), Math.max(stored, Number(row[limit.max])) + more)
}

/** Returns the command that lists records which tie this one to others of its tenant; undefined if there are none. */
async function joining(records: Lookup, resource: Resource, id: number): Promise<string | undefined> {
  for (const { pointing } of jointsAt(resource)) {
    const { from, field, kind, where } = pointing
    if ((await records.count(from, where(id))) === 0) continue
    const flags = Object.entries({ ...kind, [field]: await spelling(records, resource, id) }).map(
      ([name, value]) => `--${flagOf(name, from.fields[name] ?? {})} ${quoted(value)}`,
    )
    return `trunkline ${commandOf(from)} list ${flags.join(' ')}`
  }
  return undefined
}

/**
 * Stores a record with these values, new or with the id. If its parent is full, or others tie it to its tenant, adds
 * the command that helps to the error.
 */
export async function hinting<T>(
  records: Lookup,
  resource: Resource,
  { values, id }: { readonly values: Readonly<Record<string, unknown>>; readonly id?: number },
  store: () => Promise<T>,
): Promise<T> {
  try {
    return await store()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const isBroken = (wanted: Rule): boolean => error.details.errors?.some(({ rule }) => rule === wanted) === true
    const parent = Number(values[resource.limit?.by ?? ''])
    const hint = isBroken('limit')
      ? await makingRoom(records, resource, parent, 1)
      : isBroken('joined') && id !== undefined
        ? await joining(records, resource, id)
        : undefined
    throw hint === undefined ? error : new AppError(error.code, error.message, { ...error.details, hint })
  }
}
