import type { Actor } from '../../audit.ts'
import { AppError, type FieldError, invalid, notFound } from '../../errors.ts'
import { isJsonObject, parseJson, stringifyJson } from '../../json.ts'
import type { Audit } from '../../ports/audit.ts'
import type { Json, PageQuery, Selection, ServedRecords, Sort } from '../../ports/records.ts'
import { FOREVER } from '../../rating/period.ts'
import { isRated } from '../../resources/call-ratings.ts'
import { date, type Field, Problem } from '../../resources/field.ts'
import { tenantSide } from '../../resources/references/within.ts'
import { choosable, type Resource, type Row, sortable } from '../../resources/resource.ts'
import { broken } from '../../resources/values/field-errors.ts'
import { MAX_SEARCH } from '../../search.ts'

/** Text by parameter, as in a query string; several if a parameter is repeated. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>

/** A part of a list, without secrets. */
export interface Part {
  /** A JSON array. */
  readonly json: Json
  /** The `after` of the next part; null if there is none. */
  readonly next: number | null
}

/** A record without secrets and long arrays, with a version that changes whenever a stored value does. */
export interface Shown {
  readonly json: Json
  readonly version: string
}

/** Reads for a person who looks at one part of much. Every method throws AppError. */
export interface Browsing {
  /** Throws `invalid` if the parameters do not form a selection. */
  part(resource: Resource, parameters: Parameters, signal?: AbortSignal): Promise<Part>
  /** Counts a selection, up to MOST_COUNTED; null if that would take a search through all of them. */
  count(resource: Resource, parameters: Parameters, signal?: AbortSignal): Promise<number | null>
  /** Throws `not_found`. */
  one(resource: Resource, id: number): Promise<Shown>
  /** Throws `conflict` if the stored values are not of the version that was seen. */
  assertSeen(resource: Resource, stored: Row, version: string): void
  /** Returns a record's secrets as a JSON object; the audit trail notes who saw them. Throws `not_found`. */
  secrets(resource: Resource, id: number, by: Actor): Promise<Json>
}

/** Counting stops here. */
export const MOST_COUNTED = 10_001
/** The number of records in a part: by default, and at most. */
const USUAL = 200
const MOST = 1_000

export interface BrowsingPorts {
  readonly records: ServedRecords
  readonly audit: Pick<Audit, 'note'>
  /** Condenses a long text to a short one. */
  readonly hash: (text: string) => string
}

export function browsing({ records, audit, hash }: BrowsingPorts): Browsing {
  const stored = async (resource: Resource, id: number): Promise<Row> => {
    const row = await records.find(resource, id)
    if (!row) throw notFound(resource.label)
    return row
  }
  return {
    part: async (resource, parameters, signal) => {
      const query = { ...queryOf(resource, parameters), ...(signal ? { signal } : {}) }
      const pieces: Json[] = []
      let next: number | null = null
      for await (const page of records.list(resource, { view: 'list', limit: USUAL, ...query })) {
        if (page.json !== '') pieces.push(page.json)
        next = page.next
      }
      return { json: withoutSecrets(resource, `[${pieces.join()}]`), next }
    },
    count: async (resource, parameters, signal) => {
      const { search, sort: _, limit: __, after: ___, ...selection } = queryOf(resource, parameters)
      return search === undefined ? records.countUpTo(resource, selection, MOST_COUNTED, signal) : null
    },
    one: async (resource, id) => {
      // Read before what is shown: a change in between can only make the version look older than it is.
      const version = versionOf(await stored(resource, id), hash)
      for await (const { json } of records.list(resource, { view: 'list', where: { id }, limit: 1 }))
        if (json !== '') return { json: withoutSecrets(resource, json), version }
      throw notFound(resource.label)
    },
    assertSeen: (resource, row, version) => {
      if (version !== versionOf(row, hash))
        throw new AppError('conflict', `The ${resource.label} was changed by someone else in the meantime.`)
    },
    secrets: async (resource, id, by) => {
      const row = await stored(resource, id)
      await audit.note('export', resource.name, id, { secrets: 'shown' }, by)
      return stringifyJson(Object.fromEntries(secretsOf(resource).map(name => [name, row[name] ?? null])))
    },
  }
}

/** Returns what a client sends back to say which values it has seen. */
const versionOf = (row: Row, hash: (text: string) => string): string =>
  hash(JSON.stringify(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))))

/** The fields that are shown only on request. */
const secretsOf = ({ fields }: Pick<Resource, 'fields'>): string[] =>
  Object.entries(fields).flatMap(([name, { secret, writeOnly }]) => (secret && !writeOnly ? [name] : []))

function withoutSecrets(resource: Resource, json: Json): Json {
  const names = secretsOf(resource)
  if (names.length === 0) return json
  const bare = (record: unknown): unknown =>
    isJsonObject(record) ? Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name))) : record
  const value = parseJson(json)
  return stringifyJson(Array.isArray(value) ? value.map(bare) : bare(value))
}

const WHOLE = /^[1-9]\d{0,15}$/
const texts = (parameter: string | readonly string[] | undefined): readonly string[] =>
  parameter === undefined ? [] : typeof parameter === 'string' ? [parameter] : parameter
