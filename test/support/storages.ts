import { join } from 'node:path'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { isServerAddress } from '../../core/database-address.ts'
import type { Storage } from '../../core/ports/storage.ts'
import type { Clock } from '../../core/ports/system.ts'
import { STORAGE } from './postgres/both.ts'

/** Whether the tests of this process are on a Citus cluster. */
export const onCitus: boolean = process.env[STORAGE] === 'citus'

/** Whether they are on PostgreSQL, of one server or of a cluster. */
export const onPostgres: boolean = onCitus || process.env[STORAGE] === 'postgres'

/** Loaded before any test begins, since it cleans up when all tests of a file have ended. */
const postgres = onPostgres ? await import('./postgres/databases.ts') : null

export interface TestDatabase {
  /** The setting `db`. */
  readonly db: string
  /** Resolves once the database can be opened. */
  readonly ready: Promise<void>
  /** Gives the database back: nothing uses it any more. */
  release(): Promise<void>
}

/** An empty database for a test: this file, or a database of the server. */
export function emptyDatabase(path: string): TestDatabase {
  if (postgres) return postgres.reserve()
  return { db: path, ready: Promise.resolve(), release: async () => undefined }
}

/** Opens the database with this setting `db`. */
export async function opened(db: string, clock: Clock): Promise<Storage> {
  const opening = { clock, create: true, migrate: true }
  if (!isServerAddress(db)) return openStorage(db, opening)
  const [postgres, { spreadOf }] = [await import('../../adapters/postgres/storage.ts'), await import('./citus.ts')]
  return postgres.openStorage(db, opening, spreadOf(db))
}

const known = new Map<string, Promise<string>>()

/** The setting `db` for this path, the same each time: of the file itself, or of a database of the server. */
export function databaseAt(...path: readonly string[]): Promise<string> {
  const file = join(...path)
  const make = async (): Promise<string> => {
    const { db, ready } = emptyDatabase(file)
    await ready
    return db
  }
  const present = known.get(file) ?? make()
  known.set(file, present)
  return present
}

/** Opens the database as another process does, and closes it again. */
export async function onDatabase<T>(db: string, clock: Clock, use: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await opened(db, clock)
  return use(storage).finally(() => storage.close())
}

/**
 * The first columns of calls of the first tenant that tests insert themselves, from a table of numbers `i`: on a
 * cluster, no default gives an id its bucket. They begin after those that the test has stored before.
 */
export const BUCKETED = onCitus
  ? { columns: 'id, bucket, ', values: '(i + 1000) * 4096 + 1, 1, ' }
  : { columns: '', values: '' }

/** Why what needs a backup cannot run here, or false. */
export const noDumps: string | false = onCitus ? 'a cluster is not backed up by a dump' : false

/** Makes backups and restores possible on either storage, with files in this folder. */
export async function allowDumps(folder: string): Promise<void> {
  if (onPostgres) (await import('./postgres/dump-programs.ts')).standInDumps(folder)
}
