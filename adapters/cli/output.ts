import { once } from 'node:events'
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import type { Page } from '../../core/ports/records.ts'
import type { Kind } from '../../core/resources/field.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { assertNamed, type Column, chosen, joined, linesOf, picked, shared, withNames } from './columns.ts'
import type { Context, Io } from './context.ts'
import { again, CliError, EXIT } from './exit.ts'
import { csvCell } from './export/csv.ts'
import { cell, objects } from './json-values.ts'
import { coloured, printable, styled } from './styles.ts'

/** Waits until the reader has taken what was written, so that a long output stays out of memory. */
export async function write({ stdout }: Pick<Io, 'stdout'>, text: string): Promise<void> {
  if (!stdout.write(text)) await once(stdout, 'drain')
}

/** What draws tables is loaded for a terminal alone. */
const table = async (...given: Parameters<typeof import('./table.ts').table>): Promise<string> =>
  (await import('./table.ts')).table(...given)

export const csvLine = (cells: readonly string[]): string => `${cells.map(text => csvCell(text)).join(',')}\n`

const tabbed = (cells: readonly string[]): string =>
  `${cells.map(text => text.replaceAll(/[\t\r\n]/g, ' ')).join('\t')}\n`

export interface ListOptions {
  readonly showSecrets: boolean
  /** A column that a table has room for before others. */
  readonly sortedBy?: string | undefined
}

/**
 * Prints pages of records in the chosen form, as they come. Returns the id that the next page comes after when more
 * records follow.
 */
export async function printRecords(
  context: Context,
  resource: Resource,
  pages: AsyncIterable<Page>,
  { showSecrets, sortedBy }: ListOptions,
): Promise<number | null> {
  const { io, options } = context
  const columns = chosen(resource, options.fields, showSecrets).map(column =>
    column.name === sortedBy ? { ...column, isMinor: false } : column,
  )
  const asTable = options.output === 'table' && io.stdout.isTTY
  const gathered: string[][] = []
  let count = 0
  let next: number | null = null
  if (options.output === 'csv') await write(io, csvLine(columns.map(({ name }) => name)))
  if (options.output === 'json') await write(io, '[')
  for await (const page of pages) {
    next = page.next
    const rows = objects(`[${page.json}]`)
    if (options.output === 'json' || options.output === 'ndjson') {
      const texts = rows.map(row => stringifyJson(picked(shared(resource, row, showSecrets), options.fields)))
      const isArray = options.output === 'json'
      await write(io, texts.map(text => (isArray ? `${count++ > 0 ? ',' : ''}\n${text}` : `${text}\n`)).join(''))
      continue
    }
    const shown = await withNames(resource, rows, (await context.open()).records)
    if (asTable) gathered.push(...shown.map(row => columns.map(({ of }) => of(row))))
    else await write(io, shown.map(row => lineOf(context, columns, row)).join(''))
  }
  if (options.output === 'json') await write(io, count > 0 ? '\n]\n' : ']\n')
  if (asTable) await write(io, await table(context, columns, gathered))
  return next
}

function lineOf({ options }: Context, columns: readonly Column[], row: JsonObject): string {
  const cells = columns.map(({ of }) => of(row))
  return options.output === 'csv' ? csvLine(cells) : tabbed(cells)
}

/** Prints one record: its members a line each, or the JSON object. */
export async function printRecord(
  context: Context,
  resource: Resource,
  json: string,
  { showSecrets }: ListOptions,
): Promise<void> {
  const { io, options } = context
  const record = parseJson(json)
  if (!isJsonObject(record)) return
  const columns = chosen(resource, options.fields, showSecrets)
  const row = picked(record, options.fields)
  if (options.output === 'json') return write(io, `${stringifyJson(shared(resource, row, showSecrets), 2)}\n`)
  if (options.output === 'ndjson') return write(io, `${stringifyJson(shared(resource, row, showSecrets))}\n`)
  if (options.output === 'csv') {
    const [named = record] = await withNames(resource, [record], (await context.open()).records)
    // A record by itself may come without the counts that lists have.
    const counts = resource.embeds.filter(({ kind }) => kind === 'count').map(({ name }) => name)
    const known = columns.filter(({ name }) => !counts.includes(name) || name in record)
    return write(io, csvLine(known.map(({ name }) => name)) + lineOf(context, known, named))
  }
  const named = await joined(resource, row, (await context.open()).records)
  return printLines(context, linesOf(resource, named, showSecrets))
}

