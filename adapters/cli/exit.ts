import type { ErrorCode } from '../../core/errors.ts'

/** Exit codes from sysexits.h. */
export const EXIT = {
  ok: 0,
  /** A negative outcome: a send that failed, a doctor with findings. */
  negative: 1,
  usage: 64,
  data: 65,
  noInput: 66,
  noRecord: 67,
  unavailable: 69,
  bug: 70,
  cannotCreate: 73,
  io: 74,
  busy: 75,
  permission: 77,
  configuration: 78,
  interrupted: 130,
  terminated: 143,
} as const

export const EXIT_OF: Readonly<Record<ErrorCode, number>> = {
  malformed: EXIT.data,
  invalid: EXIT.data,
  unauthenticated: EXIT.permission,
  invalid_credentials: EXIT.permission,
  forbidden: EXIT.permission,
  not_found: EXIT.noRecord,
  method_not_allowed: EXIT.usage,
  conflict: EXIT.data,
  too_large: EXIT.data,
  unsupported_media: EXIT.data,
  too_many_attempts: EXIT.busy,
  busy: EXIT.busy,
  unavailable: EXIT.unavailable,
  outcome_unknown: EXIT.unavailable,
  storage_full: EXIT.io,
  read_only: EXIT.permission,
  cannot_create: EXIT.cannotCreate,
  configuration: EXIT.configuration,
  outdated: EXIT.configuration,
  corrupt: EXIT.io,
  internal: EXIT.bug,
}

/** The command that fixes the problem: a text, or derived from the command line as typed. */
export type Hint = string | Rewriting
type Rewriting = (line: readonly string[]) => readonly string[]

/** Returns the same command with more options. */
export const withMore =
  (...words: string[]): Rewriting =>
  line => {
    // What follows -- is not an option.
    const end = line.indexOf('--')
    return end === -1 ? [...line, ...words] : line.toSpliced(end, 0, ...words)
  }

/** Returns the same command with this option, replacing its value if it had one. */
export const again =
  (option: string, ...values: string[]): Rewriting =>
  line => {
    const at = line.findIndex(word => word === option || word.startsWith(`${option}=`))
    if (at === -1) return withMore(option, ...values)(line)
    return [...line.slice(0, at), option, ...values, ...line.slice(at + (line[at] === option ? 1 + values.length : 1))]
  }

/** Returns the same command with one word corrected. */
export const againWith =
  (wrong: string, right: string): Hint =>
  line =>
    line.map(word => (word === wrong ? right : word.startsWith('-') ? word.replace(`=${wrong}`, `=${right}`) : word))

const ENDING = ['SIGINT', 'SIGTERM'] as const

/**
 * Calls back with the exit code on the first signal; a second signal ends the process. Returns a function that undoes
 * this.
 */
export function onEnding(end: (exitCode: number) => void): () => void {
  const onSignal = (signal: NodeJS.Signals): void => end(signal === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted)
  for (const signal of ENDING) process.once(signal, onSignal)
  return () => {
    for (const signal of ENDING) process.off(signal, onSignal)
  }
}

/** Returns the error of an interrupted command: the signal's reason, if it has one. */
export const interruption = ({ reason }: AbortSignal): CliError =>
  reason instanceof CliError ? reason : new CliError(EXIT.interrupted, 'interrupted: nothing was stored')

/** Ends a command with its own exit code; the message goes to standard error. */
export class CliError extends Error {
  readonly exitCode: number
  readonly hint: Hint | undefined

  constructor(exitCode: number, message: string, hint?: Hint, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'CliError'
    this.exitCode = exitCode
    this.hint = hint
  }
}
