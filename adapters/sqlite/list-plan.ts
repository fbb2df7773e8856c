import { invalid } from '../../core/errors.ts'
import type { PageQuery } from '../../core/ports/records.ts'
import { dangling } from '../../core/resources/field-errors.ts'
import type { Resource } from '../../core/resources/resource.ts'
import type { Connection } from './database.ts'
import { PIECE, type Some, upTo } from './key-set.ts'
import { selectionSql } from './selection.ts'
import type { Turn } from './turns.ts'
import { isUnbounded, joinSql, viewSql } from './view.ts'

/** The place in an ordered list: the order column's value and the id. */
export type Place = readonly [key: string | number, id: number]
/** A record and its place; its JSON is empty until it is read. */
export type ViewRow = readonly [json: string, key: string | number, id: number]

/** Records of a list, in order; several such make it whole. */
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
  /** What the records have to hold to, in SQL, and what that is bound to. */
  readonly conditions: readonly string[]
  readonly bound: readonly Bound[]
  /** Where the list begins; null at its beginning. */
  readonly from: Place | null
  /** May one record be larger than a whole page of usual ones? */
  readonly isUnbounded: boolean
  readonly take: Turn
}

/** Throws `invalid` on `after`; see `Records.list`. */
export function planOf(connection: Connection, resource: Resource, query: PageQuery): Plan {
  const { period, after, view, signal, ...selection } = query
  const { conditions, bound } = selectionSql(resource, selection)
  return {
    connection,
    resource,
    view,
    conditions: period ? [...conditions, `t.${resource.order} >= ?`] : conditions,
    bound: period ? [...bound, period.from] : bound,
    from: beginning(after === undefined ? null : placeOf(connection, resource, after), period),
    isUnbounded: isUnbounded(resource, view),
    take: connection.turns.begin(signal),
  }
}

/** A list that ends its period at the place where it begins has one bound, which each page moves on. */
function beginning(after: Place | null, period: PageQuery['period']): Place | null {
  const until: Place | null = period ? [period.to, 0] : null
  return after && until ? (descending(after, until) < 0 ? until : after) : (after ?? until)
}

function placeOf({ rows }: Connection, { name, order }: Resource, id: number): Place {
  if (order === 'id') return [id, id]
  const found = rows<[number], [string | number, number]>(`SELECT ${order}, id FROM ${name} WHERE id = ?`).get(id)
  if (!found) throw invalid([dangling('after')])
  return found
}

export const descending = ([keyA, idA]: Place, [keyB, idB]: Place): number =>
  keyA === keyB ? idB - idA : keyA < keyB ? 1 : -1

// Named one by one, since a rest of a row is an array of its own each time, and takes twice as long.
export const byPlace = ([, keyA, idA]: ViewRow, [, keyB, idB]: ViewRow): number => descending([keyA, idA], [keyB, idB])

export const placeAt = (row: ViewRow | undefined): Place | null => (row ? [row[1], row[2]] : null)

export const whereSql = (...parts: (string | false)[]): string => {
  const present = parts.filter(part => part !== false)
  return present.length > 0 ? `WHERE ${present.join(' AND ')}` : ''
}

/** What a row is made of, with its JSON or without. */
export const columnsSql = ({ resource, view }: Plan, withJson: boolean): string =>
  `${withJson ? viewSql(resource, view) : "''"}, t.${resource.order}, t.id`

/** The record `t`, and what its JSON needs. */
export const fromSql = ({ resource, view }: Plan, withJson: boolean): string =>
  `${resource.name} t ${withJson ? joinSql(resource, view) : ''}`

export const orderSql = ({ resource: { order } }: Plan): string =>
  order === 'id' ? 't.id DESC' : `t.${order} DESC, t.id DESC`

export const afterSql = ({ resource: { order } }: Plan, sign: '<' | '>='): string =>
  order === 'id' ? `t.id ${sign} ?` : `(t.${order}, t.id) ${sign} (?, ?)`

export const bindPlace = ({ resource: { order } }: Plan, place: Place | null): Bound[] =>
  place === null ? [] : order === 'id' ? [place[1]] : [...place]

/** The rows that the SQL selects, or the first of them where they are large. */
export function read({ connection, isUnbounded }: Plan, sql: string, bound: readonly Bound[]): Some<ViewRow> {
  const statement = connection.rows<Bound[], ViewRow>(sql)
  return isUnbounded
    ? upTo(PIECE, statement.iterate(...bound), ([json]) => json.length)
    : { rows: statement.all(...bound), isCut: false }
}
