import { invalid } from '../../../core/errors.ts'
import type { PageQuery, Selection, Sort } from '../../../core/ports/records.ts'
import type { Period } from '../../../core/rating/period.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { dangling } from '../../../core/resources/values/field-errors.ts'
import { tableOf } from '../../sql/table.ts'
import type { Connection } from '../database/database.ts'
import { PIECE, type Some, upTo } from '../database/key-set.ts'
import type { Turn } from '../database/turns.ts'
import { type Condition, selectionSql } from './selection.ts'
import { isUnbounded, joinSql, viewSql } from './view.ts'

/** A place in an ordered list: the order column's value and the id. */
export type Place = readonly [key: string | number, id: number]
/** A record and its place; its JSON is empty until it is read. */
export type ViewRow = readonly [json: string, key: string | number, id: number]

/** Consecutive records of a list. */
export interface Stretch {
  readonly rows: readonly ViewRow[]
  readonly isLast: boolean
}

type Bound = string | number

/** What one list reads, and how it takes its turn. */
export interface Plan {
  readonly connection: Connection
  readonly resource: Resource
  readonly view: 'plain' | 'list'
  readonly sort: Sort
  readonly selection: Selection
  /** SQL conditions of the records, with their bound values. */
  readonly conditions: readonly string[]
  readonly bound: readonly Bound[]
  /** True if an index has the wanted records together, in the list's order; otherwise records are skipped. */
  readonly isWalked: boolean
  /** The conditions that the index itself meets. */
  readonly walked: readonly Condition[]
  /** True if an index lists the records, and they are few. */
  readonly isFew: boolean
  /** Where the list begins; null at its beginning. */
  readonly from: Place | null
  /** True if one record may be larger than a whole page of usual ones. */
  readonly isUnbounded: boolean
  readonly take: Turn
}

/** Plans a list. Throws `invalid` on `after`; see `Records.list`. */
export function planOf(connection: Connection, resource: Resource, query: PageQuery): Plan {
  const { period, after, view, signal, sort = { by: resource.order, isAscending: false }, ...selection } = query
  const within = period ? boundsOf(resource, period, sort) : { bounds: [], edge: null }
  const chosen = selectionSql(connection, resource, selection)
  const bounds = within.bounds.map(([sign, moment]) => ({ sql: `t.${resource.order} ${sign} ?`, bound: [moment] }))
  const held: readonly Condition[] = [...chosen, ...bounds.map(each => ({ ...each, isOneValue: false }))]
  const one = chosen.find(condition => isWalked(connection, resource, sort, condition))
  const walked = held.filter(
    (condition, index) => condition === one || (index >= chosen.length && sort.by === resource.order),
  )
  return {
    connection,
    resource,
    view,
    sort,
    selection: { ...selection, ...(period ? { period } : {}) },
    conditions: held.map(({ sql }) => sql),
    bound: held.flatMap(condition => condition.bound),
    isWalked: walked.length === held.length,
    walked,
    isFew: held.some(({ isFew }) => isFew === true),
    from: beginning(after === undefined ? null : placeOf(connection, resource, sort, after), within.edge, sort),
    isUnbounded: isUnbounded(resource, view),
    take: connection.turns.begin(signal),
  }
}

const walks = new WeakMap<Connection, Map<string, boolean>>()

/** Returns whether an index has the records with this condition together, in that order. */
function isWalked(connection: Connection, resource: Resource, sort: Sort, { sql, isOneValue }: Condition): boolean {
  if (!isOneValue) return false
  const query = `SELECT t.id FROM ${tableOf(resource.name)} t WHERE ${sql} ORDER BY ${orderSql({ sort })} LIMIT 1`
  const answers = walks.get(connection) ?? new Map<string, boolean>()
  walks.set(connection, answers)
  const found = answers.get(query) ?? isSearch(connection, query)
  answers.set(query, found)
  return found
}

