import { invalid } from '../../../core/errors.ts'
import type { PageQuery, Sort } from '../../../core/ports/records.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { dangling } from '../../../core/resources/values/field-errors.ts'
import type { Database, Queries } from '../database/database.ts'
import { raw, type Sql, sql, where } from '../database/sql.ts'
import { tableOf } from '../database/table.ts'
import { selectionSql } from './selection.ts'
import { isUnbounded, joinSql, viewSql } from './view.ts'

/** The place in an ordered list: the order column's value and the id. */
export type Place = readonly [key: string | number, id: number]

/** A record with its place, and how many records the same read found. */
export interface ViewRow {
  readonly json: string
  readonly key: string | number
  readonly id: number
  readonly total: number
}

/** What one list reads. */
export interface Plan {
  readonly resource: Resource
  readonly view: 'plain' | 'list'
  readonly sort: Sort
  /** The conditions on the records `t`. */
  readonly conditions: readonly Sql[]
  /** The list continues after this place; null starts at the beginning. */
  readonly from: Place | null
  /** Can one record be larger than a whole page of usual ones? */
  readonly isUnbounded: boolean
}

/** Approximate number of characters of long records read at once. */
const PIECE = 256 * 1024

/** Throws `invalid` on `after`; see `Records.list`. */
export async function planOf(database: Database, resource: Resource, query: PageQuery): Promise<Plan> {
  const { view, after, sort = { by: resource.order, isAscending: false } } = query
  const plan = {
    resource,
    view,
    sort,
    conditions: conditionsOf(resource, query),
    isUnbounded: isUnbounded(resource, view),
  }
  return { ...plan, from: after === undefined ? null : await placeOf(database, resource, sort, after) }
}

export function conditionsOf(resource: Resource, { period, ...selection }: Omit<PageQuery, 'view'>): readonly Sql[] {
  const moment = raw(`t.${resource.order}`)
  return [
    ...selectionSql(resource, selection),
    ...(period ? [sql`${moment} >= ${period.from}`, sql`${moment} < ${period.to}`] : []),
  ]
}

async function placeOf(queries: Queries, { name }: Resource, { by }: Sort, id: number): Promise<Place> {
  if (by === 'id') return [id, id]
  const found = await queries.row<{ key: string | number }>(
    sql`SELECT ${raw(by)} AS key FROM ${raw(tableOf(name))} WHERE id = ${id}`,
  )
  if (!found) throw invalid([dangling('after')])
  return [found.key, id]
}

function orderSql({ sort: { by, isAscending } }: Plan): Sql {
  const way = isAscending ? 'ASC' : 'DESC'
  return raw(by === 'id' ? `t.id ${way}` : `t.${by} ${way}, t.id ${way}`)
}

/** True for records after the place. */
function afterSql({ sort: { by, isAscending } }: Plan, [key, id]: Place): Sql {
  const sign = raw(isAscending ? '>' : '<')
  return by === 'id' ? sql`t.id ${sign} ${id}` : sql`(${raw(`t.${by}`)}, t.id) ${sign} (${key}, ${id})`
}

interface Extent {
  /** null for all. */
  readonly limit: number | null
  readonly isSorted: boolean
}

/** The ids and keys of a list's records: the first `limit` in order, or any `limit` of them. */
export function placesSql(plan: Plan, { limit, isSorted }: Extent, ...more: readonly Sql[]): Sql {
  const conditions = where([...plan.conditions, ...more, ...(plan.from ? [afterSql(plan, plan.from)] : [])])
  const order = isSorted ? sql`ORDER BY ${orderSql(plan)}` : raw('')
  const most = limit === null ? raw('') : raw(`LIMIT ${limit}`)
  return sql`SELECT t.id, ${raw(`t.${plan.sort.by}`)} AS key FROM ${raw(tableOf(plan.resource.name))} t
    ${conditions} ${order} ${most}`
}

/** The records of a list after a place: at most `limit`, fewer if they are large. */
export function recordsSql(plan: Plan, from: Place | null, limit: number): Sql {
  const conditions = where([...plan.conditions, ...(from ? [afterSql(plan, from)] : [])])
  const page = sql`(SELECT t.* FROM ${raw(tableOf(plan.resource.name))} t ${conditions}
    ORDER BY ${orderSql(plan)} ${raw(`LIMIT ${limit}`)}) t`
  return shownSql(plan, page, orderSql(plan))
}

/** The records with these ids, in that order; fewer if they are large. Leaves out deleted records. */
export function byIdsSql(plan: Plan, ids: readonly number[]): Sql {
  const page = sql`unnest(${ids}::bigint[]) WITH ORDINALITY AS j(wanted, place)
    JOIN ${raw(tableOf(plan.resource.name))} t ON t.id = j.wanted`
  return shownSql(plan, page, raw('j.place'))
}

function shownSql(plan: Plan, page: Sql, order: Sql): Sql {
  const { resource, view, sort } = plan
  const columns = raw(`${viewSql(resource, view)} AS json, t.${sort.by} AS key, t.id`)
  const joins = raw(joinSql(resource, view))
  if (!plan.isUnbounded) return sql`SELECT ${columns} FROM ${page} ${joins} ORDER BY ${order}`
  return sql`SELECT json, key, id, total FROM (
      SELECT s.*, count(*) OVER () AS total, sum(length(json)) OVER (ORDER BY n) - length(json) AS before FROM (
        SELECT ${columns}, row_number() OVER (ORDER BY ${order}) AS n FROM ${page} ${joins}) s) c
    WHERE before < ${raw(String(PIECE))} ORDER BY n`
}
