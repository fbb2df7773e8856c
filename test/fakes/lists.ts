import { invalid } from '../../core/errors.ts'
import type { Page, PageQuery, Selection } from '../../core/ports/records.ts'
import { TENANT, tenantSide } from '../../core/resources/references/within.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { dangling } from '../../core/resources/values/field-errors.ts'
import { fold } from '../../core/search.ts'
import { ownerOf } from './owners.ts'
import type { Stored, Tables } from './tables.ts'
import { viewOf } from './views.ts'

const PAGE = 100

/** See `Records.list`. Leaves out records removed before their page is read. */
export async function* listPages(tables: Tables, resource: Resource, query: PageQuery): AsyncIterable<Page> {
  const table = tables.of(resource)
  const { rows, next } = selected(tables, resource, query)
  for (let start = 0; start === 0 || start < rows.length; start += PAGE) {
    query.signal?.throwIfAborted()
    const page = rows.slice(start, start + PAGE).flatMap(({ id }) => table.get(id) ?? [])
    const json = page.map(row => viewOf(tables, resource, row, query.view)).join()
    yield { json, count: page.length, isLast: start + PAGE >= rows.length, next }
  }
}

/** The selected records in the requested order, and where the list continues after its limit. */
function selected(
  tables: Tables,
  resource: Resource,
  query: PageQuery,
): { readonly rows: readonly Stored[]; readonly next: number | null } {
  const { by, isAscending } = query.sort ?? { by: resource.order, isAscending: false }
  const after = query.after === undefined ? undefined : placeOf(tables, resource, by, query.after)
  const inOrder = (a: Stored, b: Stored): number => {
    const [one, other] = isAscending ? [b, a] : [a, b]
    const [key, otherKey] = [one[by] ?? null, other[by] ?? null]
    if (key === otherKey || key === null || otherKey === null) return other.id - one.id
    return key < otherKey ? 1 : -1
  }
  const rows = tables
    .of(resource)
    .entries()
    .map(([, row]) => row)
    .filter(row => isWanted(tables, resource, query, row) && (!after || inOrder(after, row) < 0))
    .sort(inOrder)
  const shown = rows.slice(0, query.limit)
  return { rows: shown, next: rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null }
}

function placeOf(tables: Tables, resource: Resource, by: string, id: number): Stored {
  const found = tables.of(resource).get(id)
  if (found) return found
  if (by === 'id') return { id }
  throw invalid([dangling('after')])
}

/** A filter gives a boolean as 1 or 0. */
const toNumber = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value)

/** How many records a selection has. */
export const countWanted = (tables: Tables, resource: Resource, selection: Selection): number =>
  [...tables.of(resource).entries()].filter(([, row]) => isWanted(tables, resource, selection, row)).length

function isWanted(tables: Tables, resource: Resource, query: Omit<PageQuery, 'view'>, row: Stored): boolean {
  const { where = {}, atLeast = {}, unrated, tenantId, period, search } = query
  const moment = String(row[resource.order])
  const side = tenantSide(resource)
  return (
    Object.entries(where).every(([field, value]) => [value].flat().some(wanted => wanted === toNumber(row[field]))) &&
    Object.entries(atLeast).every(([field, least]) => Number(row[field]) >= least) &&
    // Only calls of a switch have ratings, and the fake stores none.
    !unrated &&
    (tenantId === undefined || !side || ownerOf(tables, side, TENANT, row) === tenantId) &&
    (!period || (moment >= period.from && moment < period.to)) &&
    (!search || resource.search.some(field => fold(String(row[field] ?? '')).includes(fold(search))))
  )
}
