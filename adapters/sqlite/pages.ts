import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalid } from '../../core/errors.ts'
import type { Page, PageQuery } from '../../core/ports/records.ts'
import { dangling } from '../../core/resources/field-errors.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { fold } from '../../core/search.ts'
import type { Connection } from './database.ts'
import { merged } from './merged.ts'
import { candidates, SEPARATOR, searchedText } from './search-index.ts'
import { selectionSql } from './selection.ts'
import { joinSql, viewSql } from './view.ts'

/** The place in an ordered list: the order column's value and the id. */
type Place = readonly [key: string | number, id: number]
type ViewRow = [json: string, key: string | number, id: number]

/** So many records are read at once: a fraction of a millisecond, and the response's next piece, some 45 KB. */
const PAGE = 100
/** So many records are looked through at once for a text that no index helps to find. */
const SCAN = 4_000
/** So many are checked and shown at once, and so many are kept: a megabyte or two. */
const SHOWN = 500
const FEW = 4_000

interface Plan {
  readonly resource: Resource
  /** What the records have to hold to, in SQL, and what that is bound to. */
  readonly conditions: readonly string[]
  readonly bound: readonly (string | number)[]
  readonly view: 'plain' | 'list'
}

const whereSql = (...parts: (string | false)[]): string => {
  const present = parts.filter(part => part !== false)
  return present.length > 0 ? `WHERE ${present.join(' AND ')}` : ''
}

const pageOf = (rows: readonly ViewRow[], more: boolean): Page => ({
  json: rows.map(row => row[0]).join(','),
  count: rows.length,
  next: more ? (rows.at(-1)?.[2] ?? null) : null,
})

/** See `Records.list`. Each page is a read of its own, so that no cursor pins the log and no list holds the loop. */
export async function* listPages(connection: Connection, resource: Resource, query: PageQuery): AsyncIterable<Page> {
  const plan: Plan = { resource, ...filter(resource, query), view: query.view }
  const after = query.after === undefined ? null : placeOf(connection, resource, query.after)
  // A list that ends its period at the place where it begins has one bound, which each page moves on.
  const until: Place | null = query.period ? [query.period.to, 0] : null
  const place = after && until ? (descending(after, until) < 0 ? until : after) : (after ?? until)
  const source = query.search
    ? found(connection, plan, fold(query.search), { from: place, limit: query.limit })
    : inOrder(connection, plan, place, query.limit)
  if (query.limit === undefined) yield* filled(source)
  else yield await gather(source, query.limit)
}

function filter(resource: Resource, { period, ...selection }: PageQuery): Pick<Plan, 'conditions' | 'bound'> {
  const { conditions, bound } = selectionSql(resource, selection)
  return period
    ? { conditions: [...conditions, `t.${resource.order} >= ?`], bound: [...bound, period.from] }
    : { conditions, bound }
}

/** The pages that hold records; one without any where there are none. Who looks through many has pages without a find. */
async function* filled(pages: AsyncIterable<Page>): AsyncIterable<Page> {
  let isEmpty = true
  for await (const page of pages) {
    if (page.count === 0) continue
    isEmpty = false
    yield page
  }
  if (isEmpty) yield pageOf([], false)
}

/** One page of at most `limit` records from a source of rows. */
async function gather(source: AsyncIterable<Page & { rows: ViewRow[] }>, limit: number): Promise<Page> {
  const rows: ViewRow[] = []
  for await (const page of source) {
    rows.push(...page.rows)
    if (rows.length > limit) return pageOf(rows.slice(0, limit), true)
  }
  return pageOf(rows, false)
}

function placeOf({ rows }: Connection, { name, order }: Resource, id: number): Place {
  if (order === 'id') return [id, id]
  const found = rows<[number], [string | number, number]>(`SELECT ${order}, id FROM ${name} WHERE id = ?`).get(id)
  if (!found) throw invalid([dangling('after')])
  return found
}