function isSearch({ query }: Connection, sql: string): boolean {
  const steps = query<[number], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(0)
  return steps.length === 1 && steps.every(({ detail }) => /^SEARCH t USING .*\(\w+=\?/.test(detail))
}

/** In the order of its dates, a list begins at one end of its period and each page moves that end: it is no extra bound. */
function boundsOf({ order }: Resource, { from, to }: Period, { by, isAscending }: Sort) {
  const bounds = [['>=', from] as const, ['<', to] as const]
  if (by !== order) return { bounds, edge: null }
  const edge: Place = [isAscending ? from : to, 0]
  return { bounds: bounds.filter(([sign]) => (sign === '<') === isAscending), edge }
}

/** Returns the later of the two. */
function beginning(after: Place | null, edge: Place | null, sort: Sort): Place | null {
  return after && edge ? (comparing(sort)(after, edge) < 0 ? edge : after) : (after ?? edge)
}

function placeOf({ rows }: Connection, { name }: Resource, { by }: Sort, id: number): Place {
  if (by === 'id') return [id, id]
  const found = rows<[number], [string | number, number]>(`SELECT ${by}, id FROM ${tableOf(name)} WHERE id = ?`).get(id)
  if (!found) throw invalid([dangling('after')])
  return found
}

const descending = ([keyA, idA]: Place, [keyB, idB]: Place): number =>
  keyA === keyB ? idB - idA : keyA < keyB ? 1 : -1

const comparing = ({ isAscending }: Sort): typeof descending => (isAscending ? (a, b) => descending(b, a) : descending)

export function byPlace({ sort }: Plan): (a: ViewRow, b: ViewRow) => number {
  const compare = comparing(sort)
  // Destructured one by one, since a rest element creates an array each time, and takes twice as long.
  return ([, keyA, idA], [, keyB, idB]) => compare([keyA, idA], [keyB, idB])
}

export const placeAt = (row: ViewRow | undefined): Place | null => (row ? [row[1], row[2]] : null)

export const whereSql = (...parts: (string | false)[]): string => {
  const present = parts.filter(part => part !== false)
  return present.length > 0 ? `WHERE ${present.join(' AND ')}` : ''
}

/** The columns of a row, with its JSON or without. */
export const columnsSql = ({ resource, view, sort }: Plan, withJson: boolean): string =>
  `${withJson ? viewSql(resource, view) : "''"}, t.${sort.by}, t.id`

/** The record `t`, and the joins for its JSON. */
export const fromSql = ({ resource, view }: Plan, withJson: boolean): string =>
  `${tableOf(resource.name)} t ${withJson ? joinSql(resource, view) : ''}`

export function orderSql({ sort: { by, isAscending } }: Pick<Plan, 'sort'>): string {
  const way = isAscending ? 'ASC' : 'DESC'
  return by === 'id' ? `t.id ${way}` : `t.${by} ${way}, t.id ${way}`
}

/** The SQL condition for what follows a place. */
export const afterSql = (plan: Plan): string => placeSql(plan, plan.sort.isAscending ? '>' : '<')

/** The SQL condition for what precedes a place. */
export const beforeSql = (plan: Plan): string => placeSql(plan, plan.sort.isAscending ? '<' : '>')

/** The SQL condition for what precedes a place or is at it. */
export const upToSql = (plan: Plan): string => placeSql(plan, plan.sort.isAscending ? '<=' : '>=')

const placeSql = ({ sort: { by } }: Plan, sign: string): string =>
  by === 'id' ? `t.id ${sign} ?` : `(t.${by}, t.id) ${sign} (?, ?)`

/** The same condition or order, for which SQLite uses no index. */
export const unindexed = (sql: string): string => sql.replaceAll('t.', '+t.')

export const bindPlace = ({ sort: { by } }: Plan, place: Place | null): Bound[] =>
  place === null ? [] : by === 'id' ? [place[1]] : [...place]

/** Returns the rows that the SQL selects, or the first of them if they are large. */
export function read({ connection, isUnbounded }: Plan, sql: string, bound: readonly Bound[]): Some<ViewRow> {
  const statement = connection.rows<Bound[], ViewRow>(sql)
  return isUnbounded
    ? upTo(PIECE, statement.iterate(...bound), ([json]) => json.length)
    : { rows: statement.all(...bound), isCut: false }
}
