import { AppError } from '../../core/errors.ts'
import type { Records } from '../../core/ports/records.ts'
import { resourceNamed } from '../../core/resources/all.ts'
import type { Value } from '../../core/resources/field.ts'
import type { Limit, Resource } from '../../core/resources/resource.ts'
import { quoted } from './command-line.ts'
import { flagOf } from './fields.ts'
import { commandOf } from './resource-names.ts'

/** The command that lets a parent, known by its natural key, have so many records. */
export function raising({ parent, max }: Limit, key: string, count: number): string {
  const field = resourceNamed(parent).fields[max]
  const flag = field ? flagOf(max, field) : max
  return `trunkline ${commandOf({ name: parent })} update ${quoted(key)} --${flag} ${count}`
}

/** The command that makes room for so many more records of one parent; undefined where nothing limits them. */
export async function makingRoom(
  records: Records,
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

/** Runs what stores a record with these values; where a limit refuses that, the error says how to raise it. */
export async function withinLimit<T>(
  records: Records,
  resource: Resource,
  values: Readonly<Record<string, unknown>>,
  store: () => Promise<T>,
): Promise<T> {
  try {
    return await store()
  } catch (error) {
    if (!(error instanceof AppError && error.details.errors?.some(({ rule }) => rule === 'limit'))) throw error
    const hint = await makingRoom(records, resource, Number(values[resource.limit?.by ?? '']), 1)
    throw new AppError(error.code, error.message, { ...error.details, ...(hint ? { hint } : {}) })
  }
}
