import type { Page, PageQuery } from '../../../core/ports/records.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { fold } from '../../../core/search.ts'
import type { Connection } from '../database/database.ts'
import type { Some } from '../database/key-set.ts'
import {
  afterSql,
  bindPlace,
  columnsSql,
  fromSql,
  orderSql,
  type Plan,
  placeAt,
  planOf,
  read,
  type Stretch,
  type ViewRow,
  whereSql,
} from './list-plan.ts'
import { found } from './search/found.ts'
import { sorted, sorts } from './sorted.ts'
import { inStretches } from './stretches.ts'

/** Records read at once: a fraction of a millisecond, and the next piece of the response, some 45 KB. */
const PAGE = 100
/** The most records read at once for a list with a limit: 3 ms. */
const LARGE_PAGE = 1_000

/** See `Records.list`. Reads each page separately, so that no cursor pins the log and no list holds the loop. */
export async function* listPages(connection: Connection, resource: Resource, query: PageQuery): AsyncIterable<Page> {
  const plan = planOf(connection, resource, query)
  const { limit, search } = query
  const most = limit === undefined ? undefined : limit + 1
  const source = search ? found(plan, fold(search), most) : inOrder(plan, most)
  const pages = limit === undefined ? pagesOf(plan, source, PAGE, null) : limited(plan, source, limit)
  let isEmpty = true
  for await (const page of pages) {
    // A stretch of scanned records may hold no match.
    if (page.count === 0 && !(page.isLast && isEmpty)) continue
    isEmpty = false
    yield page
  }
}

/**
 * Yields at most `limit` records: first their places, which tell where the next list begins, then their JSON piece by
 * piece.
 */
async function* limited(plan: Plan, source: AsyncIterable<Stretch>, limit: number): AsyncIterable<Page> {
  let rows: readonly ViewRow[] = []
  for await (const stretch of source) {
    rows = rows.concat(stretch.rows)
    if (rows.length > limit) break
  }
  const next = rows.length > limit ? (rows[limit - 1]?.[2] ?? null) : null
  yield* pagesOf(plan, [{ rows: rows.slice(0, limit), isLast: true }], plan.isUnbounded ? PAGE : LARGE_PAGE, next)
}

/** Yields the records in pages; reads those of a page that are not read yet, and skips deleted ones. */
async function* pagesOf(
  plan: Plan,
  source: AsyncIterable<Stretch> | Iterable<Stretch>,
  size: number,
  next: number | null,
): AsyncIterable<Page> {
  for await (const { rows, isLast } of source) {
    let start = 0
    do {
      const wanted = rows.slice(start, start + size)
      const isRead = wanted.every(([json]) => json !== '')
      // What was read in this turn needs no other.
      const page =
        isRead && start === 0 ? wholly(wanted) : await plan.take(() => (isRead ? wholly(wanted) : byIds(plan, wanted)))
      const last = page.rows.at(-1)?.[2]
      start += page.isCut ? 1 + wanted.findIndex(([, , id]) => id === last) : wanted.length
      yield {
        json: page.rows.map(([json]) => json).join(','),
        count: page.rows.length,
        isLast: isLast && start >= rows.length,
        next,
      }
    } while (start < rows.length)
  }
}

const wholly = (rows: readonly ViewRow[]): Some<ViewRow> => ({ rows, isCut: false })

/** Returns the same records as they are now, with their JSON. */
function byIds(plan: Plan, records: readonly ViewRow[]): Some<ViewRow> {
  const sql = `SELECT ${columnsSql(plan, true)} FROM json_each(?) j CROSS JOIN ${fromSql(plan, true)}
    WHERE t.id = j.value ORDER BY j.rowid`
  return read(plan, sql, [JSON.stringify(records.map(([, , id]) => id))])
}

/** Yields every record, by key-set pages; without an index in their order, each page would sort all of them. */
async function* inOrder(plan: Plan, most: number | undefined): AsyncIterable<Stretch> {
  if (sorts(plan)) return yield { rows: await sorted(plan, most), isLast: true }
  const withJson = most === undefined || !plan.isUnbounded
  const size = most === undefined ? PAGE : Math.min(most, LARGE_PAGE + 1)
  if (!plan.isWalked) return yield* inStretches(plan, { withJson, page: size, most })
  const sqlOf = (isPast: boolean): string => `SELECT ${columnsSql(plan, withJson)} FROM ${fromSql(plan, withJson)}
    ${whereSql(...plan.conditions, isPast && afterSql(plan))} ORDER BY ${orderSql(plan)} LIMIT ${size}`
  for (let place = plan.from, isLast = false; !isLast; ) {
    const bound = [...plan.bound, ...bindPlace(plan, place)]
    const { rows, isCut } = await plan.take(() => read(plan, sqlOf(place !== null), bound))
    isLast = !isCut && rows.length < size
    place = placeAt(rows.at(-1))
    yield { rows, isLast }
  }
}
