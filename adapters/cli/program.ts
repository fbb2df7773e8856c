import { Command, CommanderError, Option } from 'commander'
import { hasPassword } from '../../core/database-address.ts'
import { AppError } from '../../core/errors.ts'
import type { Profiles } from '../../core/ports/messaging/profiles.ts'
import type { DatabasePlace } from '../../core/ports/storage.ts'
import type { SetupOptions, SwitchSetup } from '../../core/ports/switching/setup.ts'
import type { TelephoneSwitch } from '../../core/ports/switching.ts'
import type { Copying, TableCopied } from '../../core/use-cases/upkeep/copy-database.ts'
import { VERSION } from '../../core/version.ts'
import { intentOf, wantsJson } from './command-line.ts'
import {
  type Context,
  type GlobalOptions,
  type Io,
  type Opening,
  OUTPUTS,
  type Output,
  type Services,
  warnOfSecret,
} from './context.ts'
import { CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'
import { example, layout } from './help.ts'
import { type Failed, fullName, report } from './terminal/report.ts'
import { writeErrors, writeLines } from './terminal/streams.ts'

/** What a command does; a number that it returns is the exit code. */
export type Action = (context: Context, words: readonly string[], flags: Flags) => Promise<unknown>

/** Gives a command its action. */
export type RunCommand = (command: Command, action: Action) => Command

/** A setting's value and where it came from. */
export interface LoadedSettings {
  readonly values: Readonly<Record<string, unknown>>
  readonly sources: Readonly<Record<string, string>>
  readonly file: string | null
  /** Settings that contradict each other, and the command that fixes it. */
  readonly oddities: readonly { readonly kind: string; readonly finding: string; readonly fix: string }[]
}

/** What the composition root gives the command line. Every member throws AppError. */
export interface Wiring {
  settings(options: Pick<GlobalOptions, 'db' | 'config'>): LoadedSettings
  /** Returns the profiles of SMS providers; needs no database. */
  profiles(options: Pick<GlobalOptions, 'db' | 'config'>): Promise<Profiles>
  open(options: GlobalOptions, opening: Opening): Promise<Services & { close(): Promise<void> }>
  /** The settings that the daemon takes as flags; `choices` are all their values, if they are few. */
  readonly daemonFlags: readonly {
    readonly flag: string
    readonly setting: string
    readonly about: string
    readonly value: 'dir' | 'value'
    readonly choices: readonly string[]
  }[]
  /** Returns the switches in the settings. */
  switches(options: Pick<GlobalOptions, 'db' | 'config'>): Promise<readonly TelephoneSwitch[]>
  /** The initial setup of each kind of switch. */
  readonly setups: Readonly<
    Record<string, (options: Pick<GlobalOptions, 'db' | 'config'>, setup: SetupOptions) => Promise<SwitchSetup>>
  >
  /**
   * Runs the daemon until a signal ends it, with its flags by the names of the settings; `force`: even on a database
   * that another daemon serves.
   */
  serve(options: GlobalOptions, settings: Readonly<Record<string, string>>, force: boolean): Promise<void>
  /** Returns where the database is; it is not open. */
  database(options: Pick<GlobalOptions, 'db' | 'config'>): Promise<DatabasePlace>
  /** Copies the database to the place of that name; see `copyDatabase`. */
  copyDatabase(
    to: string,
    options: Pick<GlobalOptions, 'db' | 'config'>,
    watching: Pick<Copying, 'onProgress' | 'signal'>,
  ): Promise<readonly TableCopied[]>
}

/** A command or group of commands, loaded when it is called or its help is shown. */
export interface LazyCommand {
  readonly name: string
  readonly alias?: string
  readonly summary: string
  load(run: RunCommand, wiring: Wiring): Promise<Command>
}

const CHOOSING = new WeakSet<Command>()

/** Lets a command take --fields, since it prints records or rows. Other commands refuse --fields before they begin. */
export function takesFields(command: Command): Command {
  CHOOSING.add(command)
  return command
}

/** Runs one command line and returns its exit code. Never throws or ends the process. */
export async function runProgram(
  argv: readonly string[],
  io: Io,
  wiring: Wiring,
  commands: readonly LazyCommand[],
): Promise<number> {
  const { words, wantsHelp } = intentOf(argv)
  const program = rootCommand()
  const asked = { io, line: argv, asJson: wantsJson(argv), verbose: argv.includes('--verbose') || argv.includes('-v') }
  let exitCode: number = EXIT.ok
  const run: RunCommand = (command, action) =>
    command.action(async (...parameters: unknown[]) => {
      const operands = parameters
        .slice(0, -2)
        .flat()
        .filter(word => word !== undefined)
      exitCode = await perform(wiring, { ...asked, command }, action, operands.map(String))
    })
  for (const lazy of commands) program.addCommand(await loaded(lazy, words[0], run, wiring))
  let misused: Command = program
  settle(program, io, command => {
    misused = command
  })
  try {
    await program.parseAsync(wantsHelp ? helpLine(program, words) : [...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) return report({ ...asked, command: misused }, error)
    if (error.code === 'commander.help') return EXIT.usage
    if (error.code === 'commander.missingArgument') {
      const { code, operand } = await askedFor(error, wiring, { ...asked, command: misused })
      return operand === null ? code : runProgram(withOperand(argv, operand), io, wiring, commands)
    }
    return error.exitCode === 0 ? EXIT.ok : report({ ...asked, command: misused }, error)
  }
}

const rootCommand = (): Command =>
  example(
    globalOptions(new Command('trunkline'))
      .description('Administers the telephone system, on the same database as the daemon.')
      .version(VERSION, '-V, --version')
      .helpCommand('help [command...]', 'help on a command'),
    'trunkline tenant list --output json',
  )

/** Asks for the operand whose lack is the error. Returns the exit code, and the operand if one was typed. */
async function askedFor(
  error: CommanderError,
  wiring: Wiring,
  asked: Asked,
): Promise<{ code: number; operand: string | null }> {
  let operand: string | null = null
  const ask: Action = async context => {
    if (!context.options.interactive) throw error
    const { askOperand } = await import('./terminal/ask-operand.ts')
    operand = await askOperand(context, asked.command)
  }
  const code = await perform(wiring, asked, ask, [])
  return { code, operand }
}

/** Added after `--`, since an option before it might take it as its value. */
const withOperand = (line: readonly string[], operand: string): string[] =>
  line.includes('--') ? [...line, operand] : [...line, '--', operand]

/** Returns the command itself if it is called, else a stand-in for the list of commands. */
async function loaded(
  lazy: LazyCommand,
  called: string | undefined,
  run: RunCommand,
  wiring: Wiring,
): Promise<Command> {
  const { name, alias, summary, load } = lazy
  const isCalled = called === name || (alias !== undefined && called === alias)
  const command = isCalled ? await load(run, wiring) : new Command(name).description(summary)
  return alias ? command.alias(alias) : command
}

/** Returns the line that shows the help of the named command; fails if there is none. */
function helpLine(program: Command, words: readonly string[]): string[] {
  let command = program
  for (const [i, word] of words.entries()) {
    const next = command.commands.find(sub => sub.name() === word || sub.aliases().includes(word))
    if (!next && command.commands.length > 0) return words.slice(0, i + 1)
    if (!next) return [...words.slice(0, i), '--help']
    command = next
  }
  return [...words, '--help']
}

function globalOptions(command: Command): Command {
  return command
    .option('--db <database>', 'the database: a path, or an address postgres://… (default: the setting db)')
    .option('--config <file>', 'the settings file')
    .addOption(new Option('-o, --output <form>', 'the output format (default: table)').choices([...OUTPUTS]))
    .option('--fields <names>', 'only these fields, separated by commas')
    .option('-q, --quiet', 'print only errors')
    .option('-v, --verbose', 'print more about errors')
    .option('--no-color', 'no colours')
    .option('--no-input', 'never ask')
}

const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n')

/** Makes every command report to the same streams, show the global options and take them anywhere. */
function settle(command: Command, io: Io, onMisuse: (command: Command) => void): void {
  command
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: text => void writeLines(io, lines(text)),
      writeErr: text => writeErrors(io, ...lines(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      outputError: () => onMisuse(command),
    })
    .configureHelp(layout)
  for (const sub of command.commands) settle(sub.helpCommand(false), io, onMisuse)
}

/** Returns the options given anywhere on the line; a later one wins. Defaults of negated flags do not count. */
function flagsOf(command: Command): Flags {
  const above = command.parent ? flagsOf(command.parent) : {}
  const own = Object.entries(command.opts()).filter(([name]) => command.getOptionValueSource(name) === 'cli')
  return { ...above, ...Object.fromEntries(own) }
}

function readGlobal(flags: Flags, io: Io): GlobalOptions {
  const output = OUTPUTS.find(form => form === flags['output']) ?? ('table' satisfies Output)
  const isScreen = io.stdout.isTTY === true && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb'
  return {
    ...(typeof flags['db'] === 'string' ? { db: flags['db'] } : {}),
    ...(typeof flags['config'] === 'string' ? { config: flags['config'] } : {}),
    ...(typeof flags['fields'] === 'string' ? { fields: flags['fields'].split(',').map(name => name.trim()) } : {}),
    output,
    quiet: flags['quiet'] === true,
    verbose: flags['verbose'] === true,
    color: isScreen && flags['color'] !== false && output === 'table',
    interactive: io.stdin.isTTY === true && io.stderr.isTTY === true && flags['input'] !== false,
  }
}

/** A command to run, as typed. */
interface Asked extends Failed {
  readonly io: Io
  readonly command: Command
}

/** Runs an action with its command's flags, reports what it throws, and returns the exit code. */
async function perform(wiring: Wiring, asked: Asked, action: Action, words: readonly string[]): Promise<number> {
  const { io, command } = asked
  const flags = flagsOf(command)
  const options = readGlobal(flags, io)
  let opened: ReturnType<Wiring['open']> | null = null
  const open = (opening: Opening = {}): Promise<Services> => {
    opened ??= wiring.open(options, opening)
    return opened
  }
  const close = async (): Promise<void> => {
    const services = await opened?.catch(() => null)
    await services?.close()
  }
  const context: Context = { io, options, line: asked.line, open: opening => open(opening).catch(missingFile) }
  try {
    if (options.fields && !CHOOSING.has(command))
      throw new CliError(EXIT.usage, `--fields does not apply to ${fullName(command)}`)
    if (options.db !== undefined && hasPassword(options.db))
      warnOfSecret(context, '--db', 'TRUNKLINE_DB_PASSWORD_FILE names a file with the password')
    const code = await action(context, words, flags)
    await close()
    return typeof code === 'number' ? code : EXIT.ok
  } catch (error) {
    await close().catch(() => undefined)
    return report({ ...asked, options }, error)
  }
}

/** A missing database is a missing file, not a missing record. */
function missingFile(error: unknown): never {
  if (error instanceof AppError && error.code === 'not_found')
    throw new CliError(EXIT.noInput, error.message, error.details.hint)
  throw error
}
