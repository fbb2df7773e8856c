import { type Command, Option } from 'commander'
import { grouped } from '../../../core/format-count.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { exported, secretsIn } from '../../../core/transfer/export.ts'
import { FORMATS, type Format, formatOf } from '../../../core/transfer/formats.ts'
import { type Context, say } from '../context.ts'
import { CliError, EXIT } from '../exit.ts'
import type { Flags } from '../fields.ts'
import { labelOf, pluralOf } from '../naming/references.ts'
import { addSelectionFlags, selectionFrom } from '../selection.ts'
import { csvFor } from '../terminal/streams.ts'
import { noteShown } from '../trail.ts'
import { openOutput } from './export/output.ts'
import { delimiterNamed, oneOf } from './import/options.ts'

export interface ExportOptions {
  readonly format?: Format | undefined
  /** A file; default: standard output. */
  readonly out?: string | undefined
  /** The flags, including those that select records. */
  readonly flags: Flags
  /** True if a file may be overwritten. */
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

/**
 * Writes all records so that an import recreates them. That includes secrets, even gateways' passwords, which the API
 * never shows; a terminal gets them only on request. Returns how many were written.
 */
export async function exportRecords(resource: Resource, options: ExportOptions, context: Context): Promise<number> {
  const services = await context.open()
  const format = formatFor(options, context)
  assertForCsv(options, format)
  const selection = await selectionFrom(options.flags, resource, services)
  const isTerminal = options.out === undefined && context.io.stdout.isTTY === true
  const withSecrets = options.showSecrets || !isTerminal
  sayOfSecrets(resource, withSecrets, isTerminal, context)
  await noteShown(context, resource.name, withSecrets && secretsIn(resource).length > 0)
  const shown = (text: string): string =>
    format === 'csv' && options.out === undefined ? csvFor(context.io.stdout, text) : text
  const output = openOutput(options.out, context.io.stdout, options.force)
  let count = 0
  try {
    for await (const stretch of exported(services.bulk, resource, selection, { ...options, format, withSecrets })) {
      count += stretch.count
      if (!(await output.write(shown(stretch.text)))) return count
    }
    await output.end()
  } catch (error) {
    output.discard()
    throw error
  }
  say(context, `${grouped(count)} ${count === 1 ? labelOf(resource) : pluralOf(resource)} exported`)
  return count
}

function assertForCsv(options: ExportOptions, format: Format): void {
  const flags = [
    ['--escape-formulas', options.escapeFormulas],
    ['--bom', options.bom],
    ['--delimiter', options.delimiter !== undefined],
  ] as const
  const flag = flags.find(([, isGiven]) => isGiven)
  if (flag && format !== 'csv') throw new CliError(EXIT.usage, `${flag[0]} is for CSV, and this export is ${format}`)
}

/** Standard output follows --output; a file follows its name. */
function formatFor({ format, out }: ExportOptions, { options: { output } }: Pick<Context, 'options'>): Format {
  return formatOf(format ?? (out === undefined && output !== 'table' ? output : undefined), out ?? '')
}

function sayOfSecrets(resource: Resource, withSecrets: boolean, isTerminal: boolean, context: Context): void {
  const secrets = secretsIn(resource)
  if (secrets.length === 0) return
  if (!withSecrets) say(context, `not shown in a terminal: ${secrets.join(', ')} (--show-secrets shows them)`)
  else if (!isTerminal) say(context, `the export includes secrets: ${secrets.join(', ')}`)
}
