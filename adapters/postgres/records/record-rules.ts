import { type FieldErrors, invalid } from '../../../core/errors.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Field, Value } from '../../../core/resources/field.ts'
import { fieldsOf, jointsAt, movingJoined, sidesOf } from '../../../core/resources/references/within.ts'
import type { Resource, Row } from '../../../core/resources/resource.ts'
import { dangling, foreign, mergeErrors, overLimit, taken } from '../../../core/resources/values/field-errors.ts'
import { tableOf } from '../../sql/table.ts'
import { joinedSql, withinSql } from '../../sql/within.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Sql, sql, where } from '../database/sql.ts'

/** The rules that depend on other records. `id` is the record's own, once it has one. */

type Ruled = Pick<Resource, 'name' | 'fields' | 'unique'> &
  Partial<Pick<Resource, 'label' | 'limit' | 'plural' | 'within'>>

/** All rules that the values break: uniqueness, references, limits and tenancy. */
export async function violations(queries: Queries, resource: Ruled, values: Row, id?: number): Promise<FieldErrors> {
  return mergeErrors(
    resource,
    (await danglingReferences(queries, resource, values)).map(dangling),
    (await takenKeys(queries, resource, values, id)).map(taken),
    await foreignReferences(queries, resource, values, id),
    await moveProblem(queries, resource, values, id),
    await limitProblem(queries, resource, values, id),
  )
}

export function throwIfAny(errors: FieldErrors): void {
  if (errors.length > 0) throw invalid(errors)
}

const hasLooseReference = ({ fields }: Pick<Resource, 'fields'>): boolean =>
  Object.values(fields).some(({ references }) => references && typeof references.to !== 'string')

/** Are constraints of the database enough to check the rules of its records? */
export const isPlain = (resource: Ruled): boolean =>
  !resource.limit && !resource.within?.isRule && !hasLooseReference(resource)

/**
 * Throws `invalid` for rules that no constraint covers. Locks what the rules read in separate statements first: a
 * statement that waits for a lock still sees the data from before the wait.
 */
export async function assertRules(within: Queries, resource: Ruled, values: Row, id?: number): Promise<void> {
  if (id === undefined && isPlain(resource)) return
  await lockParents(within, resource, values)
  const problems = [
    await limitProblem(within, resource, values, id),
    await foreignReferences(within, resource, values, id),
    await moveProblem(within, resource, values, id),
  ]
  if (hasLooseReference(resource) || problems.some(errors => errors.length > 0))
    throwIfAny(await violations(within, resource, values, id))
}

async function lockParents(within: Queries, resource: Ruled, values: Row): Promise<void> {
  const { limit, fields } = resource
  const lock = async (table: string, id: Value | undefined, strength: string): Promise<void> => {
    if ((id ?? null) !== null)
      await within.run(sql`SELECT 1 FROM ${raw(tableOf(table))} WHERE id = ${id ?? null} FOR ${raw(strength)}`)
  }
  if (limit) await lock(limit.parent, values[limit.by], 'NO KEY UPDATE')
  if (!resource.within?.isRule && !hasLooseReference(resource)) return
  for (const [name, field] of Object.entries(fields)) {
    const target = targetOf(field, values)
    if (target !== undefined) await lock(target, values[name], 'SHARE')
  }
}

/** The resource that this field points to; undefined if it points to none. */
function targetOf({ references }: Field, values: Row): string | undefined {
  if (!references || references.onDelete === 'keep') return undefined
  return typeof references.to === 'string' ? references.to : references.to[String(values[references.to.by])]
}

const isThere = async (queries: Queries, table: string, condition: Sql): Promise<boolean> =>
  (await queries.value<number>(sql`SELECT 1 FROM ${raw(table)} ${where([condition])} LIMIT 1`)) === 1

async function danglingReferences(queries: Queries, { fields }: Ruled, values: Row): Promise<string[]> {
  const found: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    const [target, id] = [targetOf(field, values), values[name] ?? null]
    if (target !== undefined && id !== null && !(await isThere(queries, tableOf(target), sql`id = ${id}`)))
      found.push(name)
  }
  return found
}

