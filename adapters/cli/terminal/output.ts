import { isJsonObject, type JsonObject, objects, parseJson, stringifyJson } from '../../../core/json.ts'
import type { Page } from '../../../core/ports/records.ts'
import type { Kind } from '../../../core/resources/field.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { csvCell } from '../../../core/transfer/csv-text.ts'
import type { Context } from '../context.ts'
import { again, CliError, EXIT } from '../exit.ts'
import { assertNamed, type Column, chosen, joined, linesOf, picked, shared, withNames } from './columns.ts'
import { cell } from './json-values.ts'
import { writeCsv, writeJson, writeLines } from './streams.ts'
import { coloured, styled } from './styles.ts'

/** The table layout is loaded for a terminal only. */
const table = async (...parameters: Parameters<typeof import('./table.ts').table>): Promise<string[]> =>
  (await import('./table.ts')).table(...parameters)

export const csvLine = (cells: readonly string[]): string => `${cells.map(text => csvCell(text)).join(',')}\n`

const tabbed = (cells: readonly string[]): string => cells.map(text => text.replaceAll('\t', ' ')).join('\t')

export interface ListOptions {
  readonly showSecrets: boolean
  /** What to show of one record besides its fields. */
  readonly beside?: JsonObject
  /** A column that takes precedence in a table. */
  readonly sortedBy?: string | undefined
}

/**
 * Prints pages of records in the chosen form, as they arrive. Returns the `after` of the next page if more records
 * follow.
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
  if (options.output === 'csv') await writeCsv(io, csvLine(columns.map(({ name }) => name)))
  if (options.output === 'json') await writeJson(io, '[')
  for await (const page of pages) {
    next = page.next
    const rows = objects(`[${page.json}]`)
    if (options.output === 'json' || options.output === 'ndjson') {
      const texts = rows.map(row => stringifyJson(picked(shared(resource, row, showSecrets), options.fields)))
      const isArray = options.output === 'json'
      await writeJson(io, texts.map(text => (isArray ? `${count++ > 0 ? ',' : ''}\n${text}` : `${text}\n`)).join(''))
      continue
    }
    const shown = await withNames(resource, rows, (await context.open()).records)
    if (asTable) gathered.push(...shown.map(row => columns.map(({ of }) => of(row))))
    else await writeRows(context, columns, shown)
  }
  if (options.output === 'json') await writeJson(io, count > 0 ? '\n]\n' : ']\n')
  if (asTable) await writeLines(io, await table(context, columns, gathered))
  return next
}

/** Prints rows without a heading, as CSV or separated by tabs. */
function writeRows({ io, options }: Context, columns: readonly Column[], rows: readonly JsonObject[]): Promise<void> {
  const cells = rows.map(row => columns.map(({ of }) => of(row)))
  return options.output === 'csv' ? writeCsv(io, cells.map(csvLine).join('')) : writeLines(io, cells.map(tabbed))
}

/** Prints one record: a line for each member, or the JSON object. */
export async function printRecord(
  context: Context,
  resource: Resource,
  json: string,
  { showSecrets, beside = {} }: ListOptions,
): Promise<void> {
  const { io, options } = context
  const stored = parseJson(json)
  if (!isJsonObject(stored)) return
  const record = { ...stored, ...beside }
  const columns = chosen(resource, options.fields, showSecrets, Object.keys(beside))
  const row = picked(record, options.fields)
  if (options.output === 'json') return writeJson(io, `${stringifyJson(shared(resource, row, showSecrets), 2)}\n`)
  if (options.output === 'ndjson') return writeJson(io, `${stringifyJson(shared(resource, row, showSecrets))}\n`)
  if (options.output === 'csv') {
    const [named = record] = await withNames(resource, [record], (await context.open()).records)
    // A single record may come without the counts that lists have.
    const counts = resource.embeds.filter(({ kind }) => kind === 'count').map(({ name }) => name)
    const shown = columns.filter(({ name }) => !counts.includes(name) || name in record)
    await writeCsv(io, csvLine(shown.map(({ name }) => name)))
    return writeRows(context, shown, [named])
  }
  const present = Object.fromEntries(Object.entries(row).filter(([name, value]) => value !== null || !(name in beside)))
  const named = await joined(resource, present, (await context.open()).records)
  return printLines(context, linesOf(resource, named, showSecrets))
}

