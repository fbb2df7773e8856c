import { once } from 'node:events'
import { styleText } from 'node:util'
import Table from 'cli-table3'
import { isJsonObject, type JsonObject, numeral, parseJson, stringifyJson } from '../../core/json.ts'
import type { Page } from '../../core/ports.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { type Context, type Io, say } from './context.ts'
import { CliError, EXIT } from './exit.ts'

export type Column = { readonly name: string; readonly isNumber: boolean; readonly of: (row: JsonObject) => string }

const GOOD = new Set(['active', 'delivered', 'submitted', 'ANSWERED', 'yes', 'ok', 'up'])
const BAD = new Set(['failed', 'disabled', 'suspended', 'undeliv', 'rejectd', 'expired', 'FAILED', 'down'])
const STATES = new Set(['status', 'delivery_status', 'disposition', 'is_active', 'state'])

/** Waits until the reader has taken what was written, so that a long output stays out of memory. */
export async function write({ stdout }: Pick<Io, 'stdout'>, text: string): Promise<void> {
  if (!stdout.write(text)) await once(stdout, 'drain')
}

/** A JSON value as a person reads it. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'object' && numeral(value) === null) return stringifyJson(value)
  return String(numeral(value) ?? value)
}

/** A record that a reference points to, by what tells it from others. */
function nameOf(value: unknown): string {
  if (!isJsonObject(value)) return ''
  return cell(
    value['slug'] ??
      value['extension_number'] ??
      value['number'] ??
      value['queue_number'] ??
      value['name'] ??
      value['id'],
  )
}

const SECRET_MARK = '••••••'

/** The columns of a resource, derived from its declaration; references show what they point to by name. */
export function columnsOf(resource: Resource, showSecrets: boolean): Column[] {
  const columns: Column[] = [{ name: 'id', isNumber: true, of: row => cell(row['id']) }]
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.writeOnly) continue
    const embed = resource.embeds.find(({ kind, ...rest }) => kind === 'one' && 'via' in rest && rest.via === name)
    if (embed) columns.push({ name: embed.name, isNumber: false, of: row => nameOf(row[embed.name]) })
    else {
      const of = (row: JsonObject): string =>
        field.secret && !showSecrets && row[name] !== null ? SECRET_MARK : cell(row[name])
      columns.push({ name, isNumber: field.kind === 'integer' || field.kind === 'decimal', of })
    }
  }
  for (const { kind, name } of resource.embeds)
    if (kind === 'count') columns.push({ name, isNumber: true, of: row => cell(row[name]) })
  return columns
}

/** The columns that --fields names, in its order. */
export function chosen(columns: Column[], fields: readonly string[] | undefined): Column[] {
  if (!fields) return columns
  return fields.map(name => {
    const found = columns.find(column => column.name === name)
    if (found) return found
    if (name === 'created_at' || name === 'updated_at') return { name, isNumber: false, of: row => cell(row[name]) }
    throw new CliError(
      EXIT.usage,
      `there is no field ${name}`,
      `choose from ${columns.map(column => column.name).join(', ')}`,
    )
  })
}