async function takenKeys(queries: Queries, { name, unique }: Ruled, values: Row, id?: number): Promise<string[]> {
  const found: string[] = []
  for (const set of unique) {
    if (set.some(field => (values[field] ?? null) === null)) continue
    const same = set.map(field => sql`${raw(field)} = ${values[field] ?? null}`)
    const others = joined([...same, sql`id IS DISTINCT FROM ${id ?? null}`], ' AND ')
    if (await isThere(queries, tableOf(name), others)) found.push(set.at(-1) ?? name)
  }
  return found
}

async function limitProblem(queries: Queries, resource: Ruled, values: Row, id?: number): Promise<FieldErrors> {
  const { limit, name } = resource
  const parent = limit && values[limit.by]
  if (!limit || parent === undefined) return []
  const max = await queries.value<number>(
    sql`SELECT ${raw(limit.max)} FROM ${raw(tableOf(limit.parent))} WHERE id = ${parent}`,
  )
  if (max === undefined) return []
  const by = raw(limit.by)
  const table = raw(tableOf(name))
  const others = await queries.value<number>(
    sql`SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${by} = ${parent} AND id IS DISTINCT FROM ${id ?? null} LIMIT ${max}) o`,
  )
  if (others === undefined || others < max) return []
  const isOfParent =
    id !== undefined && (await queries.value(sql`SELECT ${by} FROM ${table} WHERE id = ${id}`)) === parent
  return isOfParent ? [] : [overLimit(limit.by, resourceNamed(limit.parent).label, max, resource.plural ?? name)]
}

const TYPES = { text: 'text', date: 'text', json: 'json', integer: 'bigint', decimal: 'bigint', boolean: 'boolean' }

/** The type of a field's column. */
export const typeOf = ({ kind }: Pick<Field, 'kind'>): string => TYPES[kind]

/** References of a record that do not agree with its first one, unless they are already stored so. */
async function foreignReferences(queries: Queries, resource: Ruled, values: Row, id?: number): Promise<FieldErrors> {
  const { within, name, fields } = resource
  if (!within?.isRule) return []
  const [first, ...others] = sidesOf({ ...resource, within })
  const names = [first, ...others].flatMap(side => (side ? fieldsOf(side) : []))
  if (!first || names.some(field => (values[field] ?? null) === null)) return []
  const same = names.map(field => sql`${raw(field)} = ${values[field] ?? null}`)
  if (id !== undefined && (await isThere(queries, tableOf(name), joined([sql`id = ${id}`, ...same], ' AND '))))
    return []
  const columns = names.map(field => {
    const declared = fields[field]
    return sql`${values[field] ?? null}::${raw(declared ? typeOf(declared) : 'text')} AS ${raw(field)}`
  })
  const owners = [first, ...others].map(side => withinSql(side, within.field, field => `v.${field}`)).join(', ')
  const [owner, ...found] =
    (await queries
      .value<(number | null)[]>(sql`SELECT json_build_array(${raw(owners)}) FROM (SELECT ${joined(columns, ', ')}) v`)
      .then(idsIn)) ?? []
  if ((owner ?? null) === null) return []
  return others
    .filter((_, index) => ![owner, null, undefined].includes(found[index]))
    .map(({ field }) => foreign(field, first.field, within.field))
}

function idsIn(text: unknown): (number | null)[] {
  const ids: unknown = typeof text === 'string' ? JSON.parse(text) : []
  return Array.isArray(ids) ? ids.map(id => (id === null ? null : Number(id))) : []
}

/** Finds whether the record would no longer agree with those that join it to others. */
async function moveProblem(queries: Queries, resource: Ruled, values: Row, id?: number): Promise<FieldErrors> {
  const joints = id === undefined ? [] : jointsAt(resource)
  const [within] = new Set(joints.map(joint => joint.within))
  const to = within === undefined ? undefined : values[within]
  if (id === undefined || within === undefined || to === undefined) return []
  const present = await queries.value(sql`SELECT ${raw(within)} FROM ${raw(tableOf(resource.name))} WHERE id = ${id}`)
  if (present === to) return []
  const isJoined = joints.map(joint => joinedSql(joint, 'v.id', 'v.moved')).join(' OR ')
  const found = await queries.value<boolean>(
    sql`SELECT ${raw(isJoined)} FROM (SELECT ${id}::bigint AS id, ${to}::bigint AS moved) v`,
  )
  return found ? [movingJoined(resource, joints)] : []
}
