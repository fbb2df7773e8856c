import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { connect, type Database } from '../../../../adapters/postgres/database/database.ts'
import { clientConfig } from '../../../../adapters/postgres/database/options.ts'
import { raw } from '../../../../adapters/postgres/database/sql.ts'
import { openStorage, type PostgresStorage } from '../../../../adapters/postgres/storage.ts'
import { FOREVER } from '../../../../core/rating/period.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'
import { newDatabase } from '../../../support/postgres/databases.ts'

describe('a report that reads many calls', () => {
  let storage: PostgresStorage
  let holder: Client
  before(async () => {
    const db = await newDatabase()
    storage = await openStorage(db, { clock: manualClock(), create: true })
    await insert(storage.records, 'tenants')
    holder = new Client(clientConfig(db))
    await holder.connect()
  })
  after(async () => {
    await holder.end()
    await storage.close()
  })

  const reports: readonly (readonly [what: string, table: string, read: () => Promise<unknown>])[] = [
    ['the number of unrated calls', 'cdr_ratings', () => storage.calls.unratedCount()],
    ['the destinations of unrated calls', 'cdr_ratings', () => storage.calls.unratedDestinations(1, FOREVER)],
    ['the rates in use', 'cdr_ratings', () => storage.calls.usedRates(1, FOREVER)],
    ['the figures of the database', 'audit', () => storage.maintenance.statistics()],
  ]
  for (const [what, table, read] of reports)
    it(`lets short statements go on meanwhile: ${what}`, async () => {
      await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
      // More than there are connections for short statements.
      const reading = Array.from({ length: 3 }, read)
      const waiting = `SELECT count(*)::int FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted`
      while ((await storage.database.value<number>(raw(waiting))) !== reading.length);
      await holder.query('COMMIT')
      await Promise.all(reading)
    })

  it('that is cancelled leaves what was sent behind it to be tried again', async () => {
    await holder.query('BEGIN; LOCK TABLE cdr_rating_history IN ACCESS EXCLUSIVE MODE')
    // Two on each connection for short statements: the second counts on the first to have prepared their text.
    const reading = Promise.allSettled(Array.from({ length: 4 }, () => storage.calls.ratings(1)))
    const waiting = `SELECT pid FROM pg_locks WHERE relation = 'cdr_rating_history'::regclass AND NOT granted`
    while ((await holder.query(waiting)).rowCount !== 2);
    await holder.query(`SELECT pg_cancel_backend(pid) FROM (${waiting}) w`)
    await holder.query('COMMIT')
    for (const outcome of await reading) if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'busy')
    assert.deepEqual(await storage.calls.ratings(1), [])
  })
})

describe('a reader of many rows that throws', () => {
  let database: Database
  before(async () => {
    database = connect(await newDatabase())
  })
  after(() => database.close())

  const pid = (): Promise<number> =>
    database.copyOut(raw('SELECT pg_backend_pid()'), () => {
      const read: number[] = []
      return { add: line => void read.push(Number(line.toString())), end: () => read[0] ?? 0 }
    })

  it('gets its own error, once, and its connection is lent to nobody else', async () => {
    const before = await pid()
    let lines = 0
    const reading = database.copyOut(raw('SELECT generate_series(1, 10000000)'), () => ({
      add: () => {
        lines++
        throw new TypeError('No such field.')
      },
      end: () => undefined,
    }))
    await assert.rejects(reading, new TypeError('No such field.'))
    assert.equal(lines, 1)
    assert.notEqual(await pid(), before)
  })
})
