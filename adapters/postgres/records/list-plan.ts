import { invalid } from '../../../core/errors.ts'
import type { PageQuery, Sort } from '../../../core/ports/records.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { dangling } from '../../../core/resources/values/field-errors.ts'
import { tableOf } from '../../sql/table.ts'
import { andAt, foundFirst, isSpread } from '../calls/spread.ts'
import type { Database } from '../database/database.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql, where } from '../database/sql.ts'
import { selectionSql } from './selection.ts'
import { isUnbounded, joinSql, viewSql } from './view.ts'

/** The place in an ordered list: the order column's value and the id. */
export type Place = readonly [key: string | number, id: number]

/** Some records of a list as one text. */
export interface PageRow {
  /** null if there is none. */
  readonly json: string | null
  readonly count: number
}

/** A record with its place, and how many records the same read found. */
export interface ViewRow {
  readonly json: string
  readonly key: string | number
  readonly id: number
  readonly total: number
}

/** What one list reads. */
export interface Plan extends Pick<Queries, 'spread'> {
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
    spread: isSpread(database, tableOf(resource.name)) ? database.spread : null,
    resource,
    view,
    sort,
    conditions: conditionsOf(database, resource, query),
    isUnbounded: isUnbounded(resource, view),
  }
  return { ...plan, from: after === undefined ? null : await placeOf(database, plan, after) }
}

export function conditionsOf(
  queries: Pick<Queries, 'spread'>,
  resource: Resource,
  { period, ...selection }: Omit<PageQuery, 'view'>,
): readonly Sql[] {
  const moment = raw(`t.${resource.order}`)
  return [
    ...selectionSql(queries, resource, selection),
    ...(period ? [sql`${moment} >= ${period.from}`, sql`${moment} < ${period.to}`] : []),
  ]
}

async function placeOf(queries: Queries, plan: Omit<Plan, 'from'>, id: number): Promise<Place> {
  const {
    resource,
    sort: { by },
  } = plan
  if (by === 'id') return [id, id]
  const found = await queries.row<{ key: string | number }>(
    sql`SELECT t.${raw(by)} AS key FROM ${raw(tableOf(resource.name))} t WHERE t.id = ${id}${andAt(plan, 't', id)}`,
  )
  if (!found) throw invalid([dangling('after')])
  return [found.key, id]
}

function orderSql({ sort: { by, isAscending } }: Plan): Sql {
  const way = isAscending ? 'ASC' : 'DESC'
  return raw(by === 'id' ? `t.id ${way}` : `t.${by} ${way}, t.id ${way}`)
}

const placeSql = ({ sort: { by } }: Plan, sign: string, [key, id]: Place): Sql =>
  by === 'id' ? sql`t.id ${raw(sign)} ${id}` : sql`(${raw(`t.${by}`)}, t.id) ${raw(sign)} (${key}, ${id})`

/** True for records after the place. */
const afterSql = (plan: Plan, place: Place): Sql => placeSql(plan, plan.sort.isAscending ? '>' : '<', place)

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

const pageSql = (plan: Plan, conditions: readonly Sql[], limit: number | null): Sql =>
  sql`(SELECT t.* FROM ${raw(tableOf(plan.resource.name))} t ${where([...plan.conditions, ...conditions])}
    ORDER BY ${orderSql(plan)} ${limit === null ? foundFirst(plan) : raw(`LIMIT ${limit}`)}) t`

/** The records of a list after a place: at most `limit`, fewer if they are large. */
export const recordsSql = (plan: Plan, from: Place | null, limit: number): Sql =>
  shownSql(plan, pageSql(plan, from ? [afterSql(plan, from)] : [], limit), orderSql(plan))

/** These columns of the first records after a place. */
export function columnsSql(plan: Plan, columns: readonly string[], from: Place | null, limit: number): Sql {
  const { resource, view } = plan
  return sql`SELECT ${raw(columns.join(', '))}
    FROM ${pageSql(plan, from ? [afterSql(plan, from)] : [], limit)} ${raw(joinSql(resource, view))} ORDER BY ${orderSql(plan)}`
}

/** The first records as one `PageRow`, with the id of the last one if more follow. */
export function firstSql(plan: Plan, limit: number): Sql {
  const { resource, view, from } = plan
  const order = orderSql(plan)
  return sql`SELECT string_agg(json, ',' ORDER BY n) AS json, count(json) AS count,
      max(id) FILTER (WHERE n = ${raw(String(limit))} AND total > n) AS next
    FROM (SELECT CASE WHEN n <= ${raw(String(limit))} THEN ${raw(viewSql(resource, view))} END AS json, n, total, t.id
      FROM (SELECT t.*, row_number() OVER (ORDER BY ${order}) AS n, count(*) OVER () AS total
        FROM ${pageSql(plan, from ? [afterSql(plan, from)] : [], limit + 1)}) t ${raw(joinSql(resource, view))}) s`
}

const wantedSql = (plan: Plan, ids: readonly number[]): Sql =>
  sql`unnest(${ids}::bigint[]) WITH ORDINALITY AS j(wanted, place) JOIN ${foundSql(plan, ids)}`

/**
 * The records of the ids. One by one on one server, which would rather read all of the calls than look a hundred ids up
 * in each of many months.
 */
const foundSql = (plan: Plan, ids: readonly number[]): Sql => {
  const table = raw(tableOf(plan.resource.name))
  if (!plan.spread) return sql`LATERAL (SELECT r.* FROM ${table} r WHERE r.id = j.wanted LIMIT 1) t ON true`
  return sql`(SELECT t.* FROM ${table} t WHERE t.id = ANY(${ids})${andAt(plan, 't', ids)}${foundFirst(plan)}) t
    ON t.id = j.wanted`
}

/** The records with these ids, in that order; fewer if they are large. Leaves out deleted records. */
export const byIdsSql = (plan: Plan, ids: readonly number[]): Sql =>
  shownSql(plan, wantedSql(plan, ids), raw('j.place'))

/** The same as one `PageRow`, however large they are. */
export const allByIdsSql = (plan: Plan, ids: readonly number[]): Sql =>
  togetherSql(plan, wantedSql(plan, ids), raw('j.place'))

/** The server joins the texts: reading one large value costs the program a quarter of reading many. */
const togetherSql = ({ resource, view }: Plan, page: Sql, order: Sql): Sql =>
  sql`SELECT string_agg(json, ',') AS json, count(*) AS count FROM (
      SELECT ${raw(viewSql(resource, view))} AS json FROM ${page} ${raw(joinSql(resource, view))} ORDER BY ${order}) s`

function shownSql(plan: Plan, page: Sql, order: Sql): Sql {
  const { resource, view, sort } = plan
  const columns = raw(`${viewSql(resource, view)} AS json, t.${sort.by} AS key, t.id`)
  return sql`SELECT json, key, id, total FROM (
      SELECT s.*, count(*) OVER () AS total, sum(length(json)) OVER (ORDER BY n) - length(json) AS before FROM (
        SELECT ${columns}, row_number() OVER (ORDER BY ${order}) AS n FROM ${page} ${raw(joinSql(resource, view))}) s) c
    WHERE before < ${raw(String(PIECE))} ORDER BY n`
}
