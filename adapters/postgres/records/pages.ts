import type { Page, PageQuery } from '../../../core/ports/records.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import { indexed, type Resource } from '../../../core/resources/resource.ts'
import type { Database } from '../database/database.ts'
import type { Sql } from '../database/sql.ts'
import { type CopiedOut, copiedOut } from '../database/streams.ts'
import {
  allByIdsSql,
  byIdsSql,
  columnsSql,
  firstSql,
  type PageRow,
  type Place,
  type Plan,
  placesSql,
  planOf,
  recordsSql,
  type ViewRow,
} from './list-plan.ts'
import { type Needle, needleOf } from './search.ts'
import { viewWriter } from './view-writer.ts'

/** How many records are read at once: some 250 KB of the response, or half a megabyte. Few, if each may be large. */
const PAGE = 500
const LARGE_PAGE = 1_000
const FEW_LARGE = 100
/** How many pages the server reads while an earlier one is sent. */
const AHEAD = 2
/** If no more records than this contain a text, its index finds them and they are sorted afterwards. */
const SORTED_AFTERWARDS = 4_000

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

  function pagesOf(...parameters: Parameters<typeof wholePages>): AsyncIterable<Page> {
    const [, plan, { needle }] = parameters
    if (needle === undefined && limit === undefined && hasIndex(plan, query))
      return plan.isUnbounded ? inOrder(database, plan) : inSpans(database, plan)
    if (needle === undefined && limit !== undefined && limit <= LARGE_PAGE && !plan.isUnbounded)
      return onePage(database, plan, limit)
    return wholePages(...parameters)
  }
}

/** Does an index find each page where the one before ended? */
const hasIndex = ({ resource, sort }: Plan, { where = {} }: PageQuery): boolean =>
  indexed(resource).includes(sort.by) && Object.keys(where).every(name => name === TENANT)

const pageOf = (rows: readonly ViewRow[], isLast: boolean, next: number | null = null): Page => ({
  json: rows.map(({ json }) => json).join(','),
  count: rows.length,
  isLast,
  next,
})

const joinedPage = ({ json, count }: PageRow, isLast: boolean, next: number | null = null): Page => ({
  ...{ json: json ?? '', count, isLast, next },
})

/** Reads what each page shows. */
type Read = () => Promise<Page>

async function* readAhead(reads: Iterable<Read>): AsyncIterable<Page> {
  const pending: Promise<Page>[] = []
  for (const read of reads) {
    const page = read()
    // If the reader stops, nobody awaits it.
    page.catch(() => undefined)
    pending.push(page)
    if (pending.length > AHEAD) yield* pending.splice(0, 1)
  }
  yield* pending
}

const readPage = async ({ long }: Database, statement: Sql): Promise<PageRow> =>
  (await long.row<PageRow>(statement)) ?? { json: null, count: 0 }

/** All records: the columns of each page become JSON here, while the server reads the next ones. */
async function* inSpans({ copyOut }: Database, plan: Plan): AsyncIterable<Page> {
  const writer = viewWriter(plan.resource, plan.view)
  const spans = async function* (): AsyncGenerator<CopiedOut> {
    for (let place = plan.from, isMore = true; isMore; ) {
      const span = await copyOut(columnsSql(plan, writer.columns, place, LARGE_PAGE))
      yield span
      isMore = span.count === LARGE_PAGE
      if (isMore) place = lastPlace(plan, span.lines)
    }
  }
  for await (const { lines, count } of inAdvance(spans()))
    yield { json: writer.json(lines), count, isLast: count < LARGE_PAGE, next: null }
}

/** Asks for some items ahead, which the generator makes one after the other. */
async function* inAdvance<T>(source: AsyncGenerator<T>): AsyncIterable<T> {
  const pending: Promise<IteratorResult<T>>[] = []
  const ask = (): void => {
    const next = source.next()
    // If the reader stops, nobody awaits it.
    next.catch(() => undefined)
    pending.push(next)
  }
  try {
    for (let count = 0; count <= AHEAD; count++) ask()
    for (let next = await pending.shift(); next && !next.done; next = await pending.shift()) {
      ask()
      yield next.value
    }
  } finally {
    source.return(undefined).catch(() => undefined)
  }
}

const NEWLINE = 0x0a

/** The key and the id follow the columns. */
function lastPlace({ sort }: Plan, lines: Buffer): Place {
  const line = lines.toString('utf8', lines.lastIndexOf(NEWLINE, -2) + 1, lines.length - 1)
  const [key = '', id] = line.split('\t').slice(-2)
  return [sort.by === 'id' ? Number(key) : (copiedOut(key) ?? ''), Number(id)]
}

/** All records, if each may be large: page by page, each read on demand. */
async function* inOrder(database: Database, plan: Plan): AsyncIterable<Page> {
  for (let place = plan.from, isLast = false; !isLast; ) {
    const rows = await database.long.rows<ViewRow>(recordsSql(plan, place, FEW_LARGE))
    isLast = (rows[0]?.total ?? 0) < FEW_LARGE && !isCut(rows)
    place = placeAt(rows.at(-1)) ?? place
    yield pageOf(rows, isLast)
  }
}

const placeAt = (row: PlaceRow | undefined): Place | null => (row ? [row.key, row.id] : null)

const isCut = (rows: readonly ViewRow[]): boolean => rows.length < (rows[0]?.total ?? 0)

async function* onePage({ long }: Database, plan: Plan, limit: number): AsyncIterable<Page> {
  const page = await long.row<PageRow & { readonly next: number | null }>(firstSql(plan, limit))
  if (page) yield joinedPage(page, true, page.next)
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
  if (plan.isUnbounded) return yield* cutPages(database, plan, ids, next)
  const size = limit === undefined ? PAGE : LARGE_PAGE
  const starts = Array.from({ length: Math.ceil(ids.length / size) }, (_, page) => page * size)
  yield* readAhead(
    starts.map(start => async () => {
      const page = await readPage(database, allByIdsSql(plan, ids.slice(start, start + size)))
      return joinedPage(page, start + size >= ids.length, next)
    }),
  )
}

/** A page of large records may end early, where the next one begins. */
async function* cutPages(
  database: Database,
  plan: Plan,
  ids: readonly number[],
  next: number | null,
): AsyncIterable<Page> {
  for (let start = 0; start < ids.length; ) {
    const wanted = ids.slice(start, start + FEW_LARGE)
    const rows = await database.long.rows<ViewRow>(byIdsSql(plan, wanted))
    start += isCut(rows) ? 1 + wanted.indexOf(rows.at(-1)?.id ?? 0) : wanted.length
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
      placesSql(plan, { limit: SORTED_AFTERWARDS + 1, isSorted: false }, needle.condition),
    )
    if (few.length <= SORTED_AFTERWARDS) return few.toSorted(byPlace(plan)).slice(0, most)
  }
  return all(database, plan, most, needle.condition)
}

const byPlace =
  ({ sort: { isAscending } }: Plan) =>
  (a: PlaceRow, b: PlaceRow): number => {
    const descending = a.key === b.key ? b.id - a.id : a.key < b.key ? 1 : -1
    return isAscending ? -descending : descending
  }
