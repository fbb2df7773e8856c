import type { Actor } from '../../audit.ts'
import { AppError, type FieldError, invalid, notFound, type Rule } from '../../errors.ts'
import { isJsonObject, parseJson } from '../../json.ts'
import type { Json, Page, PageQuery, ServedRecords } from '../../ports/records.ts'
import { resourceNamed } from '../../resources/all.ts'
import { Problem, type Value } from '../../resources/field.ts'
import { edited, type KeyEdit, NoObject } from '../../resources/references/keys.ts'
import type { Embed, Resource, Row } from '../../resources/resource.ts'
import { broken, mergeErrors } from '../../resources/values/field-errors.ts'
import { asBody, type Mode, parseMembers } from '../../resources/values/input.ts'
import { type Unread, unreadIn } from '../../resources/values/unread.ts'
import { MAX_SEARCH } from '../../search.ts'

/** JSON text that may be long: whole, or in pieces that are read while they are sent. */
export type JsonStream = Json | AsyncIterable<Json>

export interface ListQuery {
  readonly search?: string | undefined
  readonly limit?: string | undefined
  readonly after?: string | undefined
  /** Aborted when nobody waits for the list any more. */
  readonly signal?: AbortSignal
}

/** The operations on records of any resource. Every method throws AppError. */
export interface Administration {
  /** Returns all records as one JSON array, or with `limit` one page and the `after` of the next. */
  list(
    resource: Resource,
    query: ListQuery,
    where?: PageQuery['where'],
  ): Promise<{ json: JsonStream; next: number | null }>
  /** Long arrays in it end once the signal aborts. */
  show(resource: Resource, id: number, signal?: AbortSignal): Promise<JsonStream>
  /** Throws `not_found`. */
  assertExists(resource: Resource, id: number): Promise<void>
  create(resource: Resource, body: unknown, by?: Actor): Promise<Json>
  /** PUT: the whole record. PATCH: the same, or only the named members if the resource says so. */
  replace(resource: Resource, id: number, body: unknown, by?: Actor): Promise<Json>
  amend(resource: Resource, id: number, body: unknown, by?: Actor): Promise<Json>
  /** Changes the named members and keeps the others as they are then, whatever PATCH means for the resource. */
  change(resource: Resource, id: number, body: unknown, options?: ChangeOptions): Promise<Json>
  /**
   * Changes the named members of up to MOST_AT_ONCE records, all or none. Throws `invalid`: for the members, or for
   * each record that cannot be changed, under its id.
   */
  changeAll(resource: Resource, ids: readonly number[], body: unknown, by?: Actor): Promise<void>
  remove(resource: Resource, id: number, options: { cascade: boolean }, by?: Actor): Promise<void>
}

/** The most records to change at once. */
export const MOST_AT_ONCE = 1_000

export interface ChangeOptions {
  /** Edits of JSON fields that the body does not name. */
  readonly edits?: Edits
  /** Called with the stored values in the transaction that changes them; may throw. */
  readonly expect?: (stored: Row) => void
  readonly by?: Actor
}

/** Edits of the objects in JSON fields, by field. */
export type Edits = Readonly<Record<string, readonly KeyEdit[]>>

/** Called with values that were stored although no rule can read them. */
export type UnreadListener = (resource: Resource, id: number, unread: readonly Unread[]) => void

export function administration(records: ServedRecords, onUnread: UnreadListener = () => {}): Administration {
  const tell = (resource: Resource, values: Row, json: Json): Json => {
    const unread = unreadIn(resource, values)
    if (unread.length > 0) onUnread(resource, idIn(json), unread)
    return json
  }
  const accept = async (resource: Resource, body: unknown, mode: Mode, id?: number): Promise<Row> => {
    const { values, errors } = parseMembers(resource.fields, asBody(body), mode)
    if (errors.length === 0) return values
    throw invalid(mergeErrors(resource, errors, await records.violations(resource, values, id)))
  }
  const assertExists = async (resource: Resource, id: number): Promise<void> => {
    if ((await records.find(resource, id)) === null) throw notFound(resource.label)
  }
  const update = async (
    resource: Resource,
    id: number,
    body: unknown,
    { mode, edits = {}, expect, by }: ChangeOptions & { readonly mode: Mode },
  ): Promise<Json> => {
    await assertExists(resource, id)
    const values = await accept(resource, body, mode, id)
    const changed = (stored: Row): Row => {
      expect?.(stored)
      return { ...withEdits(resource, stored, edits), ...values }
    }
    return tell(resource, values, await records.update(resource, id, changed, by))
  }
  return {
    assertExists,
    list: async (resource, query, where) => {
      const { signal } = query
      const asked = { ...readListQuery(resource, query), ...(where ? { where } : {}), ...(signal ? { signal } : {}) }
      const pages = records.list(resource, { view: 'list', ...asked })[Symbol.asyncIterator]()
      const first = await pages.next()
      if (first.done) throw new AppError('internal', 'A list had no page.')
      const { json, isLast, next } = first.value
      return { json: isLast ? `[${json}]` : array(first.value, pages), next }
    },
    show: async (resource, id, signal) => {
      const json = await records.show(resource, id)
      if (json === null) throw notFound(resource.label)
      return withArrays(records, resource, { view: 'plain', ...(signal ? { signal } : {}) }, id, json)
    },
    create: async (resource, body, by) => {
      const values = await accept(resource, body, 'create')
      return tell(resource, values, await records.insert(resource, values, by))
    },
    changeAll: async (resource, ids, body, by) => {
      if (ids.length === 0 || ids.length > MOST_AT_ONCE)
        throw invalid([broken('ids', new Problem('max', `must be between 1 and ${MOST_AT_ONCE} ids`))])
      const { values, errors } = parseMembers(resource.fields, asBody(body), 'merge')
      if (Object.keys(values).length === 0 && errors.length === 0)
        throw invalid([broken('change', new Problem('required', 'must name a field'))])
      if (errors.length > 0) throw invalid(errors)
      await records.updateAll(resource, [...new Set(ids)], () => values, by)
    },
    replace: (resource, id, body, by) => update(resource, id, body, { mode: resource.put, ...(by ? { by } : {}) }),
    amend: (resource, id, body, by) =>
      update(resource, id, body, {
        mode: resource.patch === 'merge' ? 'merge' : resource.put,
        ...(by ? { by } : {}),
      }),
    change: (resource, id, body, options = {}) => update(resource, id, body, { ...options, mode: 'merge' }),
    remove: (resource, id, options, by) => records.remove(resource, id, options, by),
  }
}

