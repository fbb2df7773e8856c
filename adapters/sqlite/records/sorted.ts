import {
  afterSql,
  bindPlace,
  byPlace,
  columnsSql,
  fromSql,
  orderSql,
  type Plan,
  type ViewRow,
  whereSql,
} from './list-plan.ts'
import { merged } from './merged.ts'

/** Places read at once: a few milliseconds. */
const STRETCH = 2_000

/**
 * True if all matches must be sorted: an index finds them in another order, or none has the list's order. If SQLite would
 * rather sort what a scan finds, the index of the order is walked all the same.
 */
export function sorts(plan: Plan): boolean {
  const { conditions, bound, walked } = plan
  const steps = explained(plan, conditions, bound)
  if (!isSorted(steps) || steps.some(step => step.startsWith('SEARCH t '))) return isSorted(steps)
  return isSorted(
    explained(
      plan,
      walked.map(({ sql }) => sql),
      walked.flatMap(each => each.bound),
    ),
  )
}

const isSorted = (steps: readonly string[]): boolean => steps.some(step => step.includes('TEMP B-TREE FOR ORDER BY'))

function explained(plan: Plan, conditions: readonly string[], bound: Plan['bound']): readonly string[] {
  const sql = `SELECT t.id FROM ${fromSql(plan, false)}
    ${whereSql(...conditions, plan.from !== null && afterSql(plan))} ORDER BY ${orderSql(plan)} LIMIT 1`
  return plan.connection
    .query<(string | number)[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...bound, ...bindPlace(plan, plan.from))
    .map(({ detail }) => detail)
}

/** Yields the places of all records, or at least of the first `limit`, sorted a stretch at a time. */
export async function sorted(plan: Plan, count = Number.POSITIVE_INFINITY): Promise<readonly ViewRow[]> {
  const compare = byPlace(plan)
  const statement = plan.connection.rows<(string | number)[], ViewRow>(
    `SELECT ${columnsSql(plan, false)} FROM ${fromSql(plan, false)}
     ${whereSql(...plan.conditions, 't.id > ?', plan.from !== null && afterSql(plan))}
     ORDER BY t.id LIMIT ${STRETCH}`,
  )
  const stretches: ViewRow[][] = []
  let last = 0
  const step = (): boolean => {
    const rows = statement.all(...plan.bound, last, ...bindPlace(plan, plan.from))
    last = rows.at(-1)?.[2] ?? last
    stretches.push(rows.sort(compare).slice(0, count))
    return rows.length === STRETCH
  }
  while (await plan.take(step));
  return merged(stretches, compare, plan.take)
}
