import { chmodSync, existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import type { Claim } from '../../../core/ports/storage.ts'
import { belongAsFolder, IN_MEMORY, isThere, makeFolder } from './database.ts'
import { Sqlite } from './driver.ts'
import { isBusy, translate } from './errors.ts'
import { holderOf } from './locks.ts'

/** Longer than a check whether a daemon serves takes. */
const PATIENCE_MS = 1_000

/** The same for every name of the database. Throws where there can be none. */
const lockOf = (path: string): string =>
  `${isThere(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))}-lock`

/**
 * Claims to be the one process that serves the database; null if another one does. It locks an empty file beside the
 * database through the system, so the claim ends with the process however that ends. Throws `read_only`,
 * `cannot_create`.
 */
export function claimServing(path: string): Claim | null {
  if (path === IN_MEMORY) return { release: () => undefined }
  try {
    makeFolder(dirname(path))
    const file = lockOf(path)
    const isNew = !existsSync(file)
    const lock = new Sqlite(file, { timeout: PATIENCE_MS })
    try {
      if (isNew) {
        chmodSync(file, 0o600)
        belongAsFolder(file)
      }
      // Nothing is ever written, so no journal file is needed.
      lock.pragma('journal_mode = MEMORY')
      lock.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      lock.close()
      if (isBusy(error)) return null
      throw error
    }
    return { release: () => void lock.close() }
  } catch (error) {
    throw translate(error, path)
  }
}

/** The error for a second daemon. */
export function servedAlready(path: string): AppError {
  const holder = holderOf(lockOf(path))
  const who = holder === null ? 'another daemon' : `another daemon (process ${holder})`
  return new AppError('busy', `${path} is already served by ${who}; --force starts a second daemon anyway.`, {
    hint: 'trunkline status',
  })
}

/** Returns whether a daemon serves the database, whatever its address. */
export function isServed(path: string): boolean {
  const file = path === IN_MEMORY ? path : lockOf(path)
  if (!existsSync(file)) return false
  const lock = new Sqlite(file, { readonly: true, timeout: 0 })
  try {
    lock.pragma('user_version')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw translate(error, path)
  } finally {
    lock.close()
  }
}
