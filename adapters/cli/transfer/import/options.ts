import { type Command, Option } from 'commander'
import type { Resource } from '../../../../core/resources/resource.ts'
import { FORMATS } from '../../../../core/transfer/formats.ts'
import { keepsPlace } from '../../../../core/transfer/imported-resource.ts'
import { type ImportOptions, MODES, ON_ERROR } from '../../../../core/transfer/options.ts'
import { CliError, EXIT } from '../../exit.ts'
import { FORCE } from '../../unreadable-values.ts'

/** Options of the command line, beyond those of every import. */
export interface CommandOptions extends ImportOptions {
  readonly rejectFile?: string
  /** With --mode replace: do not ask. */
  readonly yes: boolean
}

const collect = (value: string, before: string[] = []): string[] => [...before, value]

export function addImportOptions(command: Command, resource: Resource): Command {
  const stop = keepsPlace(resource) ? 'keep what came before a bad row, to continue with --resume' : 'all or nothing'
  const modes = resource.deckOf === undefined ? MODES.filter(mode => mode !== 'replace') : MODES
  command
    .option('--force', FORCE)
    .addOption(new Option('--format <format>', "the input's format (default: by its name, else csv)").choices(FORMATS))
    .option('--tenant <SLUG|ID>', 'the tenant of records that do not name one')
    .option(
      '--map <column=field>',
      'the field of a column, such as Price=cost_per_minute; Note= ignores the column; repeatable',
      collect,
    )
    .option('--set <field=value>', 'the same value for all records; repeatable', collect)
    .addOption(new Option('--mode <mode>', 'what happens to records that exist').choices(modes).default('insert'))
    .addOption(
      new Option('--on-error <what>', `stop: ${stop}; continue: keep the good rows`).choices(ON_ERROR).default('stop'),
    )
    .option('--max-errors <n>', 'how many errors to show', '100')
    .option('--reject-file <file>', 'write rejected rows to this file, each with the reason')
    .option('--dry-run', 'check everything, change nothing')
    .option('--resume', 'continue where an interrupted import of the same input stopped')
    .option('--no-resume', 'start from the beginning, even if an import of the same input was interrupted')
    .option('--decimal-comma', 'amounts use a decimal comma: 0,0123')
    .option('--delimiter <character>', 'the cell delimiter: a character, or tab (default: detected)')
    .option('--bom', 'begin the reject file with a byte-order mark, as it does anyway if the input has one')
    .option('--allow-duplicates', 'with --mode insert, allow records with the same key where the API does')
  return resource.deckOf === undefined ? command : addReplaceOptions(command)
}

const addReplaceOptions = (command: Command): Command =>
  command
    .option(
      '--effective <moment>',
      "with --mode replace, when the new deck takes effect, such as 2026-12-01T00:00 in the tenant's time zone (default: now)",
    )
    .option('--allow-empty', 'with --mode replace, accept a file without rows, which deletes all rates')
    .option('-y, --yes', 'with --mode replace, do not ask')

/** Reads the options that commander parsed. Throws if they make no sense. */
export function readImportOptions(raw: Readonly<Record<string, unknown>>): CommandOptions {
  const text = (name: string): string | undefined => {
    const value = raw[name]
    return typeof value === 'string' ? value : undefined
  }
  const format = oneOf('--format', FORMATS, text('format'))
  const tenant = text('tenant')
  const rejectFile = text('rejectFile')
  const delimiter = delimiterNamed(text('delimiter'))
  if (raw.bom === true && rejectFile === undefined)
    throw new CliError(EXIT.usage, '--bom applies to the reject file: give --reject-file too')
  const effective = text('effective')
  return {
    map: pairs('--map', raw.map, true),
    set: pairs('--set', raw.set, false),
    mode: oneOf('--mode', MODES, text('mode')) ?? 'insert',
    onError: oneOf('--on-error', ON_ERROR, text('onError')) ?? 'stop',
    maxErrors: wholeNumber('--max-errors', text('maxErrors') ?? '100'),
    dryRun: raw.dryRun === true,
    decimalComma: raw.decimalComma === true,
    bom: raw.bom === true,
    allowDuplicates: raw.allowDuplicates === true,
    force: raw.force === true,
    yes: raw.yes === true,
    allowEmpty: raw.allowEmpty === true,
    ...(typeof raw.resume === 'boolean' ? { resume: raw.resume } : {}),
    ...(format === undefined ? {} : { format }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(rejectFile === undefined ? {} : { rejectFile }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(effective === undefined ? {} : { effective }),
  }
}

export function oneOf<const T extends string>(flag: string, choices: readonly T[], text: string | undefined) {
  if (text === undefined) return undefined
  const found = choices.find(choice => choice === text)
  if (found === undefined) throw new CliError(EXIT.usage, `${flag} must be ${choices.join(', ')}, not ${text}`)
  return found
}

function wholeNumber(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CliError(EXIT.usage, `${flag} must be a whole number, not ${text}`)
  return Number(text)
}

/** Reads --delimiter. Throws on what cannot separate cells. */
export function delimiterNamed(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const delimiter = text === 'tab' || text === '\\t' ? '\t' : text
  if (delimiter.length !== 1 || '"\r\n'.includes(delimiter))
    throw new CliError(EXIT.usage, `--delimiter must be one character, not ${JSON.stringify(text)}`)
  return delimiter
}

/** Splits at the last `=` with `isLast`, since a column's name may contain one; else at the first. */
function pairs(flag: string, values: unknown, isLast: boolean): (readonly [string, string])[] {
  return (Array.isArray(values) ? values : []).map(item => {
    const text = String(item)
    const at = isLast ? text.lastIndexOf('=') : text.indexOf('=')
    if (at < 1) throw new CliError(EXIT.usage, `${flag} must be NAME=VALUE, not ${JSON.stringify(text)}`)
    return [text.slice(0, at), text.slice(at + 1)] as const
  })
}