const last = (parameter: string | readonly string[] | undefined): string | undefined => {
  const text = texts(parameter).at(-1)?.trim()
  return text === '' ? undefined : text
}

/**
 * Returns the selection that parameters describe: `search`; `sort` by a field, descending with a minus; `limit` and
 * `after`; `tenant` by id; `from` and `to`, for records ordered by time; `unrated`, for calls; `filter[FIELD]`, any of
 * several if repeated; `min[FIELD]`, for amounts. Throws `invalid`.
 */
export function queryOf(
  resource: Resource,
  parameters: Parameters,
): Selection & Pick<PageQuery, 'search' | 'sort' | 'limit' | 'after'> {
  const errors: FieldError[] = []
  const refuse = (name: string, predicate: string): undefined => {
    errors.push(broken(name, new Problem('format', predicate)))
  }
  const whole = (name: string, most = Number.MAX_SAFE_INTEGER): number | undefined => {
    const text = last(parameters[name])
    if (text === undefined) return undefined
    return WHOLE.test(text) && Number(text) <= most
      ? Number(text)
      : refuse(name, most === MOST ? `must be between 1 and ${MOST}` : 'must be an id')
  }
  const query = {
    search: searchOf(resource, last(parameters['search']), refuse),
    sort: sortOf(resource, last(parameters['sort']), refuse),
    limit: whole('limit', MOST),
    after: whole('after'),
    tenantId: tenantSide(resource) ? whole('tenant') : undefined,
    period: periodOf(resource, parameters, refuse),
    unrated: isRated(resource) ? unratedOf(last(parameters['unrated']), refuse) : undefined,
    where: unlessEmpty(members(resource, parameters, ANY_OF, refuse)),
    atLeast: unlessEmpty(leastOf(resource, parameters, refuse)),
  }
  if (errors.length > 0) throw invalid(errors)
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
}

type Refuse = (name: string, predicate: string) => undefined

function unratedOf(text: string | undefined, refuse: Refuse): true | undefined {
  if (text === undefined || text === 'true') return text && true
  return refuse('unrated', 'must be true, or left out')
}

function searchOf({ search }: Resource, text: string | undefined, refuse: Refuse): string | undefined {
  if (text === undefined || search.length === 0) return undefined
  return [...text].length > MAX_SEARCH ? refuse('search', `must not be greater than ${MAX_SEARCH} characters`) : text
}

function sortOf(resource: Resource, text: string | undefined, refuse: Refuse): Sort | undefined {
  if (text === undefined) return undefined
  const by = text.replace(/^-/, '')
  const fields = sortable(resource)
  return fields.includes(by)
    ? { by, isAscending: !text.startsWith('-') }
    : refuse('sort', `must be one of ${fields.join(', ')}, with a minus for the highest first`)
}

function periodOf({ fields, order }: Resource, parameters: Parameters, refuse: Refuse): Selection['period'] {
  const bound = (name: 'from' | 'to'): string | undefined => {
    const text = last(parameters[name])
    const moment = text === undefined ? undefined : date().parse(text)
    return moment instanceof Problem ? refuse(name, moment.predicate) : (moment ?? undefined)
  }
  if (fields[order]?.kind !== 'date') return undefined
  const [from, to] = [bound('from'), bound('to')]
  return from === undefined && to === undefined ? undefined : { from: from ?? FOREVER.from, to: to ?? FOREVER.to }
}

type Chosen = Record<string, (string | number)[]>

/** A parameter that chooses records by a field: `name[FIELD]`. */
interface Choice {
  readonly name: string
  /** True if it can choose by this field. */
  takes(field: Field): boolean
}

const ANY_OF: Choice = { name: 'filter', takes: () => true }
const AT_LEAST: Choice = { name: 'min', takes: ({ kind }) => kind === 'decimal' }

/** Returns the values of `name[FIELD]`, as the fields parse them. */
function members(resource: Resource, parameters: Parameters, { name, takes }: Choice, refuse: Refuse): Chosen {
  const fields = choosable(resource)
  const chosen: Chosen = {}
  for (const [parameter, values] of Object.entries(parameters)) {
    if (!parameter.startsWith(`${name}[`) || !parameter.endsWith(']')) continue
    const column = parameter.slice(name.length + 1, -1)
    const field = Object.hasOwn(fields, column) ? fields[column] : undefined
    if (!field || field.secret || field.kind === 'json' || !takes(field)) {
      refuse(parameter, 'names no field to filter by')
      continue
    }
    chosen[column] = texts(values).flatMap(text => {
      const value = field.parse(text)
      if (value instanceof Problem) return refuse(parameter, value.predicate) ?? []
      return typeof value === 'boolean' ? Number(value) : (value ?? [])
    })
  }
  return chosen
}

function leastOf(resource: Resource, parameters: Parameters, refuse: Refuse): Record<string, number> {
  const leasts = members(resource, parameters, AT_LEAST, refuse)
  return Object.fromEntries(Object.entries(leasts).map(([name, values]) => [name, Math.max(...values.map(Number))]))
}

/** Returns undefined instead of an object without members. */
const unlessEmpty = <T extends object>(object: T): T | undefined =>
  Object.keys(object).length > 0 ? object : undefined
