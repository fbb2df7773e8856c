import type { Selection } from '../../../core/ports/records.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import type { Connection } from '../database/database.ts'
import { tableOf } from '../database/table.ts'
import { planOf, whereSql } from './list-plan.ts'

/** Records examined in one step: some milliseconds. */
const STRETCH = 20_000

/**
 * Counts the records of a selection, up to `most`. Examines records by id, a stretch at a time, since a rare value
 * without an index would keep one statement busy for the whole table.
 */
export async function countUpTo(
  connection: Connection,
  resource: Resource,
  { signal, ...selection }: Selection & { readonly signal: AbortSignal | undefined },
  most: number,
): Promise<number> {
  const { conditions, bound, take } = planOf(connection, resource, {
    ...selection,
    view: 'plain',
    sort: { by: 'id', isAscending: true },
    ...(signal ? { signal } : {}),
  })
  const fits = conditions.length > 0 ? conditions.join(' AND ') : '1'
  const stretch = connection.rows<(string | number)[], [count: number | null, last: number | null, seen: number]>(
    `SELECT sum(fits), max(id), count(*) FROM
     (SELECT t.id, (${fits}) AS fits FROM ${tableOf(resource.name)} t ${whereSql('t.id > ?')} ORDER BY t.id LIMIT ${STRETCH})`,
  )
  let [count, last] = [0, 0]
  const step = (): boolean => {
    const [found, end, seen] = stretch.get(...bound, last) ?? [null, null, 0]
    count += found ?? 0
    last = end ?? last
    return seen === STRETCH && count < most
  }
  while (await take(step));
  return Math.min(count, most)
}
