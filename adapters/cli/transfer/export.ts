import { type Command, Option } from 'commander'
import { formatAmount } from '../../../core/amounts.ts'
import { escapedJson } from '../../../core/json.ts'
import { codeCell } from '../../../core/rating/carrier-sheet.ts'
import type { Field } from '../../../core/resources/field.ts'
import { namedReferences } from '../../../core/resources/references/names.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { asWritten } from '../../../core/resources/values/written.ts'
import { inFiles } from '../../../core/use-cases/records/import.ts'
import { type Context, say } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import type { Flags } from '../fields.ts'
import { labelOf, pluralOf } from '../naming/references.ts'
import { addSelectionFlags, selectionFrom } from '../selection.ts'
import { csvFor } from '../terminal/streams.ts'
import { grouped } from '../terminal/whole-number.ts'
import { noteShown } from '../trail.ts'
import { BOM, csvCell, escapeFormula } from './export/csv.ts'
import { openOutput } from './export/output.ts'
import { delimiterNamed, FORMATS, type Format, formatOf, oneOf } from './import/options.ts'

export interface ExportOptions {
  readonly format?: Format | undefined
  /** A file; standard output without it. */
  readonly out?: string | undefined
  /** Those that choose which records, among others. */
  readonly flags: Flags
  /** May a file be written over? */
  readonly force: boolean
  readonly escapeFormulas: boolean
  readonly bom: boolean
  readonly delimiter?: string | undefined
  readonly showSecrets: boolean
}

export function addExportOptions(command: Command, resource: Resource): Command {
  command
    .addOption(
      new Option('--format <format>', "the format (default: by the file's name, else --output, else csv)").choices(
        FORMATS,
      ),
    )
    .option('--out <file>', 'write to this file, readable only by you (default, or -: standard output)')
    .option('--force', 'overwrite an existing file')
  return addSelectionFlags(command, resource)
    .option(
      '--escape-formulas',
      'keep spreadsheets from running text as formulas; such a file does not import back unchanged',
    )
    .option('--bom', 'begin the CSV with a byte-order mark, so that spreadsheets read it as UTF-8')
    .option('--delimiter <character>', 'the cell delimiter of the CSV: a character, or tab (default: comma)')
    .option('--show-secrets', 'export secrets to a terminal too; files and pipes get them anyway')
}

export function readExportOptions(raw: Readonly<Record<string, unknown>>): ExportOptions {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    return typeof value === 'string' ? value : undefined
  }
  return {
    format: oneOf('--format', FORMATS, text('format')),
    out: text('out') === '-' ? undefined : text('out'),
    flags: raw,
    force: raw.force === true,
    escapeFormulas: raw.escapeFormulas === true,
    bom: raw.bom === true,
    delimiter: delimiterNamed(text('delimiter')),
    showSecrets: raw.showSecrets === true,
  }
}

type Stored = string | number | null

interface Column {
  /** In the file: `tenant` for `tenant_id`. */
  readonly name: string
  readonly fieldName: string
  readonly field: Field
  readonly isReference: boolean
}

/**
 * Writes all records so that an import makes the same ones again. That takes secrets as well, those of gateways
 * included, which the API never shows; a terminal gets none unless asked to. Returns how many were written.
 */
export async function exportRecords(resource: Resource, options: ExportOptions, context: Context): Promise<number> {
  const services = await context.open()
  const format = formatFor(options, context)
  assertForCsv(options, format)
  const selection = await selectionFrom(options.flags, resource, services)
  const isTerminal = options.out === undefined && context.io.stdout.isTTY === true
  const columns = columnsOf(resource, options.showSecrets || !isTerminal)
  sayOfSecrets(resource, columns, isTerminal, context)
  await noteShown(
    context,
    resource.name,
    columns.some(({ field }) => field.secret),
  )
  const fieldNames = columns.map(({ fieldName }) => fieldName)
  const form = formOf(format, columns, options)
  const shown = (text: string): string => {
    if (format !== 'csv') return escapedJson(text)
    return options.out === undefined ? csvFor(context.io.stdout, text) : text
  }
  const output = openOutput(options.out, context.io.stdout, options.force)
  let count = 0
  try {
    await output.write(shown(form.begin))
    for await (const page of services.bulk.dump(resource, fieldNames, selection)) {
      const text = page.map((row, i) => form.row(row, count + i === 0)).join('')
      count += page.length
      if (!(await output.write(shown(text)))) return count
    }
    await output.write(form.end(count))
    await output.end()
  } catch (error) {
    output.discard()
    throw error
  }
  say(context, `${grouped(count)} ${count === 1 ? labelOf(resource) : pluralOf(resource)} exported`)
  return count
}