/** For a command that prints a record once it has changed something: a slip in --fields is told before. */
export const assertFields = ({ options }: Context, resource: Resource): void => {
  chosen(resource, options.fields, false)
}

/** Names and what they stand for, a line each. */
async function printLines(context: Context, lines: readonly { name: string; text: string }[]): Promise<void> {
  const width = Math.max(0, ...lines.map(({ name }) => name.length))
  const shown = (text: string): string => coloured(context, context.io.stdout.isTTY ? printable(text) : text)
  const text = lines.map(line => `${styled(context, 'dim', line.name.padEnd(width))}  ${shown(line.text)}`.trimEnd())
  await write(context.io, text.map(line => `${line}\n`).join(''))
}

/** One thing that is no record, a line for each member. */
export const printThing = (context: Context, value: JsonObject): Promise<void> => {
  assertNamed(context.options.fields, Object.keys(value))
  const shown = picked(value, context.options.fields)
  if (context.options.output === 'table')
    return printLines(
      context,
      Object.entries(shown).map(([name, member]) => ({ name, text: cell(member) })),
    )
  return printValue(context, shown, () => '')
}

/** Rows that are no records: a table at a terminal, tab-separated elsewhere. `kinds` declares the columns. */
export async function printRows(
  context: Context,
  kinds: Readonly<Record<string, Kind>>,
  rows: readonly JsonObject[],
): Promise<void> {
  const { io, options } = context
  assertNamed(options.fields, Object.keys(kinds))
  const names = options.fields ?? Object.keys(kinds)
  const columns = names.map((name): Column => ({ name, kind: kinds[name] ?? 'text', of: row => cell(row[name]) }))
  if (options.output === 'csv') await write(io, csvLine(names))
  if (options.output === 'csv' || (options.output === 'table' && !io.stdout.isTTY))
    return write(io, rows.map(row => lineOf(context, columns, row)).join(''))
  if (options.output === 'table')
    return write(
      io,
      await table(
        context,
        columns,
        rows.map(row => columns.map(({ of }) => of(row))),
      ),
    )
  return printValue(
    context,
    rows.map(row => picked(row, options.fields)),
    () => '',
  )
}

/** Refuses --fields where a person gets lines without columns. */
export function assertColumns({ options }: Context, isFlat = options.output !== 'table'): void {
  if (options.fields && !isFlat)
    throw new CliError(EXIT.usage, '--fields needs columns: use --output csv', again('--output', 'csv'))
}

/** Is a person told what was done? With --quiet only one who asks for data, by --output or --fields. */
export const isTold = ({ options: { quiet, output, fields } }: Pick<Context, 'options'>): boolean =>
  !quiet || output !== 'table' || fields !== undefined

/** What was done: see `isTold`. */
export const printOutcome: typeof printValue = async (context, value, lines) => {
  if (isTold(context)) await printValue(context, value, lines)
}

/** A value that is no record: as JSON, or as the lines given for a person. --fields chooses from the members of rows. */
export async function printValue(
  context: Context,
  value: JsonObject | readonly JsonObject[],
  lines: () => string,
): Promise<void> {
  const { output, fields } = context.options
  if (output === 'table') return write(context.io, lines())
  const given = Array.isArray(value) ? value.filter(isJsonObject) : isJsonObject(value) ? [value] : []
  if (given[0]) assertNamed(fields, Object.keys(given[0]))
  const rows = given.map(row => picked(row, fields))
  if (output === 'json') return write(context.io, `${stringifyJson(Array.isArray(value) ? rows : rows[0], 2)}\n`)
  if (output === 'ndjson') return write(context.io, rows.map(row => `${stringifyJson(row)}\n`).join(''))
  const names = Object.keys(rows[0] ?? {})
  return write(context.io, csvLine(names) + rows.map(row => csvLine(names.map(name => cell(row[name])))).join(''))
}
