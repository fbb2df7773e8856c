import { AppError } from '../../../core/errors.ts'
import { translatingErrors } from '../../../core/translating-errors.ts'

export const RESTORE = 'trunkline db restore FILE'
/** The command that shows where the database's path comes from. */
export const CONFIG = 'trunkline config show'

/** What the system says of a path that cannot have a file. */
const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'a part of the path is not a folder',
  ENOTDIR: 'a part of the path is not a folder',
  ENOENT: 'there can be no such folder',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))

export const isConstraint = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_CONSTRAINT')

/** Translates a driver's error to one of ours, about that file if given; returns anything else unchanged. */
export function translate(error: unknown, path?: string): unknown {
  const code = codeOf(error)
  if (error instanceof AppError || !(error instanceof Error) || !code) return error
  const cause = error
  if (isBusy(error))
    return new AppError('busy', 'The database is busy; try again in a moment.', { cause, retryAfter: 1 })
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('storage_full', 'The disk is full; nothing was stored.', { cause })
  if (/^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/.test(code) || code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new AppError(
      'read_only',
      `${path ?? 'The database'} cannot be opened for writing by this user; check who owns it and its folder.`,
      { cause },
    )
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(code))
    return new AppError('corrupt', `${path ?? 'The database file'} is damaged or is not an SQLite database.`, {
      cause,
      hint: RESTORE,
    })
  if (path !== undefined && 'syscall' in error)
    return new AppError(
      'cannot_create',
      `${path} cannot be a database: ${REASONS[code] ?? 'the system refuses it'} (${code}).`,
      {
        cause,
        hint: CONFIG,
      },
    )
  if (code === 'SQLITE_IOERR' || code.startsWith('SQLITE_IOERR_'))
    return new AppError('storage_full', 'The disk could not be read or written; nothing was stored.', { cause })
  return error
}

/** Returns what `work` returns, and translates its errors, about that file. */
export function translated<T>(work: () => T, path: string): T {
  try {
    return work()
  } catch (error) {
    throw translate(error, path)
  }
}

/** Wraps a port so that the driver's errors are translated. */
export const translating = <P extends object>(port: P): P => translatingErrors(port, translate)
