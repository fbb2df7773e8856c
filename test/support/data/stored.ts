import type { SqliteStorage } from '../../../adapters/sqlite/storage.ts'
import type { Storage } from '../../../core/ports/storage.ts'

const isSqlite = (storage: Storage): storage is SqliteStorage => 'connection' in storage

/** The connection and writer of a storage, for tests of SQLite alone. */
export function sqliteOf(storage: Storage): SqliteStorage {
  if (!isSqlite(storage)) throw new Error('This test needs SQLite.')
  return storage
}
