import {
  afterSql,
  beforeSql,
  bindPlace,
  byPlace,
  columnsSql,
  fromSql,
  orderSql,
  type Place,
  type Plan,
  placeAt,
  unindexed,
  type ViewRow,
  whereSql,
} from './list-plan.ts'
import { merged } from './merged.ts'
import { between, endOfStretch, walkedSql, walkOf } from './walk.ts'

/** Records examined at once, and those that must hold what SQLite cannot check by itself: 2 ms each. */
const STRETCH = 10_000
const CHECKED = 2_000

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

/** A condition on records that no index meets. */
export interface Held {
  readonly sql: string
  readonly bound: readonly string[]
}

/**
 * Returns the places of the first `count` records in the list's order. It examines all of them, a stretch at a time in
 * whatever order is fastest, and keeps no more than the first so far.
 */
export async function sorted(plan: Plan, count = Number.POSITIVE_INFINITY, holds?: Held): Promise<readonly ViewRow[]> {
  const walk = walkOf(plan)
  const compare = byPlace(plan)
  const stretches: ViewRow[][] = []
  let first: readonly ViewRow[] = []
  let place = walk.from
  const step = (): boolean => {
    const end = walk.isFew ? null : endOfStretch(walk, place, holds ? CHECKED : STRETCH)
    const rows = firstBetween(plan, walk, { place, end, holds, count, worst: placeAt(first[count - 1]) })
    if (count === Number.POSITIVE_INFINITY) stretches.push(rows.sort(compare))
    else if (rows.length > 0) first = [...first, ...rows].sort(compare).slice(0, count)
    place = end
    return end !== null
  }
  while (await plan.take(step));
  return count === Number.POSITIVE_INFINITY ? merged(stretches, compare, plan.take) : first
}

interface Between {
  /** Where the walk is, and where this stretch of it ends. */
  readonly place: Place | null
  readonly end: Place | null
  readonly holds: Held | undefined
  readonly count: number
  /** Only records that precede this place in the list are wanted. */
  readonly worst: Place | null
}

function firstBetween(plan: Plan, walk: Plan, { place, end, holds, count, worst }: Between): ViewRow[] {
  const conditions: readonly (string | false)[] = [
    ...between(walk, place, end),
    plan.from !== null && unindexed(afterSql(plan)),
    worst !== null && unindexed(beforeSql(plan)),
    holds?.sql ?? false,
  ]
  const first = count === Number.POSITIVE_INFINITY ? '' : `ORDER BY ${unindexed(orderSql(plan))} LIMIT ${count}`
  const sql = `SELECT ${columnsSql(plan, false)} FROM ${walkedSql(walk)} ${whereSql(...conditions)} ${first}`
  return plan.connection
    .rows<(string | number)[], ViewRow>(sql)
    .all(
      ...walk.bound,
      ...bindPlace(walk, place),
      ...bindPlace(walk, end),
      ...bindPlace(plan, plan.from),
      ...bindPlace(plan, worst),
      ...(holds?.bound ?? []),
    )
}
