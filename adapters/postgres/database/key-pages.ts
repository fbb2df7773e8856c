import type { Queries } from './queries.ts'
import { raw, type Sql, sql } from './sql.ts'

/**
 * Reads rows in key-set pages, none of them empty, so that rows may change or go on the way. `after` selects the rows
 * after a key, in its order; the first page is after 0.
 */
export async function* keyPages<R>(
  queries: Queries,
  size: number,
  keyOf: (row: R) => number,
  after: (key: number) => Sql,
): AsyncIterable<readonly R[]> {
  for (let last = 0, isMore = true; isMore; ) {
    const rows = await queries.rows<R>(sql`${after(last)} LIMIT ${raw(String(size))}`)
    if (rows.length > 0) yield rows
    const end = rows.at(-1)
    if (end) last = keyOf(end)
    isMore = rows.length === size
  }
}

export const idOf = ({ id }: { readonly id: number }): number => id