const selectSql = ({ resource, view }: Plan): string =>
  `SELECT ${viewSql(resource, view)}, t.${resource.order}, t.id FROM ${resource.name} t ${joinSql(resource, view)}`

const orderSql = ({ order }: Resource): string => (order === 'id' ? 't.id DESC' : `t.${order} DESC, t.id DESC`)

const afterSql = ({ order }: Resource, sign: '<' | '>='): string =>
  order === 'id' ? `t.id ${sign} ?` : `(t.${order}, t.id) ${sign} (?, ?)`

const bindPlace = ({ order }: Resource, place: Place | null): (string | number)[] =>
  place === null ? [] : order === 'id' ? [place[1]] : [...place]

type RowPages = AsyncIterable<Page & { rows: ViewRow[] }>

/** Every record, by key-set pages; where no index has their order, each page would sort all of them. */
async function* inOrder(connection: Connection, plan: Plan, from: Place | null, limit?: number): RowPages {
  const size = limit === undefined ? PAGE : limit + 1
  const pageSql = (isPast: boolean): string =>
    `${selectSql(plan)} ${whereSql(...plan.conditions, isPast && afterSql(plan.resource, '<'))}
     ORDER BY ${orderSql(plan.resource)} LIMIT ?`
  if (limit === undefined && sorts(connection, pageSql(false), [...plan.bound, size]))
    return yield* inPages(connection, plan, await sorted(connection, plan, from), false)
  const reading = (isPast: boolean) => connection.rows<(string | number)[], ViewRow>(pageSql(isPast))
  let place = from
  let statement = reading(place !== null)
  for (;;) {
    const rows = statement.all(...plan.bound, ...bindPlace(plan.resource, place), size)
    const last = rows.at(-1)
    const more = rows.length === size
    yield { ...pageOf(rows, more), rows }
    if (!more || !last) return
    if (place === null) statement = reading(true)
    place = [last[1], last[2]]
    await nextTurn()
  }
}

const sorts = ({ query }: Connection, sql: string, bound: (string | number)[]): boolean =>
  query<(string | number)[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...bound)
    .some(({ detail }) => detail.includes('TEMP B-TREE FOR ORDER BY'))

/** The places of all records, in order. */
async function sorted(connection: Connection, plan: Plan, from: Place | null): Promise<readonly ViewRow[]> {
  const { resource, conditions, bound } = plan
  const statement = connection.rows<(string | number)[], ViewRow>(
    `SELECT '', t.${resource.order}, t.id FROM ${resource.name} t
     ${whereSql(...conditions, 't.id > ?', from !== null && afterSql(resource, '<'))} ORDER BY t.id LIMIT ${SCAN}`,
  )
  const stretches: ViewRow[][] = []
  for (let last = 0; ; await nextTurn()) {
    const rows = statement.all(...bound, last, ...bindPlace(resource, from))
    last = rows.at(-1)?.[2] ?? last
    stretches.push(rows.sort(byPlace))
    if (rows.length < SCAN) return merged(stretches, byPlace)
  }
}

/** The records that hold the needle: by the index where it narrows the search, else by looking through them. */
async function* found(connection: Connection, plan: Plan, needle: string, query: Asked): RowPages {
  const ids = needle.includes(SEPARATOR) ? [] : candidates(connection, plan.resource, needle)
  if (ids === null) yield* scanned(connection, plan, needle, query.from)
  else yield* picked(connection, plan, { ...query, needle, ids })
}

interface Asked {
  readonly from: Place | null
  readonly limit: number | undefined
}

interface Candidates extends Asked {
  readonly needle: string
  readonly ids: readonly number[]
}

/**
 * The candidates that really match, put in order, page by page. Finding a record costs as much as showing it, so few
 * that are all asked for are shown as they are checked; of many, or when only some are asked for, the ids are kept.
 */
async function* picked(connection: Connection, plan: Plan, given: Candidates): RowPages {
  const areShown = given.limit === undefined && given.ids.length <= FEW
  yield* inPages(connection, plan, await matching(connection, plan, given, areShown), areShown)
}

