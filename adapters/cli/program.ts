import { Command, CommanderError, Option } from 'commander'
import { AppError } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import { type Context, type GlobalOptions, type Io, OUTPUTS, type Output, type Services } from './context.ts'
import { CliError, EXIT, EXIT_OF } from './exit.ts'
import type { Flags } from './fields.ts'

/** What a command does; a number that it returns is the exit code. */
export type Action = (context: Context, words: readonly string[], flags: Flags) => Promise<unknown>

/** Gives a command its action. */
export type RunCommand = (command: Command, action: Action) => Command

/** A setting's value and where it came from. */
export interface LoadedSettings {
  readonly values: Readonly<Record<string, string | number | null>>
  readonly sources: Readonly<Record<string, string>>
  readonly file: string | null
}

/** What the composition root gives the command line. Every member throws AppError. */
export interface Wiring {
  settings(options: Pick<GlobalOptions, 'db' | 'config'>): LoadedSettings
  open(
    options: GlobalOptions,
    opening: { create?: boolean; migrate?: boolean },
  ): Promise<Services & { close(): Promise<void> }>
  /** Runs the daemon until a signal ends it. */
  serve(options: GlobalOptions): Promise<void>
  /** See `Maintenance`; the database is not open. Returns where the one that was there is kept. */
  restore(from: string, options: GlobalOptions): Promise<{ kept: string | null }>
}

/** A command or group of commands, loaded when it is called or when help is asked of it. */
export interface LazyCommand {
  readonly name: string
  readonly alias?: string
  readonly summary: string
  load(run: RunCommand, wiring: Wiring): Promise<Command>
}

export const example = (command: Command, ...lines: string[]): Command =>
  command.addHelpText(
    'after',
    `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${lines.map(line => `  ${line}`).join('\n')}`,
  )

/** Runs one command line and returns its exit code. Nothing is thrown, and nothing ends the process. */
export async function runProgram(
  argv: readonly string[],
  io: Io,
  wiring: Wiring,
  commands: readonly LazyCommand[],
): Promise<number> {
  const program = globalOptions(new Command('trunkline'))
    .description('Administers the telephone system, on the same database as the daemon.')
    .version(VERSION, '-V, --version')
  example(program, 'trunkline tenant list --output json')
  let exitCode: number = EXIT.ok
  const run: RunCommand = (command, action) =>
    command.action(async (...given: unknown[]) => {
      const words = given.slice(0, -2).flat().map(String)
      exitCode = await perform(io, wiring, flagsOf(command), context => action(context, words, flagsOf(command)))
    })
  const invoked = argv.find(word => commands.some(({ name, alias }) => word === name || word === alias))
  for (const { name, alias, summary, load } of commands) {
    const isCalled = invoked === name || (alias !== undefined && invoked === alias)
    const command = isCalled ? await load(run, wiring) : new Command(name).description(summary)
    if (alias) command.alias(alias)
    program.addCommand(command)
  }
  settle(program, io)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(io, false, false, error)
    return error.exitCode === 0 || error.code === 'commander.help' ? EXIT.ok : EXIT.usage
  }
}

function globalOptions(command: Command): Command {
  return command
    .option('--db <file>', 'the database (default: the setting db)')
    .option('--config <file>', 'the settings file')
    .addOption(new Option('-o, --output <form>', 'how data is printed (default: table)').choices([...OUTPUTS]))
    .option('--fields <names>', 'only these fields, separated by commas')
    .option('-q, --quiet', 'say nothing but errors')
    .option('-v, --verbose', 'say more of what goes wrong')
    .option('--no-color', 'no colours')
    .option('--no-input', 'ask nothing')
}

/** Every command takes the global options, in whatever place they stand, and reports to the same streams. */
function settle(command: Command, io: Io): void {
  command
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: text => void io.stdout.write(text),
      writeErr: text => void io.stderr.write(text),
      outputError: (text, print) =>
        print(
          `${text.replace(/^error: /, 'error: ').trimEnd()}\nhint: ${command.parent ? fullName(command) : 'trunkline'} --help\n`,
        ),
    })
  for (const sub of command.commands) {
    for (const option of globalOptions(new Command()).options) {
      const isTaken = sub.options.some(({ long, short }) => long === option.long || (short && short === option.short))
      if (!isTaken) sub.addOption(option.hideHelp())
    }
    sub.configureHelp({ showGlobalOptions: true })
    settle(sub, io)
  }
}

const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

/** The options given anywhere on the line; a later place wins. Defaults of negated flags are no choice. */
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

async function perform(
  io: Io,
  wiring: Wiring,
  flags: Flags,
  action: (context: Context) => ReturnType<Action>,
): Promise<number> {
  const options = readGlobal(flags, io)
  let opened: ReturnType<Wiring['open']> | null = null
  const context: Context = {
    io,
    options,
    open: () => {
      opened ??= wiring.open(options, {})
      return opened
    },
  }
  const close = async (): Promise<void> => {
    await (await opened)?.close()
  }
  try {
    const code = await action(context)
    await close()
    return typeof code === 'number' ? code : EXIT.ok
  } catch (error) {
    await close().catch(() => undefined)
    return report(io, options.output === 'json' || options.output === 'ndjson', options.verbose, error)
  }
}

interface Told {
  readonly code: string
  readonly exitCode: number
  readonly lines: readonly string[]
  readonly hint?: string | undefined
}

function told(error: unknown): Told {
  if (error instanceof CliError)
    return { code: 'command', exitCode: error.exitCode, lines: [error.message], hint: error.hint }
  if (error instanceof AppError) {
    const { errors, hint } = error.details
    const lines = errors ? Object.values(errors).flat() : [error.message]
    const exitCode = error.code === 'not_found' && hint === 'trunkline init' ? EXIT.noInput : EXIT_OF[error.code]
    return { code: error.code, exitCode, lines, hint }
  }
  if (error instanceof Error && error.name === 'ExitPromptError')
    return { code: 'interrupted', exitCode: EXIT.interrupted, lines: [] }
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'internal',
    exitCode: EXIT.bug,
    lines: [`this is a bug in trunkline: ${message}`],
    hint: 'repeat the command with --verbose and report what it prints',
  }
}

/** Prints what went wrong and returns the exit code. */
function report({ stderr }: Io, asJson: boolean, verbose: boolean, error: unknown): number {
  const { code, exitCode, lines, hint } = told(error)
  if (asJson) {
    const errors = error instanceof AppError ? error.details.errors : undefined
    const dependants = error instanceof AppError ? error.details.dependants : undefined
    const message = error instanceof Error ? error.message : String(error)
    stderr.write(`${JSON.stringify({ error: { code, message, errors, dependants, hint, exit_code: exitCode } })}\n`)
  } else {
    for (const line of lines) stderr.write(`error: ${line}\n`)
    if (hint) stderr.write(`hint: ${hint}\n`)
  }
  if (verbose && error instanceof Error) stderr.write(`${error.stack ?? ''}\n`)
  return exitCode
}
