import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from 'pg'
import { connect } from '../../../../adapters/postgres/database/database.ts'
import { clientConfig } from '../../../../adapters/postgres/database/options.ts'
import { raw } from '../../../../adapters/postgres/database/sql.ts'
import { openStorage } from '../../../../adapters/postgres/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { newDatabase } from '../../../support/postgres/databases.ts'
import { type PoolMode, pooler } from '../../../support/postgres/pooler.ts'

describe('a pooler before the server', () => {
  let db: string
  let victim: Client
  before(async () => {
    db = await newDatabase()
    victim = new Client(clientConfig(db))
    await victim.connect()
  })
  after(() => victim.end())

  async function behind<T>(mode: PoolMode, use: (place: Awaited<ReturnType<typeof pooler>>) => Promise<T>): Promise<T> {
    const place = await pooler(db, mode)
    return use(place).finally(place.close)
  }
  const opened = (address: string) => openStorage(address, { clock: manualClock(), create: true })

  it('that invents process ids: a cancelled read ends its own statement, and nobody else’s', () =>
    behind('session', async place => {
      const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const pid = rows[0]?.pid ?? 0
      place.giveOut(pid)
      const database = connect(place.address)
      const leaving = new AbortController()
      const theirs = victim.query('SELECT pg_sleep(601)').catch((error: Error) => error.message)
      const ours = database.until(leaving.signal).planned.value(raw('SELECT pg_sleep(600)'))
      const asleep = raw(`SELECT substring(query FROM '60[01]') FROM pg_stat_activity
        WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active' ORDER BY 1`)
      while ((await database.values<string>(asleep)).join() !== '600,601');
      leaving.abort()
      await assert.rejects(ours, { name: 'AbortError' })
      let left = await database.values<string>(asleep)
      while (left.includes('600') && left.length > 1) left = await database.values<string>(asleep)
      assert.deepEqual(left, ['601'])
      await database.value(raw(`SELECT pg_cancel_backend(${pid})`))
      assert.match(await theirs.then(String), /user request/)
      await database.close()
    }))

  it('that drops the settings of connections does not change them', () =>
    behind('session', async place => {
      const database = connect(place.address)
      const setting = (name: string) => raw(`SELECT current_setting('${name}')`)
      const session = database.session()
      const taken = await Promise.all([
        ...['statement_timeout', 'lock_timeout', 'TimeZone'].map(name => database.value(setting(name))),
        database.write(within => within.value(setting('idle_in_transaction_session_timeout'))),
        session.value(setting('statement_timeout')),
      ])
      await session.close()
      const joins = await database.copyOut(setting('enable_hashjoin'), () => {
        const lines: string[] = []
        return { add: line => void lines.push(line.toString().trim()), end: () => lines.join() }
      })
      assert.deepEqual([...taken, joins], ['1min', '25s', 'UTC', '1min', '0', 'off'])
      await database.close()
    }))

  it('in session mode serves a storage; in transaction mode none is opened, with the reason', async () => {
    await behind('session', async ({ address }) => {
      const storage = await opened(address)
      assert.equal(await storage.calls.unratedCount(), 0)
      await storage.close()
    })
    await behind('transaction', async ({ address }) => {
      await assert.rejects(opened(address), {
        code: 'configuration',
        message: 'A connection pooler gives each transaction another session of the database server.',
      })
    })
  })
})
