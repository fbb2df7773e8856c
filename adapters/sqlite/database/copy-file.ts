import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../../core/errors.ts'
import type { Damage } from '../../../core/ports/system.ts'
import { Sqlite } from './driver.ts'
import { RESTORE, translate } from './errors.ts'
import { assertOurs, schemaVersion } from './migrate.ts'

/**
 * Copies the database in one step while others write. The copy is verified, synced, readable by its owner only, and
 * appears at its place only when complete. Returns its size in bytes. Throws `conflict` if a file is there already,
 * unless the copy `replaces` it. With `schema`, a copy with another schema, as when another process upgraded first, is
 * not stored, and null is returned.
 */
export function copyDatabase(
  db: Database,
  to: string,
  { schema, replaces }: { schema?: number; replaces?: boolean } = {},
): number | null {
  const draft = `${to}.part-${process.pid}`
  removeDrafts(dirname(to), name => name === basename(to))
  try {
    // VACUUM fills an existing empty file, which gives it its mode.
    closeSync(openSync(draft, 'wx', 0o600))
    db.prepare('VACUUM INTO ?').run(draft)
    const copied = verify(draft, db.name)
    if (schema !== undefined && copied !== schema) return null
    syncFile(draft)
    if (replaces) renameSync(draft, to)
    else linkAt(draft, to)
    syncFile(dirname(to))
    return statSync(to).size
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Gives a complete draft its place. Throws `conflict` if a file is there already. */
export function linkAt(draft: string, to: string): void {
  try {
    linkSync(draft, to)
  } catch (error) {
    throw existsSync(to) ? alreadyThere(to) : error
  }
}

export const alreadyThere = (path: string): AppError => new AppError('conflict', `${path} already exists.`)

/** Removes what killed processes left in a folder of copies to places with those names. */
export function removeDrafts(folder: string, isPlace: (name: string) => boolean): void {
  for (const name of readdirSync(folder)) {
    const [, place = '', pid] = /^(.+)\.part-(\d+)(?:-\w+)?$/.exec(name) ?? []
    if (isPlace(place) && !isAnother(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

/** Returns whether a process other than this one has that id. */
function isAnother(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It may belong to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Returns what is wrong with pages and keys or, if nothing is, with references. */
export function findings(db: Database): Damage[] {
  const damage = damageIn(db)
  if (damage.length > 0) return damage.map(finding => ({ finding, dangling: null }))
  const dangling = db.prepare<[], { table: string; rowid: number; parent: string }>('PRAGMA foreign_key_check').all()
  return dangling.map(({ table, rowid, parent }) => ({
    finding: `${table} ${rowid} refers to a record of ${parent} that is not there`,
    dangling: { table, id: rowid, parent },
  }))
}

function damageIn(db: Database): string[] {
  const lines: string[] = []
  try {
    for (const line of db.prepare<[], string>('PRAGMA integrity_check').pluck().iterate()) lines.push(line)
  } catch (error) {
    const translated = translate(error)
    if (!(translated instanceof AppError && translated.code === 'corrupt')) throw error
    lines.push(`no more can be said: ${error instanceof Error ? error.message : String(error)}`)
  }
  return lines.filter(line => line !== 'ok')
}

/** Returns the schema of a sound Trunkline database. Throws `corrupt` for any other file, naming it as `label`. */
export function verify(path: string, label = path): number {
  const copy = new Sqlite(path, { readonly: true, fileMustExist: true })
  try {
    assertOurs(copy, label)
    const schema = schemaVersion(copy)
    if (schema === 0) throw new AppError('corrupt', `${label} is not a Trunkline database.`)
    const [first] = findings(copy)
    if (first) throw new AppError('corrupt', `${label} is damaged: ${first.finding}.`, { hint: RESTORE })
    return schema
  } finally {
    copy.close()
  }
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
