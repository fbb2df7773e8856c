import { join } from 'node:path'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import type { Storage } from '../../core/ports/storage.ts'
import type { ManualClock } from './clock.ts'
import { STORAGE } from './postgres/both.ts'

/** Whether the tests of this process are on PostgreSQL. */
export const onPostgres: boolean = process.env[STORAGE] === 'postgres'

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

/** An empty storage: this file, or a database of the server. */
export async function emptyStorage(path: string, clock: ManualClock): Promise<Storage> {
  return postgres ? postgres.openEmpty(clock) : openStorage(path, { clock, create: true, migrate: true })
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
