import {
  bindPlace,
  columnsSql,
  fromSql,
  orderSql,
  type Place,
  type Plan,
  placeAt,
  read,
  type Stretch,
  type ViewRow,
  whereSql,
} from './list-plan.ts'
import { type Held, sorted } from './sorted.ts'
import { between, endOfStretch, walkOf } from './walk.ts'

/** Records scanned at once if no index knows which of them are wanted: 2 ms. */
const SCAN = 2_000
/** Stretches to scan in the order of the list. */
const PATIENCE = 10

interface Looking {
  readonly withJson: boolean
  /** Records read at once. */
  readonly page: number
  /** Records wanted; undefined for all. */
  readonly most: number | undefined
  /** A further condition. */
  readonly holds?: Held
}

/**
 * Scans the records in order, a bounded stretch at a time: a rare value keeps no statement busy for long. If the first
 * stretches hold too few, the value is rare, and the rest is examined in whatever order is fastest.
 */
export async function* inStretches(plan: Plan, { withJson, page, most, holds }: Looking): AsyncIterable<Stretch> {
  const isFastest = most === undefined || walkOf(plan).sort.by === plan.sort.by
  let wanted = most ?? 0
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
  for (let steps = 0; !isLast; steps++) {
    if (steps >= PATIENCE && !isFastest)
      return yield { rows: await sorted({ ...plan, from: place }, wanted, holds), isLast: true }
    const rows = await plan.take(step)
    wanted -= rows.length
    yield { rows, isLast }
  }
}
