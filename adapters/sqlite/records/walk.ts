import type { Sort } from '../../../core/ports/records.ts'
import { tableOf } from '../../sql/table.ts'
import { PIECE, upTo } from '../database/key-set.ts'
import { afterSql, bindPlace, orderSql, type Place, type Plan, planOf, upToSql, whereSql } from './list-plan.ts'
import { isLong, lengthSql } from './search/search-index.ts'

/**
 * Plans how to examine all records of a list, in whatever order is fastest: by id, unless an index or a period excludes
 * most of them.
 */
export function walkOf(plan: Plan): Plan {
  const { connection, resource, selection, take } = plan
  const inOrderOf = (by: string): Plan => {
    // In the list's direction, since later records mostly have later dates: the first come first.
    const sort: Sort = { by, isAscending: plan.sort.isAscending }
    return { ...planOf(connection, resource, { ...selection, view: 'plain', sort }), take }
  }
  const byId = inOrderOf('id')
  if (byId.walked.length > 0 || byId.isFew || resource.order === 'id') return byId
  const byOrder = inOrderOf(resource.order)
  return byOrder.walked.length > 0 || selection.period ? byOrder : byId
}

/** The record `t`, as such a walk reads it: where no index excludes records, one could only slow it down. */
export function walkedSql({ resource, sort, walked, isFew }: Plan): string {
  const isScan = sort.by === 'id' && walked.length === 0 && !isFew
  return `${tableOf(resource.name)} t ${isScan ? 'NOT INDEXED' : ''}`
}

/** The SQL condition for wanted records after a place and up to an end. */
export const between = (plan: Plan, place: Place | null, end: Place | null): (string | false)[] => [
  ...plan.conditions,
  place !== null && afterSql(plan),
  end !== null && upToSql(plan),
]

/**
 * Returns where the next stretch of that many records ends, among those that an index has together; null if it covers
 * the rest.
 */
export function endOfStretch(plan: Plan, place: Place | null, size: number): Place | null {
  const { connection, resource, sort, walked } = plan
  const past = place !== null && afterSql(plan)
  const sqlOf = (columns: string, limit: string): string => `SELECT t.${sort.by}, t.id${columns}
    FROM ${tableOf(resource.name)} t ${whereSql(...walked.map(({ sql }) => sql), past)}
    ORDER BY ${orderSql(plan)} LIMIT ${limit}`
  const boundValues = [...walked.flatMap(({ bound }) => bound), ...bindPlace(plan, place)]
  if (!isLong(resource))
    return connection.rows<(string | number)[], Place>(sqlOf('', `1 OFFSET ${size - 1}`)).get(...boundValues) ?? null
  const rows = connection
    .rows<(string | number)[], [...Place, number]>(sqlOf(`, ${lengthSql(resource)}`, String(size)))
    .iterate(...boundValues)
  const stretch = upTo(PIECE, rows, ([, , length]) => length, size)
  const last = stretch.rows.at(-1)
  return last && stretch.isCut ? [last[0], last[1]] : null
}
