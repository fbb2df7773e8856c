import { isJsonObject, type JsonObject } from '../../../core/json.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Field, Kind } from '../../../core/resources/field.ts'
import { namedReferences } from '../../../core/resources/references/names.ts'
import { type Embed, isNamed, type Resource, timestamped } from '../../../core/resources/resource.ts'
import { SECRET_MARK } from '../../../core/resources/values/secret-mark.ts'
import type { Lookup } from '../../../core/use-cases/records/lookup.ts'
import { CliError, EXIT } from '../exit.ts'
import { targetIn } from '../fields.ts'
import { naming } from '../naming/references.ts'
import { cell } from './json-values.ts'

/** A column of a table, or a line, that shows part of a record. */
export interface Column {
  readonly name: string
  readonly kind: Kind
  /** Dropped before others if there is no room for all. */
  readonly isMinor?: boolean
  /** Never cut, such as an id that another command takes. */
  readonly isWhole?: boolean
  readonly of: (row: JsonObject) => string
}

export const isNumber = ({ kind }: Pick<Column, 'kind'>): boolean => kind === 'integer' || kind === 'decimal'

/** Returns a value's text without what is secret in it. */
function concealed({ secret, secretQuery }: Pick<Field, 'secret' | 'secretQuery'>, text: string): string {
  if (secret && text !== '') return SECRET_MARK
  if (!secretQuery) return text
  return text.replaceAll(/([?&][^=&#]*=)[^&#]*/g, `$1${SECRET_MARK}`).replace(/\/\/[^/?#]*@/, `//${SECRET_MARK}@`)
}

/**
 * Returns what identifies an embedded record: the part of its key that is not a reference, else its id, or its name.
 */
function keyOf(target: Resource, value: unknown): string {
  if (typeof value === 'string') return value
  if (!isJsonObject(value)) return ''
  const own = target.key.findLast(name => !target.fields[name]?.references)
  return cell((own === undefined ? null : value[own]) ?? value['id'])
}

/** Returns an embedded record's name and title: `acme (Acme Ltd)`. */
function titleOf(target: Resource, value: unknown): string {
  if (!isJsonObject(value)) return ''
  const key = keyOf(target, value)
  const called = target.search.map(name => cell(value[name])).find(text => text !== '' && text !== key)
  return called === undefined ? key : `${key} (${called})`
}

const NAMED = 10

/** Returns the number of embedded records, and the names of the first. */
function countOf(target: Resource, value: unknown): string {
  if (!Array.isArray(value)) return ''
  const names = value.slice(0, NAMED).map(member => keyOf(target, member))
  const more = value.length > NAMED ? ', …' : ''
  return value.length === 0 ? '0' : `${value.length}: ${names.join(', ')}${more}`
}

const embedOf = (resource: Resource, field: string): (Embed & { kind: 'one' }) | undefined =>
  resource.embeds.find((embed): embed is Embed & { kind: 'one' } => embed.kind === 'one' && embed.via === field)

const plain = (name: string, kind: Kind): Column => ({ name, kind, of: row => cell(row[name]) })

/** Returns the columns of a resource, derived from its declaration; a reference shows its record's name. */
export function columnsOf(resource: Resource, showSecrets: boolean): Column[] {
  const fields = Object.entries(resource.fields).filter(([, field]) => !field.writeOnly)
  return [
    plain('id', 'integer'),
    ...fields.map(([name, field]): Column => {
      const { kind } = field
      const isMinor = isMinorIn(resource, name)
      const to = pointed(resource, name, field)
      if (to) return { name: to.name, kind: 'text', isMinor, of: row => cell(to.of(row) ?? row[name]) }
      return { name, kind, isMinor, of: row => (showSecrets ? cell(row[name]) : concealed(field, cell(row[name]))) }
    }),
    ...resource.embeds
      .filter(({ kind }) => kind === 'count')
      .map(({ name }) => ({ ...plain(name, 'integer'), isMinor: isMinorIn(resource, name) })),
  ]
}

/** Only the beginning of a JSON value fits a table. */
const isMinorIn = ({ brief, fields }: Resource, name: string): boolean =>
  brief.length > 0 ? !brief.includes(name) : fields[name]?.kind === 'json'

/** Returns the member of a row that shows what a reference points to, and its text; undefined if a row has none. */
function pointed(resource: Resource, name: string, { references }: Field) {
  const embed = embedOf(resource, name)
  if (embed) {
    const target = resourceNamed(embed.from)
    return { name: embed.name, of: (row: JsonObject) => (embed.name in row ? keyOf(target, row[embed.name]) : null) }
  }
  if (!references) return undefined
  const member = name.replace(/_id$/, '')
  return { name: member, of: (row: JsonObject) => row[member] }
}

/**
 * Returns the rows with names that commands accept, such as `acme/101`, in place of references, unless something else
 * in the row completes the name.
 */
export async function withNames(
  resource: Resource,
  rows: readonly JsonObject[],
  records: Lookup,
): Promise<readonly JsonObject[]> {
  const completed = namedReferences(resource)
    .filter(({ field, outer }) => embedOf(resource, field) && (outer === null || resource.fields[outer]))
    .map(({ field }) => field)
  const open = Object.entries(resource.fields).filter(
    ([name, { references }]) => references && !completed.includes(name),
  )
  if (open.length === 0) return rows
  const nameOf = naming(records)
  return Promise.all(
    rows.map(async row => {
      const names: JsonObject = {}
      for (const [name, field] of open) {
        const target = targetIn(field, row)
        const member = pointed(resource, name, field)?.name
        if (target && member && row[name] !== null) names[member] = await nameOf(target, Number(row[name]))
      }
      return { ...row, ...names }
    }),
  )
}

/** Returns everything that --fields can name: columns, the ids of references, timestamps and embedded records. */
function nameable(resource: Resource, columns: readonly Column[]): Column[] {
  const columnNames = new Set(columns.map(({ name }) => name))
  const others = [
    ...Object.entries(resource.fields).flatMap(([name, { kind, writeOnly }]) => (writeOnly ? [] : [plain(name, kind)])),
    ...timestamped(resource).map(name => plain(name, 'date')),
    ...resource.embeds.flatMap((embed): Column[] =>
      embed.kind === 'many'
        ? [{ name: embed.name, kind: 'text', of: row => countOf(resourceNamed(embed.from), row[embed.name]) }]
        : [],
    ),
  ]
  return [...columns, ...others.filter(({ name }) => !columnNames.has(name))]
}

/** Throws unless every name in --fields is one of these. */
export function assertNamed(fields: readonly string[] | undefined, existing: readonly string[]): void {
  const unknown = fields?.find(name => !existing.includes(name))
  if (unknown !== undefined)
    throw new CliError(EXIT.usage, `there is no field ${unknown}; there are ${existing.join(', ')}`)
}

/**
 * Returns the columns in --fields, in its order; without it, all columns and `beside`, except those shown only when
 * named.
 */
export function chosen(
  resource: Resource,
  fields: readonly string[] | undefined,
  showSecrets: boolean,
  beside: readonly string[] = [],
): Column[] {
  const columns = [...columnsOf(resource, showSecrets), ...beside.map(name => plain(name, 'text'))]
  if (!fields) return columns
  const nameables = nameable(resource, columns)
  assertNamed(
    fields,
    nameables.map(({ name }) => name),
  )
  const named = fields.flatMap(name => nameables.find(column => column.name === name) ?? [])
  return named.map(column => ({ ...column, isMinor: false }))
}

/**
 * Returns the row with embedded records that only join it to others, such as a queue's agents, by the names of those.
 */
export async function joined(resource: Resource, row: JsonObject, records: Lookup): Promise<JsonObject> {
  const nameOf = naming(records)
  const named: JsonObject = { ...row }
  for (const embed of resource.embeds) {
    const members = row[embed.name]
    if (embed.kind !== 'many' || !Array.isArray(members)) continue
    const { fields, key } = resourceNamed(embed.from)
    const others = Object.entries(fields).filter(([name]) => key.includes(name) && name !== embed.by)
    if (others.length === 0 || isNamed({ fields, key })) continue
    const nameIn = (member: JsonObject) =>
      Promise.all(
        others.map(([name, field]) => {
          const target = targetIn(field, member)
          return target ? nameOf(target, Number(member[name])) : cell(member[name])
        }),
      )
    const first = members.slice(0, NAMED).filter(isJsonObject)
    const names = await Promise.all(first.map(async member => (await nameIn(member)).join(' ')))
    named[embed.name] = [...names, ...members.slice(NAMED)]
  }
  return named
}

/** Prints one record, a line for each member; embedded records by name. */
export function linesOf(resource: Resource, row: JsonObject, showSecrets: boolean): { name: string; text: string }[] {
  return Object.entries(row).map(([name, value]) => {
    const embed = resource.embeds.find(each => each.name === name)
    if (embed?.kind === 'one') return { name, text: titleOf(resourceNamed(embed.from), value) }
    if (embed?.kind === 'many') return { name, text: countOf(resourceNamed(embed.from), value) }
    const field = showSecrets ? undefined : resource.fields[name]
    return { name, text: field ? concealed(field, cell(value)) : cell(value) }
  })
}

/**
 * Returns a record as in the API; without `showSecrets` its secrets are hidden, including those of embedded records.
 */
export function shared(resource: Resource, row: JsonObject, showSecrets: boolean): JsonObject {
  if (showSecrets) return row
  return Object.fromEntries(
    Object.entries(row).map(([name, value]): [string, unknown] => {
      const field = resource.fields[name]
      if (field && typeof value === 'string') return [name, concealed(field, value)]
      const embed = resource.embeds.find(each => each.name === name)
      if (embed?.kind !== 'many' || !Array.isArray(value)) return [name, value]
      const target = resourceNamed(embed.from)
      return [name, value.map(member => (isJsonObject(member) ? shared(target, member, false) : member))]
    }),
  )
}

export const picked = (row: JsonObject, fields: readonly string[] | undefined): JsonObject =>
  fields ? Object.fromEntries(fields.flatMap(name => (name in row ? [[name, row[name]]] : []))) : row
