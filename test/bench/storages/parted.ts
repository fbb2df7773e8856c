import { Client } from 'pg'
import { makePartitions } from '../../../adapters/postgres/calls/call-months.ts'
import { connect, type Loading, type Session } from '../../../adapters/postgres/database/database.ts'
import { createSearchIndexes, createTables } from '../../../adapters/postgres/database/migrate.ts'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { openStorage, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { systemClock } from '../../../adapters/system/clock.ts'
import { startServer } from '../../support/postgres/server.ts'
import { FULL_SIZE } from '../dataset.ts'
import { SETTINGS } from './pair.ts'

/** Two databases on one server that keep calls by month, with the usual number of calls and with all. */
export interface PartedPair {
  readonly few: PostgresStorage
  readonly many: PostgresStorage
  close(): Promise<void>
}

const CALLS = 'cdrs'
const OTHERS = ['tenants', 'extensions', 'rates']
const clock = systemClock()

type Source = InstanceType<typeof Sqlite>

/** Fills them from a SQLite database: the few are every n-th call of the many, so that both have the same months. */
export async function openParted(path: string): Promise<PartedPair> {
  const server = await startServer('', SETTINGS)
  const source = new Sqlite(path, { readonly: true })
  const admin = new Client(clientConfig(server.address('postgres')))
  await admin.connect()
  try {
    const last = source.prepare<[], number>(`SELECT max(id) FROM ${CALLS}`).pluck().get() ?? 0
    const isOfFew = `id % ${Math.max(1, Math.round(last / FULL_SIZE.cdrs))} = 0`
    await admin.query("CREATE DATABASE few TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'")
    await inSession(server.address('few'), async session => {
      await session.write(within => createTables(within, { partitionsCallsAt: clock.now() }))
      for (const table of OTHERS) await session.write(within => copyRows(within, source, table))
      await session.write(within => copyCalls(within, source, isOfFew))
    })
    await admin.query('CREATE DATABASE many TEMPLATE few STRATEGY file_copy')
    await inSession(server.address('many'), session =>
      session.write(within => copyCalls(within, source, `NOT ${isOfFew}`)),
    )
    for (const name of ['few', 'many'])
      await inSession(server.address(name), async session => {
        await session.write(createSearchIndexes)
        await session.script('VACUUM ANALYZE')
      })
    const open = (name: string) => openStorage(server.address(name), { clock })
    const [few, many] = [await open('few'), await open('many')]
    const close = async () => {
      await Promise.all([few.close(), many.close()])
      await server.stop()
    }
    return { few, many, close }
  } catch (error) {
    await server.stop()
    throw error
  } finally {
    await admin.end().catch(() => undefined)
    source.close()
  }
}

async function inSession(address: string, work: (session: Session) => Promise<void>): Promise<void> {
  const database = connect(address)
  const session = database.session()
  try {
    await work(session)
  } finally {
    await session.close()
    await database.close()
  }
}

async function copyCalls(within: Loading, source: Source, condition: string): Promise<void> {
  const months = source.prepare<[], string>(`SELECT DISTINCT substr(started_at, 1, 7) FROM ${CALLS}`).pluck().all()
  await makePartitions(within, months, clock.now())
  await copyRows(within, source, CALLS, condition)
}

/** With new ids, in order. */
async function copyRows(within: Loading, source: Source, table: string, condition = 'true'): Promise<void> {
  const names = source
    .prepare(`SELECT * FROM ${table}`)
    .columns()
    .map(({ name }) => name)
  const columns = names.filter(name => name !== 'id').join()
  const rows = source.prepare<[], (string | number | null)[]>(
    `SELECT ${columns} FROM ${table} WHERE ${condition} ORDER BY id`,
  )
  await within.copy(table, columns.split(','), rows.raw().iterate())
}
