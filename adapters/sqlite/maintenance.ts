import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { AppError } from '../../core/errors.ts'
import type { Maintenance } from '../../core/ports.ts'
import { resources } from '../../core/resources/all.ts'
import type { Connection } from './database.ts'
import { translate } from './errors.ts'
import { assertOurs, schemaVersion } from './migrate.ts'

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0)

export function maintenance({ db, path, value }: Connection): Maintenance {
  return {
    statistics: async () => ({
      path,
      bytes: sizeOf(path),
      logBytes: sizeOf(`${path}-wal`),
      schema: schemaVersion(db),
      counts: Object.fromEntries(
        resources.map(({ name }) => [name, value<[], number>(`SELECT count(*) FROM ${name}`).get() ?? 0]),
      ),
      lastWrites: Object.fromEntries(
        resources
          .filter(({ timestamps }) => timestamps)
          .map(({ name }) => {
            const sql = `SELECT updated_at FROM ${name} ORDER BY id DESC LIMIT 1`
            return [name, value<[], string>(sql).get() ?? null]
          }),
      ),
    }),
    backup: async to => {
      if (existsSync(to))
        throw new AppError('conflict', `There is a file at ${to} already.`, { hint: 'name another file' })
      const draft = `${to}.part-${process.pid}`
      try {
        db.prepare('VACUUM INTO ?').run(draft)
        verify(draft)
        syncFile(draft)
        renameSync(draft, to)
        syncFile(dirname(to))
        return { bytes: sizeOf(to) }
      } catch (error) {
        throw translate(error)
      } finally {
        rmSync(draft, { force: true })
      }
    },
    check: async () => findings(db),
  }
}

function findings(db: Sqlite.Database): string[] {
  const integrity = db.prepare<[], string>('PRAGMA integrity_check').pluck().all()
  const dangling = db.prepare<[], { table: string; rowid: number; parent: string }>('PRAGMA foreign_key_check').all()
  return [
    ...integrity.filter(line => line !== 'ok'),
    ...dangling.map(
      ({ table, rowid, parent }) => `${table} ${rowid} refers to a record of ${parent} that is not there`,
    ),
  ]
}

/** Throws `corrupt` unless the file is a sound Trunkline database. */
export function verify(path: string): void {
  const copy = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    assertOurs(copy, path)
    const [first] = findings(copy)
    if (schemaVersion(copy) === 0) throw new AppError('corrupt', `${path} is not a Trunkline database.`)
    if (first !== undefined) throw new AppError('corrupt', `${path} is damaged: ${first}.`)
  } finally {
    copy.close()
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

/**
 * Puts a verified copy of a backup in the database's place. Throws `conflict` while another process has it open,
 * `corrupt` when the backup is not sound. The database that was there is kept beside it; its name is returned.
 */
export function restore(from: string, to: string): { kept: string | null } {
  const draft = `${to}.part-${process.pid}`
  try {
    verify(from)
    const source = new Sqlite(from, { readonly: true, fileMustExist: true })
    source.prepare('VACUUM INTO ?').run(draft)
    source.close()
    verify(draft)
    syncFile(draft)
    const kept = existsSync(to) ? setAside(to) : null
    renameSync(draft, to)
    syncFile(dirname(to))
    return { kept }
  } catch (error) {
    throw translate(error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Takes the database out of use for good: only who has it alone may switch its journal. */
function setAside(path: string): string {
  const db = new Sqlite(path, { timeout: 0 })
  try {
    db.pragma('locking_mode = EXCLUSIVE')
    if (db.pragma('journal_mode = DELETE', { simple: true }) !== 'delete')
      throw new AppError('conflict', `${path} is in use.`, { hint: 'stop trunklined first' })
    const kept = `${path}.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
    renameSync(path, kept)
    return kept
  } catch (error) {
    const translated = translate(error)
    if (translated instanceof AppError && translated.code === 'busy')
      throw new AppError('conflict', `${path} is in use.`, { hint: 'stop trunklined first' })
    throw translated
  } finally {
    db.close()
  }
}
