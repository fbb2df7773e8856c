import { tableOf } from '../../sql/table.ts'
import { PIECE, upTo } from '../database/key-set.ts'
import {
  afterSql,
  bindPlace,
  columnsSql,
  fromSql,
  orderSql,
  type Place,
  type Plan,
  placeAt,
  read,
  type Stretch,
  upToSql,
  type ViewRow,
  whereSql,
} from './list-plan.ts'
import { isLong, lengthSql } from './search/search-index.ts'

/** Records scanned at once if no index knows which of them are wanted: 2 ms. */
const SCAN = 2_000

interface Looking {
  readonly withJson: boolean
  /** Records read at once. */
  readonly page: number
  /** A further condition. */
  readonly holds?: { readonly sql: string; readonly bound: readonly string[] }
}

/** Scans the records in order, a bounded stretch at a time: a rare value keeps no statement busy for long. */
export async function* inStretches(plan: Plan, { withJson, page, holds }: Looking): AsyncIterable<Stretch> {
  let place = plan.from
  /** The last place of those that are looked through at present; null where that is the end, undefined before. */
  let end: Place | null | undefined
  let isLast = false
  const step = (): readonly ViewRow[] => {
    if (end === undefined) end = endOfStretch(plan, place, SCAN)
    const sql = `SELECT ${columnsSql(plan, withJson)} FROM ${fromSql(plan, withJson)}
      ${whereSql(...between(plan, place, end), holds?.sql ?? false)} ORDER BY ${orderSql(plan)} LIMIT ${page}`
    const bound = [...plan.bound, ...bindPlace(plan, place), ...bindPlace(plan, end), ...(holds?.bound ?? [])]
    const { rows, isCut } = read(plan, sql, bound)
    if (isCut || rows.length === page) place = placeAt(rows.at(-1))
    else {
      isLast = end === null
      place = end
      end = undefined
    }
    return rows
  }
  while (!isLast) {
    const rows = await plan.take(step)
    yield { rows, isLast }
  }
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
