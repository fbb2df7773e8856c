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

/** Makes a table refuse new rows while a condition holds, until the function returned is called. */
export async function refuse(storage: Storage, table: string, condition = '1 = 1'): Promise<() => Promise<void>> {
  if (isPostgres(storage)) {
    await storage.database.script(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF ${condition} THEN RAISE EXCEPTION 'refused'; END IF; RETURN new; END $$;
      CREATE TRIGGER refuses BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`)
    return () => storage.database.script('DROP FUNCTION refuse CASCADE')
  }
  await execute(
    storage,
    `CREATE TRIGGER refuses BEFORE INSERT ON ${table} WHEN ${condition} BEGIN SELECT raise(ABORT, 'refused'); END`,
  )
  return () => execute(storage, 'DROP TRIGGER refuses')
}

/** Resolves once what is being written is stored. */
export async function drained(storage: Storage): Promise<void> {
  if (!isPostgres(storage)) return sqliteOf(storage).writer.drained()
  // Statements on other connections may overtake one.
  for (let beats = 0; beats < 5; beats++) await storage.heartbeat.beat()
}