/** These records, which are read now unless they are `shown` already; those that are gone are passed over. */
async function* inPages(connection: Connection, plan: Plan, records: readonly ViewRow[], areShown: boolean): RowPages {
  const { resource, view } = plan
  const sql = `SELECT ${viewSql(resource, view)}, t.${resource.order}, t.id
    FROM json_each(?) j CROSS JOIN ${resource.name} t ON t.id = j.value ${joinSql(resource, view)} ORDER BY j.key`
  for (let start = 0; start === 0 || start < records.length; start += PAGE) {
    const page = records.slice(start, start + PAGE)
    const ids = JSON.stringify(page.map(([, , id]) => id))
    const rows = areShown ? page : connection.rows<[string], ViewRow>(sql).all(ids)
    yield { ...pageOf(rows, start + PAGE < records.length), rows }
    await nextTurn()
  }
}

/** The candidates that hold the needle, in the resource's order, with their JSON when they are to be shown. */
async function matching(
  connection: Connection,
  plan: Plan,
  { needle, ids, from }: Candidates,
  areShown: boolean,
): Promise<ViewRow[]> {
  const { resource, view } = plan
  const text = searchedText(resource)
  // Most candidates match, and most of those as they stand: what SQLite finds itself needs no call out of it.
  const holds = `(instr(lower(${text}), ?) OR holds(${text}, ?))`
  const sql = `SELECT ${areShown ? viewSql(resource, view) : "''"}, t.${resource.order}, t.id
    FROM json_each(?) j CROSS JOIN ${resource.name} t ON t.id = j.value ${areShown ? joinSql(resource, view) : ''}
    ${whereSql(holds, ...plan.conditions, from !== null && afterSql(resource, '<'))}`
  const bound = [needle, needle, ...plan.bound, ...bindPlace(resource, from)]
  const size = areShown ? SHOWN : SCAN
  const matches: ViewRow[] = []
  for (let start = 0; start < ids.length; start += size) {
    if (start > 0) await nextTurn()
    const stretch = JSON.stringify(ids.slice(start, start + size))
    for (const row of connection.rows<(string | number)[], ViewRow>(sql).all(stretch, ...bound)) matches.push(row)
  }
  return matches.sort(byPlace)
}

const descending = ([keyA, idA]: Place, [keyB, idB]: Place): number =>
  keyA === keyB ? idB - idA : keyA < keyB ? 1 : -1

// Named one by one, since a rest of a row is an array of its own each time, and takes twice as long.
const byPlace = ([, keyA, idA]: ViewRow, [, keyB, idB]: ViewRow): number => descending([keyA, idA], [keyB, idB])

/** Looks through the records in order, a bounded stretch at a time. */
async function* scanned(connection: Connection, plan: Plan, needle: string, from: Place | null): RowPages {
  const { resource } = plan
  let place = from
  for (;;) {
    const past = place !== null && afterSql(resource, '<')
    const bound = [...plan.bound, ...bindPlace(resource, place)]
    const end = connection
      .rows<(string | number)[], Place>(
        `SELECT t.${resource.order}, t.id FROM ${resource.name} t ${whereSql(...plan.conditions, past)}
         ORDER BY ${orderSql(resource)} LIMIT 1 OFFSET ${SCAN - 1}`,
      )
      .get(...bound)
    const sql = `${selectSql(plan)} ${whereSql(
      ...plan.conditions,
      past,
      end !== undefined && afterSql(resource, '>='),
      `holds(${searchedText(resource)}, ?)`,
    )} ORDER BY ${orderSql(resource)}`
    const rows = connection
      .rows<(string | number)[], ViewRow>(sql)
      .all(...bound, ...bindPlace(resource, end ?? null), needle)
    yield { ...pageOf(rows, end !== undefined), rows }
    if (!end) return
    place = end
    await nextTurn()
  }
}