/** Returns the id in a record's view. */
function idIn(json: Json): number {
  const record = parseJson(json)
  return isJsonObject(record) ? Number(record.id) : Number.NaN
}

/** Returns a stored record's JSON fields with the edits applied. Throws `invalid`. */
export function withEdits({ fields }: Pick<Resource, 'fields'>, stored: Row, edits: Edits): Row {
  const values: Record<string, Value> = {}
  const errors: FieldError[] = []
  for (const [name, keyEdits] of Object.entries(edits)) {
    if (stored[name] === null && keyEdits.every(({ value }) => value === undefined)) continue
    const object = parseJson(String(stored[name] ?? '{}'))
    const next = edited(isJsonObject(object) ? object : {}, keyEdits)
    const value =
      next instanceof NoObject
        ? new Problem('type', `holds ${next.path.join('.')}, which is not an object`)
        : fields[name]?.parse(next)
    if (value instanceof Problem) errors.push(broken(name, value))
    else if (value !== undefined) values[name] = value
  }
  if (errors.length > 0) throw invalid(errors)
  return values
}

const WHOLE = /^[1-9]\d{0,15}$/

function readListQuery(
  resource: Resource,
  { search, limit, after }: ListQuery,
): Pick<PageQuery, 'search' | 'limit' | 'after'> {
  const errors: FieldError[] = []
  const refuse = (rule: Rule, field: string, predicate: string): void => {
    errors.push(broken(field, new Problem(rule, predicate)))
  }
  const needle = resource.search.length > 0 ? search?.trim() : undefined
  if (needle !== undefined && [...needle].length > MAX_SEARCH)
    refuse('max', 'search', `must not be greater than ${MAX_SEARCH} characters`)
  if (limit !== undefined && !(WHOLE.test(limit) && Number(limit) <= 1000))
    refuse('max', 'limit', 'must be between 1 and 1000')
  if (after !== undefined && limit === undefined) refuse('required', 'after', 'needs a limit')
  else if (after !== undefined && !WHOLE.test(after)) refuse('format', 'after', 'must be the id of a record')
  if (errors.length > 0) throw invalid(errors)
  return {
    ...(needle ? { search: needle } : {}),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(after === undefined ? {} : { after: Number(after) }),
  }
}

/** Yields pages as the pieces of one JSON array. */
async function* array(first: Page, rest: AsyncIterator<Page>): AsyncIterable<Json> {
  yield `[${first.json}`
  for (let page = await rest.next(); !page.done; page = await rest.next())
    if (page.value.json) yield `,${page.value.json}`
  yield ']'
}

const longArrays = (resource: Resource) =>
  resource.embeds.filter((embed): embed is Embed & { kind: 'many' } => embed.kind === 'many' && embed.in === 'single')

/** Yields a record's JSON with the long arrays of its single view, which are read page by page. */
function withArrays(records: ServedRecords, resource: Resource, query: PageQuery, id: number, json: Json): JsonStream {
  const arrays = longArrays(resource)
  if (arrays.length === 0) return json
  return (async function* () {
    let piece = json.slice(0, -1)
    for (const { name, from, by } of arrays) {
      piece += `,"${name}":[`
      let separator = ''
      for await (const page of records.list(resourceNamed(from), { ...query, where: { [by]: id } })) {
        if (page.json === '') continue
        yield piece + separator + page.json
        piece = ''
        separator = ','
      }
      piece += ']'
    }
    yield `${piece}}`
  })()
}
