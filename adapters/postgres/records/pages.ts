import type { Page, PageQuery } from '../../../core/ports/records.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import { indexed, type Resource } from '../../../core/resources/resource.ts'
import type { Database } from '../database/database.ts'
import type { LineTaker, LongReads } from '../database/long-reads.ts'
import type { Queries } from '../database/queries.ts'
import type { Sql } from '../database/sql.ts'
import { copiedOut } from '../database/streams.ts'
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
import { type ViewPiece, type ViewWriter, viewWriter } from './view-writer.ts'

/** How many records are read at once: some 250 KB of the response, or half a megabyte. Few, if each may be large. */
const PAGE = 500
const LARGE_PAGE = 1_000
const FEW_LARGE = 100
/** How many pages the server reads while an earlier one is sent. */
const AHEAD = 2
/** How many records the server sends at once: some half a megabyte, in 7 ms. */
const SPAN = 2_000
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
  for await (const page of pagesOf(database.until(signal), plan, {
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
    const [reads, plan, { needle }] = parameters
    if (needle === undefined && limit === undefined && hasIndex(plan, query))
      return plan.isUnbounded ? inOrder(reads, plan) : inSpans(reads, plan)
    if (needle === undefined && limit !== undefined && limit <= LARGE_PAGE && !plan.isUnbounded)
      return onePage(isFoundByIndex(plan, query) ? reads.long : reads.planned, plan, limit)
    return wholePages(...parameters)
  }
}

/** Does an index find each page where the one before ended? */
const hasIndex = ({ resource, sort }: Plan, { where = {} }: PageQuery): boolean =>
  indexed(resource).includes(sort.by) && Object.keys(where).every(name => name === TENANT)

/** Does a page look through no more records than it shows? */
const isFoundByIndex = (plan: Plan, query: PageQuery): boolean =>
  hasIndex(plan, query) && plan.conditions.length === Object.keys(query.where ?? {}).length

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

const readPage = async ({ long }: LongReads, statement: Sql): Promise<PageRow> =>
  (await long.row<PageRow>(statement)) ?? { json: null, count: 0 }

interface Span {
  /** Not yet sent. */
  readonly pieces: ViewPiece[]
  /** Where the next one begins; null after the last one. */
  readonly next: Place | null
}

/** All records: what the server sends of each span becomes JSON as it arrives. */
async function* inSpans({ copyOut }: LongReads, plan: Plan): AsyncIterable<Page> {
  const writer = viewWriter(plan.resource, plan.view)
  const placeIn = placeReader(plan, writer)
  const begin = (): LineTaker<Span> => {
    const view = writer.begin()
    let [count, next]: [number, Place | null] = [0, null]
    const add = (line: Buffer): void => {
      view.add(line)
      if (++count === SPAN) next = placeIn(line)
    }
    return { add, end: () => ({ pieces: view.end(), next }) }
  }
  const spans = async function* (): AsyncGenerator<Span> {
    let place = plan.from
    do {
      const span = await copyOut(columnsSql(plan, writer.columns, place, SPAN), begin)
      yield span
      place = span.next
    } while (place)
  }
  for await (const { pieces, next } of inAdvance(spans()))
    for (let piece = pieces.shift(); piece; piece = pieces.shift())
      yield { ...piece, isLast: next === null && pieces.length === 0, next: null }
}

/** Asks for one item ahead, which the generator makes meanwhile. */
async function* inAdvance<T>(source: AsyncGenerator<T>): AsyncIterable<T> {
  const ask = (): Promise<IteratorResult<T>> => {
    const next = source.next()
    // If the reader stops, nobody awaits it.
    next.catch(() => undefined)
    return next
  }
  let asked = ask()
  try {
    for (let next = await asked; !next.done; next = await asked) {
      asked = ask()
      yield next.value
    }
  } finally {
    source.return(undefined).catch(() => undefined)
  }
}

/** Returns what reads the place of a record in its line. */
function placeReader({ sort: { by } }: Plan, { columns }: ViewWriter): (line: Buffer) => Place {
  const [ofKey, ofId] = [columns.indexOf(`t.${by}`), columns.indexOf('t.id')]
  return line => {
    const cells = line.toString('utf8', 0, line.length - 1).split('\t')
    const id = Number(cells[ofId])
    return by === 'id' ? [id, id] : [copiedOut(cells[ofKey] ?? '') ?? '', id]
  }
}

/** All records, if each may be large: page by page, each read on demand. */
async function* inOrder({ planned }: LongReads, plan: Plan): AsyncIterable<Page> {
  for (let place = plan.from, isLast = false; !isLast; ) {
    const rows = await planned.rows<ViewRow>(recordsSql(plan, place, FEW_LARGE))
    isLast = (rows[0]?.total ?? 0) < FEW_LARGE && !isCut(rows)
    place = placeAt(rows.at(-1)) ?? place
    yield pageOf(rows, isLast)
  }
}

const placeAt = (row: PlaceRow | undefined): Place | null => (row ? [row.key, row.id] : null)

const isCut = (rows: readonly ViewRow[]): boolean => rows.length < (rows[0]?.total ?? 0)

async function* onePage(queries: Queries, plan: Plan, limit: number): AsyncIterable<Page> {
  const page = await queries.row<PageRow & { readonly next: number | null }>(firstSql(plan, limit))
  if (page) yield joinedPage(page, true, page.next)
}

/**
 * First reads the places of all records, or of the first `limit`; then what each page shows, without records deleted
 * meanwhile.
 */
async function* wholePages(
  reads: LongReads,
  plan: Plan,
  { limit, needle }: PageQuery & { readonly needle: Needle | null | undefined },
): AsyncIterable<Page> {
  const most = limit === undefined ? null : limit + 1
  const places = needle === null ? [] : await (needle ? found(reads, plan, needle, most) : all(reads, plan, most))
  const ids = places.slice(0, limit).map(({ id }) => id)
  const next = limit !== undefined && places.length > limit ? (ids.at(-1) ?? null) : null
  if (plan.isUnbounded) return yield* cutPages(reads, plan, ids, next)
  const size = limit === undefined ? PAGE : LARGE_PAGE
  const starts = Array.from({ length: Math.ceil(ids.length / size) }, (_, page) => page * size)
  yield* readAhead(
    starts.map(start => async () => {
      const page = await readPage(reads, allByIdsSql(plan, ids.slice(start, start + size)))
      return joinedPage(page, start + size >= ids.length, next)
    }),
  )
}

/** A page of large records may end early, where the next one begins. */
async function* cutPages(
  { long }: LongReads,
  plan: Plan,
  ids: readonly number[],
  next: number | null,
): AsyncIterable<Page> {
  for (let start = 0; start < ids.length; ) {
    const wanted = ids.slice(start, start + FEW_LARGE)
    const rows = await long.rows<ViewRow>(byIdsSql(plan, wanted))
    start += isCut(rows) ? 1 + wanted.indexOf(rows.at(-1)?.id ?? 0) : wanted.length
    yield pageOf(rows, start >= ids.length, next)
  }
}

const all = ({ planned }: LongReads, plan: Plan, most: number | null, ...more: readonly Sql[]): Promise<PlaceRow[]> =>
  planned.rows<PlaceRow>(placesSql(plan, { limit: most, isSorted: true }, ...more))

/**
 * The places of records that contain a text. If only some are wanted, the index finds all of them when they are few;
 * for a frequent text, looking through the records in order is faster.
 */
async function found(reads: LongReads, plan: Plan, needle: Needle, most: number | null): Promise<PlaceRow[]> {
  if (most !== null && needle.isIndexed) {
    const few = await reads.planned.rows<PlaceRow>(
      placesSql(plan, { limit: SORTED_AFTERWARDS + 1, isSorted: false }, needle.condition),
    )
    if (few.length <= SORTED_AFTERWARDS) return few.toSorted(byPlace(plan)).slice(0, most)
  }
  return all(reads, plan, most, needle.condition)
}

const byPlace =
  ({ sort: { isAscending } }: Plan) =>
  (a: PlaceRow, b: PlaceRow): number => {
    const descending = a.key === b.key ? b.id - a.id : a.key < b.key ? 1 : -1
    return isAscending ? -descending : descending
  }
