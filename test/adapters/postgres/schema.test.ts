import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, migrations } from '../../../adapters/postgres/database/migrate.ts'
import { sql } from '../../../adapters/postgres/database/sql.ts'
import { openStorage } from '../../../adapters/postgres/storage.ts'
import { inPostgres, postgresMigrations, sqliteMigrations } from '../../../adapters/sql/migrations.ts'
import { FLEETING_TABLES, TABLES } from '../../../adapters/sql/tables.ts'
import { migrations as sqliteMigrationsInAll } from '../../../adapters/sqlite/database/migrate.ts'
import { openStorage as openSqlite } from '../../../adapters/sqlite/storage.ts'
import { manualClock } from '../../support/clock.ts'
import { newDatabase } from '../../support/postgres/databases.ts'

/**
 * SQLite's tables for its search indexes, and PostgreSQL's for its schema and for what SQLite keeps in files; PostgreSQL
 * does not count changes of calls.
 */
const OWN = new RegExp(
  `^(search_|schema_version|sqlite_|call_revisions|login_counts|(${FLEETING_TABLES.join('|')})\\.)|_search[._]`,
)
/** SQLite's number for the order of changes; PostgreSQL uses transactions. */
const RENAMED = new Map([['switch_changes.changed_by', 'switch_changes.seq']])

test('both storages keep the same in tables of the same names', async () => {
  const sqlite = openSqlite(':memory:', { clock: manualClock() })
  const storage = await openStorage(await newDatabase(), { clock: manualClock(), create: true })
  const expected = sqlite.connection
    .value<[], string>(
      `SELECT t.name || '.' || c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
    )
    .all()
  const found = await storage.database.values<string>(
    sql`SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'`,
  )
  await storage.close()
  await sqlite.close()
  const kept = new Set(expected.filter(each => !OWN.test(each)))
  const present = new Set(found.filter(each => !OWN.test(each)).map(each => RENAMED.get(each) ?? each))
  const differing = [...kept, ...present].filter(each => !kept.has(each) || !present.has(each))
  assert.deepEqual(differing, [], 'add a migration to adapters/sql/migrations.ts')
})

test('new migrations are of both storages: those of each alone are released, and numbers count all of them', () => {
  assert.equal(migrations.length - postgresMigrations().length, 4, 'add it to adapters/sql/migrations.ts')
  assert.equal(sqliteMigrationsInAll.length - sqliteMigrations().length, 25, 'add it to adapters/sql/migrations.ts')
  assert.equal(sqliteMigrations().length, postgresMigrations().length)
})

test('every text is compared by bytes', async () => {
  const storage = await openStorage(await newDatabase(), { clock: manualClock(), create: true })
  const others = await storage.database.values<string>(
    sql`SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'
      AND table_name = ANY(${[...TABLES, ...FLEETING_TABLES]}) AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`,
  )
  await storage.close()
  assert.deepEqual(others, [])
})

test('SQL of SQLite that creates and changes a table does the same here, with ids, numbers and texts of its own', async () => {
  const storage = await openStorage(await newDatabase(), { clock: manualClock(), create: true })
  const made = inPostgres(`CREATE TABLE places (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL) STRICT;
    ALTER TABLE places ADD COLUMN tenant_id INTEGER REFERENCES tenants (id) ON DELETE CASCADE;`)
  await storage.database.write(within => within.script(made))
  const columns = await storage.database.values<string>(
    sql`SELECT concat_ws(' ', column_name, data_type, collation_name, is_nullable, is_identity)
      FROM information_schema.columns WHERE table_name = 'places' ORDER BY ordinal_position`,
  )
  await storage.close()
  assert.deepEqual(columns, ['id bigint NO YES', 'name text C NO NO', 'tenant_id bigint YES NO'])
})

test('programs that open a new database at once create its schema once', async () => {
  const address = await newDatabase()
  const options = { clock: manualClock(), create: true }
  const opened = await Promise.all(Array.from({ length: 4 }, () => openStorage(address, options)))
  for (const { database, close } of opened) {
    assert.deepEqual(await database.values(sql`SELECT version FROM schema_version`), [migrations.length])
    await close()
  }
})

test('a database without tables is not opened unless they may be created, nor one of a newer Trunkline', async () => {
  const address = await newDatabase()
  const options = { clock: manualClock() }
  await assert.rejects(openStorage(address, options), { code: 'not_found' })
  await assert.rejects(openStorage(address, { ...options, migrate: true }), { code: 'not_found' })
  const { database, close } = await openStorage(address, { ...options, create: true })
  await migrate(database)
  await database.single.run(sql`UPDATE schema_version SET version = version + 1`)
  await close()
  await assert.rejects(openStorage(address, { ...options, migrate: true }), { code: 'corrupt' })
})

test('a server that may lose acknowledged writes is refused', async () => {
  const unaware = (await newDatabase()).replace('&fsync=off', '')
  await assert.rejects(openStorage(unaware, { clock: manualClock(), create: true }), {
    code: 'configuration',
    message: /fsync/,
  })
})
