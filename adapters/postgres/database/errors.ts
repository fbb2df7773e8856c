import { AppError } from '../../../core/errors.ts'
import { translatingErrors } from '../../../core/translating-errors.ts'

/** The code of a driver or server error; empty for any other error. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const isConstraint = (error: unknown): boolean => codeOf(error).startsWith('23')

/** Deadlock or serialization failure: the same transaction may succeed on a second try. */
export const isConflict = (error: unknown): boolean => ['40P01', '40001'].includes(codeOf(error))

/** The server cannot hold this text (such as NUL), so no stored text equals it. */
export const isNoText = (error: unknown): boolean => codeOf(error) === '22021'

const NETWORK = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']

/** The connection is lost, or could not be opened. */
export const isLost = (error: unknown): boolean => {
  const code = codeOf(error)
  return NETWORK.includes(code) || code.startsWith('08') || /^57P0[1-5]$/.test(code) || code === '53300'
}

/** The driver has no code for a connection that ended while a statement waited for its answer. */
export const wasEnded = (error: unknown): boolean =>
  error instanceof Error && !('code' in error) && !(error instanceof AppError)

/** The driver's errors about a lost connection, for what wrote nothing or is undone. */
export const unreachable = (cause: unknown): AppError =>
  new AppError('unavailable', 'The database cannot be reached; try again in a moment.', { cause, retryAfter: 1 })

export const busy = (cause?: unknown): AppError =>
  new AppError('busy', 'The database is busy; try again in a moment.', { cause, retryAfter: 1 })

const REASONS: readonly (readonly [codes: RegExp, make: (cause: unknown) => AppError])[] = [
  [/^(?:53100|58030)$/, cause => new AppError('storage_full', 'The disk is full; nothing was stored.', { cause })],
  [/^(?:55P03|57014|40P01|40001|25P03|26000)$/, cause => busy(cause)],
  [
    /^25006$/,
    cause =>
      new AppError('read_only', 'The database takes no writes: it is a replica, or read-only.', {
        cause,
        hint: 'name the primary server in the address of the database',
      }),
  ],
  [
    /^(?:28\w{3}|3D000)$/,
    cause =>
      new AppError('configuration', 'The database server refuses the user, the password or the database.', { cause }),
  ],
  [
    /^42501$/,
    cause =>
      new AppError('read_only', 'The user may not do this in the database.', {
        cause,
        hint: 'connect as the user who owns the database and its tables',
      }),
  ],
]

/** Translates a driver or server error into one of ours; returns any other as it is. */
export function translate(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error
  if (isLost(error)) return unreachable(error)
  const code = codeOf(error)
  return REASONS.find(([codes]) => codes.test(code))?.[1](error) ?? error
}

/** Wraps a port so that the driver's errors are translated. */
export const translating = <P extends object>(port: P): P => translatingErrors(port, translate)
