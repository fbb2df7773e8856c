import { Client } from 'pg'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { openStorage as openPostgres, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { openStorage as openSqlite } from '../../../adapters/sqlite/storage.ts'
import { systemClock } from '../../../adapters/system/clock.ts'
import { startServer } from '../../support/postgres/server.ts'

/** The ports that are measured. */
export type Measured = Pick<PostgresStorage, 'records' | 'calls' | 'bulk'>

export interface Pair {
  readonly sqlite: Measured
  readonly postgres: Measured
  readonly address: string
  close(): Promise<void>
}

const DATABASE = 'bench'
/** A durable server with the memory that a small machine would give it. */
export const SETTINGS = ['shared_buffers=512MB', 'maintenance_work_mem=256MB', 'max_wal_size=4GB']
/** In the order of their references. */
const TABLES = ['tenants', 'extensions', 'rates', 'cdrs']

/** Opens a SQLite database, and a PostgreSQL database on its own server with the same records. */
export async function openPair(path: string): Promise<Pair> {
  const server = await startServer(undefined, SETTINGS)
  const admin = new Client(clientConfig(server.address('postgres')))
  await admin.connect()
  await admin.query(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
  await admin.end()
  const clock = systemClock()
  const postgres = await openPostgres(server.address(DATABASE), { clock, create: true })
  await fill(postgres, path)
  const sqlite = openSqlite(path, { clock })
  return {
    sqlite,
    postgres,
    address: server.address(DATABASE),
    close: async () => {
      await Promise.all([sqlite.close(), postgres.close()])
      await server.stop()
    },
  }
}

async function fill({ database }: PostgresStorage, path: string): Promise<void> {
  const source = new Sqlite(path, { readonly: true })
  const session = database.session()
  try {
    await session.write(async within => {
      for (const table of TABLES) {
        const rows = source.prepare<[], (string | number | null)[]>(`SELECT * FROM ${table} ORDER BY id`)
        await within.copy(
          table,
          rows.columns().map(({ name }) => name),
          rows.raw().iterate(),
        )
        await within.script(`SELECT setval('${table}_id_seq', (SELECT max(id) FROM ${table}))`)
      }
    })
    await session.script('VACUUM ANALYZE')
  } finally {
    await session.close()
    source.close()
  }
}