function assertForCsv(options: ExportOptions, format: Format): void {
  const given = [
    ['--escape-formulas', options.escapeFormulas],
    ['--bom', options.bom],
    ['--delimiter', options.delimiter !== undefined],
  ] as const
  const flag = given.find(([, isGiven]) => isGiven)
  if (flag && format !== 'csv') throw new CliError(EXIT.usage, `${flag[0]} is for CSV, and this export is ${format}`)
}

/** What goes to standard output is printed as --output says; a file is what it is called. */
function formatFor({ format, out }: ExportOptions, { options: { output } }: Pick<Context, 'options'>): Format {
  return formatOf(format ?? (out === undefined && output !== 'table' ? output : undefined), out ?? '')
}

function columnsOf(resource: Resource, withSecrets: boolean): Column[] {
  const references = namedReferences(resource)
  return Object.entries(inFiles(resource).fields).flatMap(([name, field]): Column[] => {
    if (field.secret && !withSecrets) return []
    const reference = references.find(named => named.field === name)
    return [{ name: reference?.column ?? name, fieldName: name, field, isReference: reference !== undefined }]
  })
}

function sayOfSecrets(resource: Resource, columns: readonly Column[], isTerminal: boolean, context: Context): void {
  const secrets = Object.entries(resource.fields).flatMap(([name, { secret }]) => (secret ? [name] : []))
  if (secrets.length === 0) return
  const left = !columns.some(({ field }) => field.secret)
  if (left) say(context, `not shown at a terminal: ${secrets.join(', ')} (--show-secrets shows them)`)
  else if (!isTerminal) say(context, `the export holds secrets: ${secrets.join(', ')}`)
}

interface Form {
  readonly begin: string
  row(values: readonly Stored[], isFirst: boolean): string
  end(count: number): string
}

function formOf(format: Format, columns: readonly Column[], options: ExportOptions): Form {
  const { escapeFormulas, bom, delimiter = ',' } = options
  if (format === 'csv') {
    const cell = (field: Field | undefined, value: Stored): string => {
      const text = asText(field, value)
      return csvCell(escapeFormulas ? escapeFormula(text, field?.dialled !== undefined) : text, delimiter)
    }
    const line = (cells: readonly string[]): string => `${cells.join(delimiter)}\n`
    return {
      begin: (bom ? BOM : '') + line(columns.map(({ name }) => name)),
      row: values => line(values.map((value, i) => cell(columns[i]?.field, value))),
      end: () => '',
    }
  }
  const object = (values: readonly Stored[]): string =>
    `{${values.map((value, i) => `${JSON.stringify(columns[i]?.name)}:${asJson(columns[i], value)}`).join()}}`
  if (format === 'ndjson') return { begin: '', row: values => `${object(values)}\n`, end: () => '' }
  return {
    begin: '[',
    row: (values, isFirst) => `${isFirst ? '' : ','}\n${object(values)}`,
    end: count => (count === 0 ? ']\n' : '\n]\n'),
  }
}

function asText(field: Field | undefined, value: Stored): string {
  if (value === null) return ''
  if (field?.sheet === 'codes') return codeCell(String(value))
  if (field?.dialled) return asWritten(field, String(value))
  if (field?.kind === 'decimal') return formatAmount(Number(value))
  if (field?.kind === 'boolean') return value === 1 ? 'true' : 'false'
  return String(value)
}

function asJson(column: Column | undefined, value: Stored): string {
  if (value === null) return 'null'
  const kind = column?.isReference ? 'text' : column?.field.kind
  if (kind === 'json') return String(value)
  if (kind === 'boolean' || kind === 'integer') return asText(column?.field, value)
  return JSON.stringify(asText(column?.field, value))
}
