import type { Selection } from '../../../core/ports/records.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import type { Connection } from '../database/database.ts'
import { bindPlace, type Place, type Plan, planOf, whereSql } from './list-plan.ts'
import { between, endOfStretch, walkedSql, walkOf } from './walk.ts'

/** Records examined in one step: some milliseconds. */
const STRETCH = 20_000

type Asked = Selection & { readonly signal: AbortSignal | undefined }

/**
 * Counts the records of a selection, up to `most`: by an index if it has them together. Otherwise it examines records
 * a stretch at a time, since a rare value without an index would keep one statement busy for the whole table.
 */
export async function countUpTo(
  connection: Connection,
  resource: Resource,
  { signal, ...selection }: Asked,
  most: number,
): Promise<number> {
  const plan = walkOf(planOf(connection, resource, { ...selection, view: 'plain', ...(signal ? { signal } : {}) }))
  const size = plan.isWalked ? most : STRETCH
  let [count, place, isLast] = [0, plan.from, false]
  const step = (): void => {
    const end = plan.isWalked || plan.isFew ? null : endOfStretch(plan, place, size)
    count += countBetween(plan, place, end, most)
    place = end
    isLast = end === null
  }
  while (!isLast && count < most) await plan.take(step)
  return Math.min(count, most)
}

function countBetween(plan: Plan, place: Place | null, end: Place | null, most: number): number {
  const sql = `SELECT count(*) FROM (SELECT 1 FROM ${walkedSql(plan)} ${whereSql(...between(plan, place, end))} LIMIT ?)`
  const bound = [...plan.bound, ...bindPlace(plan, place), ...bindPlace(plan, end), most]
  return plan.connection.value<(string | number)[], number>(sql).get(...bound) ?? 0
}
