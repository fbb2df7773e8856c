import { chmodSync, chownSync, closeSync, existsSync, linkSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Database, Statement } from 'better-sqlite3'
import { AppError } from '../../../core/errors.ts'
import type { StorageOptions } from '../../../core/ports/storage.ts'
import { fold } from '../../../core/search.ts'
import { partsOf } from '../../../core/sms/text.ts'
import { copyDatabase } from './copy-file.ts'
import { Sqlite } from './driver.ts'
import { CONFIG, RESTORE, translate } from './errors.ts'
import { assertOurs, migrate, migrations, schemaVersion } from './migrate.ts'
import { Turns } from './turns.ts'

export type OpenOptions = Pick<StorageOptions, 'create' | 'migrate' | 'storesMany' | 'onUpgrade'>

/** A connection that prepares every query once. */
export interface Connection {
  readonly db: Database
  readonly path: string
  /** Returns the prepared statement for a text, always the same one. Rows are objects. */
  query<P extends unknown[], R>(sql: string): Statement<P, R>
  /** The same with rows as arrays. */
  rows<P extends unknown[], R>(sql: string): Statement<P, R>
  /** The same with the first column only. */
  value<P extends unknown[], R>(sql: string): Statement<P, R>
  /** Shares the event loop among all readers of many records. */
  readonly turns: Turns
  close(): void
}

export const IN_MEMORY = ':memory:'

/** Waiting for another process's lock blocks the event loop, so the wait is short here, and the writer retries. */
export const BUSY_TIMEOUT_MS = 5
/** Waits for another process that is creating or upgrading the database. */
const OPENING_TIMEOUT_MS = 10_000
const CACHE_KIB = 32_768
/**
 * Pages of the log between checkpoints: four times the default, as many as its index holds, since the same pages
 * change repeatedly.
 */
const LOG_PAGES = 4_000
/** A long import changes most index pages repeatedly: it takes a third less time if the log holds more. */
const LONG_LOG_PAGES = 16_000
const JOURNAL_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * Opens a database for durable use: WAL, every commit synced, foreign keys on, readable by its owner only. `prepare`
 * runs last. Throws `not_found`, `outdated`, `corrupt`, `read_only`, `cannot_create`.
 */
export function openDatabase(
  path: string,
  options: OpenOptions = {},
  prepare: (opened: Connection) => void = () => {},
): Connection {
  try {
    if (path !== IN_MEMORY) prepareFile(path, options)
    const db = new Sqlite(path, { timeout: OPENING_TIMEOUT_MS })
    try {
      configure(db, path, options)
      const opened = connection(db, path)
      prepare(opened)
      db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
      return opened
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    throw translate(error, path)
  }
}

function prepareFile(path: string, { create }: OpenOptions): void {
  if (isThere(path)) return
  if (!create) throw new AppError('not_found', `There is no database at ${resolve(path)}.`, { hint: 'trunkline init' })
  createFile(path)
}

/** Returns whether a file exists that may be a database. Throws if something else is there, or an empty file. */
export function isThere(path: string): boolean {
  // statSync throws for a file in a folder that this user may not read: the file exists nevertheless.
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return false
  if (!found.isFile())
    throw new AppError('cannot_create', `${path} is not a regular file, so it cannot be a database.`, { hint: CONFIG })
  if (found.size === 0)
    throw new AppError(
      'corrupt',
      `${path} is empty, not a database; delete it, and trunkline init creates a new one.`,
      {
        hint: RESTORE,
      },
    )
  return true
}

/** Creates a folder and its parents. Node's own way never ends where that is impossible, as in /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder)) throw error
  }
}

/** Gives what root creates in another user's folder to that user, whose daemon could not open it otherwise. */
export function belongAsFolder(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  chownSync(path, uid, gid)
}

/**
 * Creates the database beside its place and links it there when complete, so that no other process finds half of one.
 */
function createFile(path: string): void {
  makeFolder(dirname(path))
  const draft = `${path}.new-${process.pid}`
  rmSync(draft, { force: true })
  closeSync(openSync(draft, 'wx', 0o600))
  const db = new Sqlite(draft)
  try {
    migrate(db)
    db.close()
    belongAsFolder(draft)
    linkSync(draft, path)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    db.close()
    rmSync(draft, { force: true })
  }
}

function configure(db: Database, path: string, options: OpenOptions): void {
  assertOurs(db, path)
  if (path !== IN_MEMORY && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  const journal = db.pragma('journal_mode = WAL', { simple: true })
  if (journal !== 'wal' && path !== IN_MEMORY)
    throw new AppError('read_only', `${path} cannot use write-ahead logging.`)
  db.pragma('synchronous = FULL')
  if (db.pragma('synchronous', { simple: true }) !== 2) throw new Error('SQLite would not sync every commit.')
  db.pragma(`foreign_keys = ${options.storesMany ? 'OFF' : 'ON'}`)
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma(`wal_autocheckpoint = ${options.storesMany ? LONG_LOG_PAGES : LOG_PAGES}`)
  db.pragma(`journal_size_limit = ${JOURNAL_LIMIT_BYTES}`)
  db.pragma('temp_store = MEMORY')
  db.function('fold', { deterministic: true }, text => fold(String(text)))
  db.function('sms_parts', { deterministic: true }, text => partsOf(String(text)))
  db.function('holds', { deterministic: true }, (text, needle) => Number(fold(String(text)).includes(String(needle))))
  const schema = schemaVersion(db)
  if (schema === migrations.length) return
  if (!options.migrate && path !== IN_MEMORY)
    throw new AppError('outdated', `${path} has an older schema.`, { hint: 'trunkline db migrate' })
  if (schema > 0) keepFormer(db, schema, options)
  migrate(db)
}

function keepFormer(db: Database, schema: number, { onUpgrade }: OpenOptions): void {
  const copy = `${db.name}.schema-${schema}.backup`
  onUpgrade?.({ schema, copy })
  copyDatabase(db, copy, { schema, replaces: true })
}

function connection(db: Database, path: string): Connection {
  const cache = <P extends unknown[], R>(shape: (statement: Statement<P, R>) => Statement<P, R>) => {
    const prepared = new Map<string, unknown>()
    return <Q extends unknown[], S>(sql: string): Statement<Q, S> => {
      const cached = prepared.get(sql)
      if (cached) return cached as Statement<Q, S>
      const statement = shape(db.prepare<P, R>(sql))
      prepared.set(sql, statement)
      return statement as unknown as Statement<Q, S>
    }
  }
  return {
    db,
    path,
    query: cache(statement => statement),
    rows: cache(statement => statement.raw()),
    value: cache(statement => statement.pluck()),
    turns: new Turns(),
    close: () => db.close(),
  }
}