const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\n`

function hidden(row: JsonObject, resource: Resource, showSecrets: boolean): JsonObject {
  if (showSecrets) return row
  const secrets = Object.entries(resource.fields).filter(([, field]) => field.secret)
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      secrets.some(([secret]) => secret === name) && value !== null ? SECRET_MARK : deepHidden(value, showSecrets),
    ]),
  )
}

/** Extensions embedded in a tenant carry their secrets too. */
function deepHidden(value: unknown, showSecrets: boolean): unknown {
  if (showSecrets || !Array.isArray(value)) return value
  return value.map(member => (isJsonObject(member) && 'secret' in member ? { ...member, secret: SECRET_MARK } : member))
}

export interface ListOptions {
  readonly showSecrets: boolean
}

/** Prints pages of records in the chosen form, as they come. */
export async function printRecords(
  context: Context,
  resource: Resource,
  pages: AsyncIterable<Page>,
  { showSecrets }: ListOptions,
): Promise<void> {
  const { io, options } = context
  const columns = chosen(columnsOf(resource, showSecrets), options.fields)
  const rowsOf = (page: Page): JsonObject[] => {
    const rows = parseJson(`[${page.json}]`)
    return Array.isArray(rows) ? rows.filter(isJsonObject) : []
  }
  const asTable = options.output === 'table' && io.stdout.isTTY
  const gathered: string[][] = []
  let count = 0
  if (options.output === 'csv') await write(io, csvLine(columns.map(({ name }) => name)))
  if (options.output === 'json') await write(io, '[')
  for await (const page of pages) {
    const rows = rowsOf(page)
    if (asTable) gathered.push(...rows.map(row => columns.map(({ of }) => of(row))))
    else await write(io, rows.map(row => lineOf(row, count++, context, columns, resource, showSecrets)).join(''))
    if (page.next !== null) say(context, `more follow; show them with --all, or --limit N --after ${page.next}`)
  }
  if (options.output === 'json') await write(io, count > 0 ? '\n]\n' : ']\n')
  if (asTable) await write(io, table(context, columns, gathered))
}

function lineOf(
  row: JsonObject,
  index: number,
  { options }: Context,
  columns: Column[],
  resource: Resource,
  showSecrets: boolean,
): string {
  switch (options.output) {
    case 'json':
      return `${index > 0 ? ',' : ''}\n${stringifyJson(picked(hidden(row, resource, showSecrets), options.fields))}`
    case 'ndjson':
      return `${stringifyJson(picked(hidden(row, resource, showSecrets), options.fields))}\n`
    case 'csv':
      return csvLine(columns.map(({ of }) => of(row)))
    default:
      return `${columns.map(({ of }) => of(row).replaceAll(/[\t\r\n]/g, ' ')).join('\t')}\n`
  }
}

const picked = (row: JsonObject, fields: readonly string[] | undefined): JsonObject =>
  fields ? Object.fromEntries(fields.map(name => [name, row[name] ?? null])) : row

/** Prints one record: its members a line each, or the JSON object. */
export async function printRecord(
  context: Context,
  resource: Resource,
  json: string,
  { showSecrets }: ListOptions,
): Promise<void> {
  const { io, options } = context
  const parsed = parseJson(json)
  if (!isJsonObject(parsed)) return
  const row = picked(hidden(parsed, resource, showSecrets), options.fields)
  if (options.output === 'json') return write(io, `${indented(row)}\n`)
  if (options.output === 'ndjson') return write(io, `${stringifyJson(row)}\n`)
  if (options.output === 'csv') return write(io, csvLine(Object.keys(row)) + csvLine(Object.values(row).map(cell)))
  const width = Math.max(...Object.keys(row).map(name => name.length))
  for (const [name, value] of Object.entries(row)) {
    const shown = Array.isArray(value)
      ? `${value.length} ${value.length === 1 ? 'record' : 'records'}`
      : isJsonObject(value) &&
          nameOf(value) !== '' &&
          name !== 'settings' &&
          name !== 'meta' &&
          name !== 'remote_response'
        ? `${nameOf(value)} (${cell(value['name'] ?? value['display_name'])})`
        : cell(value)
    await write(io, `${styled(context, 'dim', name.padEnd(width))}  ${state(context, name, shown)}\n`)
  }
}

/** A value that is no record: as JSON, or as the lines given for a person. */
export async function printValue(
  context: Context,
  value: JsonObject | readonly JsonObject[],
  lines: () => string,
): Promise<void> {
  const { output } = context.options
  if (output === 'table') return write(context.io, lines())
  const rows = Array.isArray(value) ? value.filter(isJsonObject) : isJsonObject(value) ? [value] : []
  if (output === 'json') return write(context.io, `${indented(value)}\n`)
  if (output === 'ndjson') return write(context.io, rows.map(row => `${stringifyJson(row)}\n`).join(''))
  const names = Object.keys(rows[0] ?? {})
  return write(context.io, csvLine(names) + rows.map(row => csvLine(names.map(name => cell(row[name])))).join(''))
}

const indented = (value: unknown): string => JSON.stringify(JSON.parse(stringifyJson(value)), null, 2)

export const styled = (
  { options }: Pick<Context, 'options'>,
  style: Parameters<typeof styleText>[0],
  text: string,
): string => (options.color ? styleText(style, text) : text)

const state = (context: Context, column: string, text: string): string => {
  if (!STATES.has(column)) return text
  return GOOD.has(text)
    ? styled(context, 'green', text)
    : BAD.has(text)
      ? styled(context, 'red', text)
      : styled(context, 'yellow', text)
}

const NARROWEST = 8

/** A table that fits the terminal: long columns are cut, and the last ones left out when that is not enough. */
export function table(context: Context, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) {
    say(context, 'nothing found')
    return ''
  }
  const available = context.io.stdout.columns ?? 120
  const natural = columns.map(({ name }, i) => Math.max(name.length, ...rows.map(row => (row[i] ?? '').length)))
  const { widths, shown } = fit(natural, columns, available)
  if (shown < columns.length) {
    const left = columns.slice(shown).map(({ name }) => name)
    say(context, `left out for want of width: ${left.join(', ')} (see --fields, --output json)`)
  }
  const drawn = new Table({
    head: columns.slice(0, shown).map(({ name }) => styled(context, 'bold', name)),
    colAligns: columns.slice(0, shown).map(({ isNumber }) => (isNumber ? 'right' : 'left')),
    colWidths: widths.slice(0, shown).map(width => width + 2),
    style: { head: [], border: [], compact: true },
    truncate: '…',
  })
  for (const row of rows)
    drawn.push(
      row.slice(0, shown).map((text, i) => state(context, columns[i]?.name ?? '', text.replaceAll(/[\r\n\t]/g, ' '))),
    )
  return `${drawn.toString()}\n`
}

function fit(
  natural: readonly number[],
  columns: readonly Column[],
  available: number,
): { widths: number[]; shown: number } {
  for (let shown = columns.length; shown > 0; shown--) {
    const widths = natural.slice(0, shown)
    const room = available - 3 * shown - 1
    const total = (): number => widths.reduce((sum, width) => sum + width, 0)
    while (total() > room) {
      const widest = widths.reduce(
        (best, width, i) => (!columns[i]?.isNumber && width > (widths[best] ?? 0) ? i : best),
        0,
      )
      if ((widths[widest] ?? 0) <= NARROWEST) break
      widths[widest] = Math.max(NARROWEST, (widths[widest] ?? 0) - Math.max(1, total() - room))
    }
    if (total() <= room || shown === 1) return { widths, shown }
  }
  return { widths: [], shown: 0 }
}
