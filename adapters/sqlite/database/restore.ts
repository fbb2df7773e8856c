import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../../core/errors.ts'
import { copyDatabase, syncFile, verify } from './copy-file.ts'
import { Sqlite } from './driver.ts'
import { translate } from './errors.ts'
import { isLocked } from './locks.ts'
import { assertNotForeign } from './migrate.ts'

/**
 * Puts a verified copy of a backup, without its sessions, in the database's place. Keeps the former database beside
 * it, damaged or not, and returns its name. Throws `conflict` while another process has it open, `corrupt` if the
 * backup is not sound or the database is another program's.
 */
export function restore(from: string, to: string): { kept: string | null } {
  const draft = `${to}.restored-${process.pid}`
  try {
    assertSound(from)
    const source = new Sqlite(from, { readonly: true, fileMustExist: true })
    try {
      copyDatabase(source, draft)
    } finally {
      source.close()
    }
    endSessions(draft)
    return { kept: replace(to, draft) }
  } catch (error) {
    throw translate(error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** An error of a backup names the backup, and its hint is not to restore one. */
function assertSound(backup: string): void {
  try {
    verify(backup)
  } catch (error) {
    const translated = translate(error)
    if (!(translated instanceof AppError && translated.code === 'corrupt')) throw translated
    throw new AppError('corrupt', `${backup} was not restored: ${translated.message}`, { cause: error })
  }
}

/** The backup's sessions may have ended since. */
function endSessions(path: string): void {
  const db = new Sqlite(path)
  try {
    db.exec('DELETE FROM sessions')
  } finally {
    db.close()
  }
}

const inUse = (path: string): AppError =>
  new AppError('conflict', `${path} is in use.`, { hint: 'systemctl stop trunklined' })

/**
 * Moves the draft to the database's place in one step, so that there is a database at any moment. Returns the name
 * under which the former one is kept; null if there was none.
 */
function replace(path: string, draft: string): string | null {
  const kept = `${path}.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  const isThere = existsSync(path)
  const exchange = (): void => {
    if (isThere) linkSync(path, kept)
    // SQLite would apply the damaged database's leftovers to the restored one.
    for (const rest of ['-wal', '-shm', '-journal'])
      if (existsSync(`${path}${rest}`)) renameSync(`${path}${rest}`, `${kept}${rest}`)
    renameSync(draft, path)
    syncFile(dirname(path))
  }
  try {
    if (isThere) withAlone(path, exchange)
    else exchange()
  } catch (error) {
    const translated = translate(error)
    const isDamaged = translated !== error && translated instanceof AppError && translated.code === 'corrupt'
    // A damaged database's own locks do not show who uses it, but the system knows.
    if (!isDamaged) throw translated instanceof AppError && translated.code === 'busy' ? inUse(path) : translated
    if (isLocked(path)) throw inUse(path)
    exchange()
  }
  return isThere ? kept : null
}

/** Only a connection that has the database to itself may switch the journal. */
function withAlone(path: string, act: () => void): void {
  if (statSync(path).size === 0) {
    act()
    return
  }
  const db = new Sqlite(path, { timeout: 0 })
  try {
    assertNotForeign(db, path)
    db.pragma('locking_mode = EXCLUSIVE')
    if (db.pragma('journal_mode = DELETE', { simple: true }) !== 'delete') throw inUse(path)
    // SQLite empties its journal, and leaves the file while it has the database to itself.
    rmSync(`${path}-journal`, { force: true })
    act()
  } finally {
    db.close()
  }
}
