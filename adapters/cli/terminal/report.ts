import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { withoutPassword } from '../../../core/database-address.ts'
import { AppError, sentencesByField } from '../../../core/errors.ts'
import { escapedJson } from '../../../core/json.ts'
import { quoted, typed } from '../command-line.ts'
import { type Context, type GlobalOptions, type Io, say } from '../context.ts'
import { againWith, CliError, EXIT, EXIT_OF, type Hint } from '../exit.ts'
import { writeErrors } from './streams.ts'
import { printable } from './styles.ts'

/** Where an error is reported, and what caused it. */
export interface Failed {
  readonly io: Pick<Io, 'stderr' | 'env'>
  readonly line: readonly string[]
  readonly asJson: boolean
  readonly verbose: boolean
  readonly options?: Pick<GlobalOptions, 'db' | 'config'>
  /** The command that failed, or could not be parsed. */
  readonly command?: Command | undefined
}

interface Reported {
  readonly code: string
  readonly exitCode: number
  readonly message: string
  /** True if the hint is for root, since this user may not do it. */
  readonly isForRoot?: boolean
  /** Sentences, a line each; only the message if there are no more. */
  readonly lines?: readonly string[]
  readonly hint?: Hint | undefined
}

/** Prints what went wrong and returns the exit code. */
export async function report(failed: Failed, error: unknown): Promise<number> {
  const { io, asJson, verbose } = failed
  const { code, exitCode, message, lines = [message], hint, isForRoot = false } = problemOf(failed, error)
  const suggestion = hint === undefined ? undefined : ((await written(failed, hint)) ?? helpOf(failed))
  const remedy = suggestion !== undefined && isForRoot ? asRoot(io.env, suggestion) : suggestion
  if (asJson) {
    const { errors: broken, dependants } = detailsOf(error)
    const errors = broken && sentencesByField(broken)
    const shown = { code, message, errors, dependants, hint: remedy, exit_code: exitCode }
    writeErrors(io, escapedJson(JSON.stringify({ error: shown })))
  } else {
    for (const line of lines) if (line !== '') writeErrors(io, `error: ${line}`)
    if (remedy !== undefined) writeErrors(io, `hint: ${remedy}`)
  }
  if (verbose && error instanceof Error && !(error instanceof CommanderError))
    writeErrors(io, ...(error.stack ?? '').split('\n'))
  return exitCode
}

function detailsOf(error: unknown): Partial<AppError['details']> {
  if (error instanceof AppError) return error.details
  return error instanceof CliError && error.cause instanceof AppError ? error.cause.details : {}
}

function problemOf(failed: Failed, error: unknown): Reported {
  if (error instanceof CliError) {
    const { exitCode, message, hint, cause } = error
    return { code: cause instanceof AppError ? cause.code : codeName(exitCode), exitCode, message, hint }
  }
  if (error instanceof AppError) return problemOfApp(failed, error)
  if (error instanceof CommanderError) return misused(failed, error)
  if (error instanceof Error && error.name === 'ExitPromptError')
    return { code: 'interrupted', exitCode: EXIT.interrupted, message: '' }
  return (
    problemOfSystem(error) ?? {
      code: 'internal',
      exitCode: EXIT.bug,
      message: `this is a bug in trunkline: ${error instanceof Error ? error.message : String(error)}`,
      hint: line => [...line, '--verbose'],
    }
  )
}

/** What the system says about a file or folder, by error code. */
const OF_SYSTEM: Readonly<Record<string, readonly [exitCode: number, sentence: string]>> = {
  ENOENT: [EXIT.noInput, 'there is no such file or folder'],
  ENOTDIR: [EXIT.noInput, 'a part of the path is not a folder'],
  EISDIR: [EXIT.noInput, 'it is a folder'],
  EEXIST: [EXIT.cannotCreate, 'it already exists'],
  EACCES: [EXIT.permission, 'this user may not do that'],
  EPERM: [EXIT.permission, 'this user may not do that'],
  EROFS: [EXIT.permission, 'the file system is read-only'],
  ENOSPC: [EXIT.io, 'the disk is full'],
  EDQUOT: [EXIT.io, 'the quota is used up'],
  EFBIG: [EXIT.io, 'the file would be too large'],
  EIO: [EXIT.io, 'the disk could not be read or written'],
  EPIPE: [EXIT.io, 'its reader is gone'],
}

/** Returns the error of a command that cannot create or write its output, with the system's reason. */
export function cannotWrite(path: string, error: unknown, exitCode: number = EXIT.cannotCreate): CliError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  const folder = dirname(path)
  const isMissing = code === 'ENOENT' && !existsSync(folder)
  const sentence = isMissing ? `there is no folder ${folder}` : OF_SYSTEM[code]?.[1]
  return new CliError(exitCode, `cannot write ${path}${sentence ? `: ${sentence}` : ''} (${code})`)
}

