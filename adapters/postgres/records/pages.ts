import type { Page, PageQuery } from '../../../core/ports/records.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import type { Database } from '../database/database.ts'
import type { Sql } from '../database/sql.ts'
import { byIdsSql, type Place, type Plan, placesSql, planOf, recordsSql, type ViewRow } from './list-plan.ts'
import { type Needle, needleOf } from './search.ts'

/** How many records are read at once: some 45 KB of the response or, with large pages, half a megabyte. */
const PAGE = 100
const LARGE_PAGE = 1_000
/** If no more records than this contain a text, its index finds them and they are sorted afterwards. */
const FEW = 4_000

interface PlaceRow {
  readonly id: number
  readonly key: string | number
}

/** See `Records.list`. */
export async function* listPages(database: Database, resource: Resource, query: PageQuery): AsyncIterable<Page> {
  const { limit, search, signal } = query
  signal?.throwIfAborted()
  const plan = await planOf(database, resource, query)
  let isEmpty = true
  for await (const page of pagesOf(database, plan, {
    ...query,
    needle: search ? needleOf(resource, search) : undefined,
  })) {
    if (page.count === 0) continue
    isEmpty = false
    yield page
    signal?.throwIfAborted()
  }
  if (isEmpty) yield { json: '', count: 0, isLast: true, next: null }

  function pagesOf(...given: Parameters<typeof wholePages>): AsyncIterable<Page> {
    const [, plan, { needle }] = given
    if (needle === undefined && limit === undefined && hasIndex(plan, query)) return inOrder(database, plan)
    if (needle === undefined && limit !== undefined && limit <= LARGE_PAGE && !plan.isUnbounded)
      return onePage(database, plan, limit)
    return wholePages(...given)
  }
}

/** Does an index find each page where the one before ended? */
const hasIndex = ({ resource, sort }: Plan, { where = {} }: PageQuery): boolean =>
  ['id', resource.order].includes(sort.by) && Object.keys(where).every(name => name === TENANT)

const pageOf = (rows: readonly ViewRow[], isLast: boolean, next: number | null = null): Page => ({
  json: rows.map(({ json }) => json).join(','),
  count: rows.length,
  isLast,
  next,
})

/** All records, page by page, each read on demand. */
async function* inOrder(database: Database, plan: Plan): AsyncIterable<Page> {
  for (let place = plan.from, isLast = false; !isLast; ) {
    const rows = await database.rows<ViewRow>(recordsSql(plan, place, PAGE))
    isLast = (plan.isUnbounded ? (rows[0]?.total ?? 0) : rows.length) < PAGE && !isCut(plan, rows)
    place = placeAt(rows.at(-1)) ?? place
    yield pageOf(rows, isLast)
  }
}

const placeAt = (row: ViewRow | undefined): Place | null => (row ? [row.key, row.id] : null)

const isCut = (plan: Plan, rows: readonly ViewRow[]): boolean => plan.isUnbounded && rows.length < (rows[0]?.total ?? 0)

async function* onePage(database: Database, plan: Plan, limit: number): AsyncIterable<Page> {
  const rows = await database.rows<ViewRow>(recordsSql(plan, plan.from, limit + 1))
  const shown = rows.slice(0, limit)
  yield pageOf(shown, true, rows.length > limit ? (shown.at(-1)?.id ?? null) : null)
}

/**
 * First reads the places of all records, or of the first `limit`; then what each page shows, without records deleted
 * meanwhile.
 */
async function* wholePages(
  database: Database,
  plan: Plan,
  { limit, needle }: PageQuery & { readonly needle: Needle | null | undefined },
): AsyncIterable<Page> {
  const most = limit === undefined ? null : limit + 1
  const places = needle === null ? [] : await (needle ? found(database, plan, needle, most) : all(database, plan, most))
  const ids = places.slice(0, limit).map(({ id }) => id)
  const next = limit !== undefined && places.length > limit ? (ids.at(-1) ?? null) : null
  const size = plan.isUnbounded || limit === undefined ? PAGE : LARGE_PAGE
  for (let start = 0; start < ids.length; ) {
    const wanted = ids.slice(start, start + size)
    const rows = await database.rows<ViewRow>(byIdsSql(plan, wanted))
    start += isCut(plan, rows) ? 1 + wanted.indexOf(rows.at(-1)?.id ?? 0) : wanted.length
    yield pageOf(rows, start >= ids.length, next)
  }
}

const all = ({ planned }: Database, plan: Plan, most: number | null, ...more: readonly Sql[]): Promise<PlaceRow[]> =>
  planned.rows<PlaceRow>(placesSql(plan, { limit: most, isSorted: true }, ...more))

/**
 * The places of records that contain a text. If only some are wanted, the index finds all of them when they are few;
 * for a frequent text, looking through the records in order is faster.
 */
async function found(database: Database, plan: Plan, needle: Needle, most: number | null): Promise<PlaceRow[]> {
  if (most !== null && needle.isIndexed) {
    const few = await database.planned.rows<PlaceRow>(
      placesSql(plan, { limit: FEW + 1, isSorted: false }, needle.condition),
    )
    if (few.length <= FEW) return few.toSorted(byPlace(plan)).slice(0, most)
  }
  return all(database, plan, most, needle.condition)
}

const byPlace =
  ({ sort: { isAscending } }: Plan) =>
  (a: PlaceRow, b: PlaceRow): number => {
    const descending = a.key === b.key ? b.id - a.id : a.key < b.key ? 1 : -1
    return isAscending ? -descending : descending
  }
