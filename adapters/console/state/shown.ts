import { resourceNamed } from '../../../core/resources/all.ts'
import type { Field } from '../../../core/resources/field.ts'
import { collectionOf, indexed, type Resource, sortable } from '../../../core/resources/resource.ts'
import type { RecordData } from './api.ts'
import { isUtc } from './preferences.ts'

const ABBREVIATIONS: Readonly<Record<string, string>> = {
  ...{ api: 'API', did: 'DID', dids: 'DIDs', mac: 'MAC', sms: 'SMS', ssl: 'SSL', url: 'URL' },
}

/** Returns a field's label: "Tenant" for `tenant_id`. */
export function titleOf(name: string): string {
  const words = name
    .replace(/_id$/, '')
    .split('_')
    .map(word => ABBREVIATIONS[word] ?? word)
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the field that names a record: its own part of the natural key; null if only its id does. */
const namingField = ({ key, fields }: Resource): string | null =>
  [...key].reverse().find(name => fields[name]?.references === undefined && !fields[name]?.choices) ?? null

export function nameOf(resource: Resource, record: RecordData): string {
  const name = record[namingField(resource) ?? '']
  return name === undefined || name === null ? `#${record.id}` : String(name)
}

export const pathOf = (resource: Pick<Resource, 'path' | 'name'>, id?: number | 'new'): string =>
  `/${collectionOf(resource)}${id === undefined ? '' : `/${id}`}`

const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(timeZone: string | undefined): Intl.DateTimeFormat {
  const key = timeZone ?? ''
  const cached = formats.get(key)
  if (cached) return cached
  const made = new Intl.DateTimeFormat('en-CA', {
    ...(timeZone === undefined ? {} : { timeZone }),
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  })
  formats.set(key, made)
  return made
}

/** Looked up once: it takes as long as drawing a row. */
const BROWSER_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

export const zoneShown = (timeZone?: string): string => (isUtc.value ? 'UTC' : (timeZone ?? BROWSER_ZONE))

/** Formats a moment in the tenant's zone, else the browser's, or in UTC if chosen. */
export function momentShown(moment: unknown, timeZone?: string): string {
  if (typeof moment !== 'string') return ''
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return moment
  return formatIn(zoneShown(timeZone)).format(date).replace(', ', ' ')
}

/** Formats a field for a cell of a table. */
export function valueShown(field: Pick<Field, 'kind'>, value: unknown, timeZone?: string): string {
  if (value === null || value === undefined) return ''
  if (field.kind === 'boolean') return value === true ? 'yes' : 'no'
  if (field.kind === 'date') return momentShown(value, timeZone)
  if (field.kind === 'json') return JSON.stringify(value)
  return String(value)
}

export const isNumeric = (field: Pick<Field, 'kind' | 'references'>): boolean =>
  !field.references && (field.kind === 'integer' || field.kind === 'decimal')

const isWhole = ({ kind, references, dialled }: Field): boolean =>
  !references && (dialled !== undefined || (kind !== 'text' && kind !== 'json'))

/** A column of a list. */
export interface Column {
  readonly name: string
  readonly title: string
  readonly isNumeric: boolean
  /** True for numbers and moments, which are never cut; names may be. */
  readonly isWhole: boolean
  readonly isSortable: boolean
  /** True if sorting by it is fast, however many records there are. */
  readonly isIndexed: boolean
  /** Returns the text of a record's cell, and its link. */
  readonly cell: (record: RecordData, timeZone?: string) => { readonly text: string; readonly href?: string }
}

/** Returns every column that a list of the resource can have. */
export function columnsOf(resource: Resource): readonly Column[] {
  const fields = Object.entries(resource.fields).filter(
    ([, { secret, writeOnly, kind, secretQuery }]) => !secret && !writeOnly && !secretQuery && kind !== 'json',
  )
  const counts = resource.embeds.flatMap(embed =>
    embed.kind === 'count' ? [{ name: embed.name, of: embed.of, by: embed.by }] : [],
  )
  const id = { name: 'id', title: 'No.', isNumeric: false, isWhole: true, isSortable: true, isIndexed: true }
  return [
    { ...id, cell: record => ({ text: String(record.id) }) },
    ...fields.map(([name, field]) => fieldColumn(resource, name, field)),
    ...counts.map(
      ({ name, of, by }): Column => ({
        name,
        title: titleOf(name.replace(/_count$/, '')),
        isNumeric: true,
        isWhole: true,
        isSortable: false,
        isIndexed: false,
        cell: record => ({
          text: String(record[name] ?? ''),
          href: `${pathOf(resourceNamed(of))}?filter[${by}]=${record.id}`,
        }),
      }),
    ),
    ...(resource.timestamps ? ['created_at', 'updated_at'] : []).map(
      (name): Column => ({
        name,
        title: titleOf(name.replace(/_at$/, '')),
        isNumeric: false,
        isWhole: true,
        ...sortingBy(resource, name),
        cell: (record, timeZone) => ({ text: momentShown(record[name], timeZone) }),
      }),
    ),
  ]
}

const sortingBy = (resource: Resource, name: string): Pick<Column, 'isSortable' | 'isIndexed'> => ({
  isSortable: sortable(resource).includes(name),
  isIndexed: indexed(resource).includes(name),
})

function fieldColumn(resource: Resource, name: string, field: Field): Column {
  const base = {
    name,
    title: titleOf(name),
    isNumeric: isNumeric(field),
    isWhole: isWhole(field),
    ...sortingBy(resource, name),
  }
  const to = field.references?.to
  if (typeof to !== 'string')
    return { ...base, cell: (record, timeZone) => ({ text: valueShown(field, record[name], timeZone) }) }
  const target = resourceNamed(to)
  const embed = resource.embeds.find(each => each.kind === 'one' && each.via === name)
  return {
    ...base,
    cell: record => {
      const id = record[name]
      if (typeof id !== 'number') return { text: '' }
      const shown = embed ? record[embed.name] : null
      const text = isRecord(shown) ? nameOf(target, shown) : `#${id}`
      return { text, href: pathOf(target, id) }
    },
  }
}

const isRecord = (value: unknown): value is RecordData => typeof value === 'object' && value !== null && 'id' in value

/** Returns the default columns. */
export const usualColumns = (resource: Resource): readonly string[] => {
  const all = columnsOf(resource).map(({ name }) => name)
  const own = namingField(resource) ?? 'id'
  const brief = resource.brief.filter(name => all.includes(name))
  const counts = resource.embeds.flatMap(embed =>
    embed.kind === 'count' && all.includes(embed.name) ? [embed.name] : [],
  )
  const usual =
    brief.length > 0 ? [...brief, ...counts] : all.filter(name => !name.endsWith('_at') || name === resource.order)
  return [...new Set([own, ...usual])].filter(name => name !== 'id' || own === 'id')
}

const UNITS = ['bytes', 'KB', 'MB', 'GB']

/** Formats a size: “1.5 MB”. */
export function bytesShown(bytes: number): string {
  const unit = bytes === 0 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1)
  return `${(bytes / 1_000 ** unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[unit]}`
}