function problemOfSystem(error: unknown): Reported | null {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return null
  const [exitCode, sentence] = OF_SYSTEM[String(error.code)] ?? []
  if (exitCode === undefined) return null
  const at = 'path' in error ? `${error.path}: ` : ''
  return { code: codeName(exitCode), exitCode, message: `${at}${sentence} (${error.code})` }
}

function problemOfApp({ command }: Failed, { code, message, details }: AppError): Reported {
  const { errors, hint } = details
  const exitCode = EXIT_OF[code]
  if ((code === 'read_only' || code === 'forbidden') && !hint && process.getuid?.() !== 0)
    return { code, exitCode, message, hint: line => line, isForRoot: true }
  if (!errors) return { code, exitCode, message, hint }
  const lines = errors.map(({ field, sentence }) => {
    const flag = flagFor(command, field)
    return flag ? `${flag}: ${sentence}` : sentence
  })
  return { code, exitCode, message, lines, hint: hint ?? (command && `${fullName(command)} --help`) }
}

/** Returns the flag of a field, if the command has one: --tenant for `tenant_id`, --from for `from_sender`. */
function flagFor(command: Command | undefined, field: string): string | undefined {
  const long = `--${field.replaceAll('_', '-')}`
  const names = [long, long.replace(/-id$/, ''), long.replace(/(\w)-.*$/, '$1')]
  return command?.options.find(option => names.includes(option.long ?? ''))?.long
}

/** Returns what commander found wrong with the line, with a corrected line if possible. */
function misused({ command }: Failed, error: CommanderError): Reported {
  const [said = '', suggestion] = error.message.replace(/^error: /, '').split(/\n(?=\(Did you mean)/)
  const meant = /^\(Did you mean ([^\s,]+)\?\)$/.exec(suggestion ?? '')?.[1]
  const wrong = /'(.+)'/s.exec(said)?.[1]
  const message = said.replace(/^(unknown option '[^=]+)=.*'$/s, "$1'")
  const help = { code: 'usage', exitCode: EXIT.usage, message, hint: helpOf({ command }) }
  if (meant === undefined || wrong === undefined) return help
  if (error.code === 'commander.unknownCommand' && LOSING.test(meant)) return help
  if (error.code === 'commander.unknownCommand' && !isHarmless(meant, command))
    return { ...help, message: `${message}; did you mean ${meant}?` }
  return { ...help, hint: againWith(wrong, meant + (/=.*$/s.exec(wrong)?.[0] ?? '')) }
}

const READING = /^(?:list|show|export|check|quote|usage|ratings|bash|zsh|fish)$/
/** These cannot be undone: nobody who meant another word should be offered one of them. */
const LOSING = /^(?:delete|remove|discard|cancel|revoke|restore)$/
const CHANGING_ALONE = new Set(['init', 'serve'])

/** True if the command changes nothing, so that a corrected line with it may be copied safely. */
const isHarmless = (name: string, command: Command | undefined): boolean =>
  command?.parent ? READING.test(name) : !CHANGING_ALONE.has(name)

const helpOf = ({ command }: Pick<Failed, 'command'>): string => `${command ? fullName(command) : 'trunkline'} --help`

export const fullName = (command: Command): string =>
  command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name()

const codeName = (exitCode: number): string =>
  Object.entries(EXIT)
    .find(([, code]) => code === exitCode)?.[0]
    .replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`) ?? 'command'

/** The module that masks secrets imports every resource, so it is loaded only to repeat a line. */
async function written({ line, options }: Pick<Failed, 'line' | 'options'>, hint: Hint): Promise<string | null> {
  if (typeof hint === 'string') return suggested(hint, options)
  const { masked } = await import('../secrets.ts')
  const words = hint(line)
  // With a masked secret, or without unprintable characters, it would not be the intended command.
  return masked(words).every((word, i) => word === words[i] && word === printable(word)) ? typed(words) : null
}

/** sudo drops the variables that name the database and the settings. */
function asRoot(env: Io['env'], command: string): string {
  const kept = ['TRUNKLINE_CONFIG', 'TRUNKLINE_DB'].flatMap(name =>
    env[name] ? [quoted(`${name}=${withoutPassword(env[name])}`)] : [],
  )
  return ['sudo', ...kept, command].join(' ')
}

/** Prints on standard error which command to run next; nothing with --quiet. */
export async function sayHint(context: Context, hint: Hint): Promise<void> {
  const command = await written(context, hint)
  if (command !== null) say(context, `hint: ${command}`)
}

/** A suggested command works on the same database and settings. */
export function suggested(hint: string, options: Failed['options']): string {
  if (!hint.startsWith('trunkline ') || hint.endsWith('--help')) return hint
  const files = [
    ...(options?.db === undefined ? [] : ['--db', quoted(withoutPassword(options.db))]),
    ...(options?.config === undefined ? [] : ['--config', quoted(options.config)]),
  ]
  return ['trunkline', ...files, hint.slice('trunkline '.length)].join(' ')
}
