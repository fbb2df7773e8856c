import { raw, sql } from '../../../adapters/postgres/database/sql.ts'
import type { PostgresStorage } from '../../../adapters/postgres/storage.ts'
import type { SqliteStorage } from '../../../adapters/sqlite/storage.ts'
import type { Storage } from '../../../core/ports/storage.ts'

const isSqlite = (storage: Storage): storage is SqliteStorage => 'connection' in storage
const isPostgres = (storage: Storage): storage is PostgresStorage => 'database' in storage

/** The connection and writer of a storage, for tests of SQLite alone. */
export function sqliteOf(storage: Storage): SqliteStorage {
  if (!isSqlite(storage)) throw new Error('This test needs SQLite.')
  return storage
}

/** The rows of a query that both storages understand. */
export async function rowsOf<R>(storage: Storage, query: string): Promise<R[]> {
  if (isPostgres(storage)) return storage.database.rows<R>(sql`${raw(query)}`)
  return sqliteOf(storage).connection.db.prepare<[], R>(query).all()
}

/** The first column of a query that both storages understand. */
export async function columnOf(storage: Storage, query: string): Promise<unknown[]> {
  if (isPostgres(storage)) return storage.database.values<unknown>(sql`${raw(query)}`)
  return sqliteOf(storage).connection.db.prepare<[], unknown>(query).pluck().all()
}

/** Changes stored data past the rules, by statements that both storages understand. */
export async function execute(storage: Storage, statements: string): Promise<void> {
  if (isPostgres(storage)) await storage.database.script(statements)
  else sqliteOf(storage).connection.db.exec(statements)
}

/** Resolves once what is being written is stored. */
export async function drained(storage: Storage): Promise<void> {
  if (!isPostgres(storage)) return sqliteOf(storage).writer.drained()
  // Statements on other connections may overtake one.
  for (let beats = 0; beats < 5; beats++) await storage.heartbeat.beat()
}
