import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { Client } from 'pg'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { openStorage, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import type { ManualClock } from '../clock.ts'
import { startServer, type TestServer } from './server.ts'

/** One server for the tests of a file; a run of all tests has started one for all of them. */
let server: Promise<TestServer> | null = null

function present(): Promise<TestServer> {
  server ??= startServer()
  return server
}

const ADMINISTRATION = 'postgres'

async function administered(statement: string): Promise<void> {
  const client = new Client(clientConfig((await present()).address(ADMINISTRATION)))
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Emptied databases, for the next test: creating one takes longer than emptying it. */
const free: string[] = []
const made: string[] = []

after(async () => {
  for (const name of made) await administered(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await (await server)?.stop()
})

/** The address of an empty database. */
export async function newDatabase(): Promise<string> {
  const name = `trunkline_${randomBytes(6).toString('hex')}`
  await administered(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
  made.push(name)
  return (await present()).address(name)
}

/** An empty storage of the present schema. */
export async function openEmpty(clock: ManualClock): Promise<PostgresStorage> {
  const address = free.pop() ?? (await newDatabase())
  const storage = await openStorage(address, { clock, create: true })
  return {
    ...storage,
    close: async () => {
      await storage.database.script(EMPTY)
      await storage.close()
      free.push(address)
    },
  }
}

/**
 * Ids start at 1 again, as in a new database. Most tables are empty, and TRUNCATE would create new files for all of
 * them.
 */
const EMPTY = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version'
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL
    LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', name); END LOOP; END $$`