/** For commands that print a record after changing something: reports a mistake in --fields before the change. */
export const assertFields = ({ options }: Context, resource: Resource): void => {
  chosen(resource, options.fields, false)
}

/** Prints names and values, a line each. */
async function printLines(context: Context, lines: readonly { name: string; text: string }[]): Promise<void> {
  const width = Math.max(0, ...lines.map(({ name }) => name.length))
  const shown = lines.map(({ name, text }) =>
    `${styled(context, 'dim', name.padEnd(width))}  ${coloured(context, text)}`.trimEnd(),
  )
  await writeLines(context.io, shown)
}

/** Prints an object that is not a record, one line per member. */
export const printThing = (context: Context, value: JsonObject): Promise<void> => {
  assertNamed(context.options.fields, Object.keys(value))
  const shown = picked(value, context.options.fields)
  if (context.options.output === 'table')
    return printLines(
      context,
      Object.entries(shown).map(([name, member]) => ({ name, text: cell(member) })),
    )
  return printValue(context, shown, () => [])
}

/** Prints rows that are not records: a table in a terminal, tab-separated elsewhere. `kinds` declares the columns. */
export async function printRows(
  context: Context,
  kinds: Readonly<Record<string, Kind>>,
  rows: readonly JsonObject[],
  { whole = [], minor = [] }: { readonly whole?: readonly string[]; readonly minor?: readonly string[] } = {},
): Promise<void> {
  const { io, options } = context
  assertNamed(options.fields, Object.keys(kinds))
  const names = options.fields ?? Object.keys(kinds)
  const columns = names.map((name): Column => {
    const isMinor = options.fields === undefined && minor.includes(name)
    return { name, kind: kinds[name] ?? 'text', isWhole: whole.includes(name), isMinor, of: row => cell(row[name]) }
  })
  if (options.output === 'csv') await writeCsv(io, csvLine(names))
  if (options.output === 'csv' || (options.output === 'table' && !io.stdout.isTTY))
    return writeRows(context, columns, rows)
  if (options.output === 'table')
    return writeLines(
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
    () => [],
  )
}

/** Refuses --fields where a person gets lines without columns. */
export function assertColumns({ options }: Context, isFlat = options.output !== 'table'): void {
  if (options.fields && !isFlat)
    throw new CliError(EXIT.usage, '--fields needs columns: use --output csv', again('--output', 'csv'))
}

/** True if the outcome is printed: with --quiet, only if --output or --fields requests data. */
export const isAskedFor = ({ options: { quiet, output, fields } }: Pick<Context, 'options'>): boolean =>
  !quiet || output !== 'table' || fields !== undefined

/** Prints what was done: see `isAskedFor`. */
export const printOutcome: typeof printValue = async (context, value, lines) => {
  if (isAskedFor(context)) await printValue(context, value, lines)
}

/**
 * Prints a value that is not a record: as JSON, or as the lines given for a person. --fields selects members of rows.
 */
export async function printValue(
  context: Context,
  value: JsonObject | readonly JsonObject[],
  lines: () => readonly string[],
): Promise<void> {
  const { output, fields } = context.options
  if (output === 'table') return writeLines(context.io, lines())
  const objects = Array.isArray(value) ? value.filter(isJsonObject) : isJsonObject(value) ? [value] : []
  if (objects[0]) assertNamed(fields, Object.keys(objects[0]))
  const rows = objects.map(row => picked(row, fields))
  if (output === 'json') return writeJson(context.io, `${stringifyJson(Array.isArray(value) ? rows : rows[0], 2)}\n`)
  if (output === 'ndjson') return writeJson(context.io, rows.map(row => `${stringifyJson(row)}\n`).join(''))
  if (rows.length === 0) return
  const names = Object.keys(rows[0] ?? {})
  return writeCsv(context.io, [names, ...rows.map(row => names.map(name => cell(row[name])))].map(csvLine).join(''))
}
