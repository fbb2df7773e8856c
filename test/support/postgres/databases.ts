import { createHash, randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { Client } from 'pg'
import { migrations } from '../../../adapters/postgres/database/migrate.ts'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { openStorage, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { CLUSTER, clusterOfTests, spreadOf } from '../citus.ts'
import { type ManualClock, manualClock } from '../clock.ts'
import { STORAGE } from './both.ts'
import { EMPTY } from './content.ts'
import { CHOSEN, runningServer, startServer, type TestServer } from './server.ts'

/** Whether the databases are on a cluster, which runs already. */
const isSpread = process.env[STORAGE] === 'citus'

/** One server for the tests of a file; a run of all tests has started one for all of them. */
let server: Promise<TestServer> | null = null

function present(): Promise<TestServer> {
  server ??= isSpread ? clusterOfTests() : startServer()
  return server
}

const ADMINISTRATION = 'postgres'

/** Runs a statement on every server that has a part of each database. */
async function administered(statement: string): Promise<void> {
  await Promise.all((await present()).partsOf(ADMINISTRATION).map(address => onServer(address, statement)))
}

async function onServer(address: string, statement: string): Promise<void> {
  const client = new Client(clientConfig(address))
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

const dropMade = async (): Promise<void> => {
  for (const name of made.splice(0)) await administered(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

after(async () => {
  if (!isSpread) await dropMade()
  await (await server)?.stop()
})
// A cluster stays, and the tests of a file close their programs last.
if (isSpread) process.once('beforeExit', dropMade)

const newName = (): string => `trunkline_test_${randomBytes(6).toString('hex')}`
const newlyNamed = (name: string): string =>
  `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`

/** The address of an empty database. */
export async function newDatabase(): Promise<string> {
  const name = newName()
  await administered(newlyNamed(name))
  made.push(name)
  return (await present()).address(name)
}

/** The same, whose calls are kept by month. */
const freeByMonth: string[] = []

/** Months of the tests' calls; calls of others are kept together. */
const PREPARED = ['2025-12-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', '2026-03-01T00:00:00.000000Z']

/** An empty storage of the present schema that keeps calls by month. */
export async function openEmptyByMonth(clock: ManualClock): Promise<PostgresStorage> {
  const storage = await openEmpty(clock, { callsByMonth: true })
  for (const now of PREPARED) await storage.retention.prepareMonths(now)
  return storage
}

/** An empty storage of the present schema. */
export async function openEmpty(clock: ManualClock, { callsByMonth = false } = {}): Promise<PostgresStorage> {
  const waiting = callsByMonth ? freeByMonth : free
  const address = waiting.pop() ?? (await (isSpread ? newCopy() : newDatabase()))
  const storage = await openStorage(address, { clock, create: true, callsByMonth }, spreadOf(address))
  return {
    ...storage,
    close: async () => {
      await storage.database.script(EMPTY)
      await storage.close()
      waiting.push(address)
    },
  }
}

/** The address of a database of the present schema. */
async function newCopy(name = newName()): Promise<string> {
  await administered(`CREATE DATABASE ${name} TEMPLATE ${await template()} STRATEGY file_copy`)
  if (isSpread) made.push(name)
  return (await present()).address(name)
}

/**
 * A database of the present schema for a program. Its address is known before the database is there. The run of all
 * tests drops it, since the tests of a file close their programs last.
 */
export function reserve(): { readonly db: string; readonly ready: Promise<void>; release(): Promise<void> } {
  const present = free.pop()
  const name = newName()
  const db = present ?? runningServer(process.env[isSpread ? CLUSTER : CHOSEN] ?? '').address(name)
  const ready = present === undefined ? newCopy(name).then(() => undefined) : Promise.resolve()
  ready.catch(() => undefined)
  const release = async (): Promise<void> => {
    await ready
    await onServer(db, EMPTY)
    free.push(db)
  }
  return { db, ready, release }
}

let templateMade: Promise<string> | null = null

/** The name of a database of the present schema, which the first test of a server creates. */
function template(): Promise<string> {
  templateMade ??= makeTemplate()
  return templateMade
}

async function makeTemplate(): Promise<string> {
  const name = `trunkline_test_schema_${createHash('sha256').update(migrations.join()).digest('hex').slice(0, 12)}`
  const client = new Client(clientConfig((await present()).address(ADMINISTRATION)))
  await client.connect()
  try {
    await client.query(`SELECT pg_advisory_lock(1)`)
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (found.rowCount === 0) await makeTemplateNamed(name)
  } finally {
    await client.end()
  }
  return name
}

/** Nobody ever connects to it, so that it can be copied at any time. */
async function makeTemplateNamed(name: string): Promise<void> {
  const { address, join } = await present()
  const draft = `${name}_draft`
  await administered(newlyNamed(draft))
  await join(draft)
  const storage = await openStorage(address(draft), { clock: manualClock(), create: true }, spreadOf(address(draft)))
  await storage.close()
  await administered(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${draft}'`)
  await administered(`CREATE DATABASE ${name} TEMPLATE ${draft}`)
  await administered(`DROP DATABASE ${draft} WITH (FORCE)`)
}
