import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import { Client } from 'pg'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { sql } from '../../../adapters/postgres/database/sql.ts'
import { manualClock } from '../../support/clock.ts'
import { insert } from '../../support/data/rows.ts'
import { until } from '../../support/data/switch.ts'
import { startService, type TestService } from '../../support/http/app.ts'
import { ended } from '../../support/http/jobs.ts'
import { newDatabase, openEmpty } from '../../support/postgres/databases.ts'

type Asked = readonly [what: string, path: string, table: string, json?: unknown]

/** Requests whose statements take long in a large database, with a table that they read, and the body of a POST. */
const LONG_READS: readonly Asked[] = [
  ['a search of a whole list', '/api/cdrs?search=555', 'cdrs'],
  ['a page of a search', '/api/cdrs?search=555&limit=100', 'cdrs'],
  ['a whole list', '/api/cdrs', 'cdrs'],
  ['a record with long arrays', '/api/tenants/1', 'rates'],
  ['the messages of a gateway', '/api/sms-gateways/1/messages', 'sms_messages'],
  ['the unrated calls in the console', '/api/console/records/cdrs?unrated=true', 'cdrs'],
  ['a filtered and sorted view of the console', '/api/console/records/cdrs?filter[disposition]=BUSY&sort=cost', 'cdrs'],
  ['a count', '/api/console/records/cdrs/count?filter[disposition]=BUSY', 'cdrs'],
  ['usage by direction', '/api/console/usage?month=2026-03&by=direction', 'cdrs'],
  ['usage by destination', '/api/console/usage?month=2026-03&by=destination', 'cdrs'],
  ['the audit trail of an actor', '/api/console/audit?actor=nobody', 'audit'],
  ['a trial of rating again', '/api/console/calls/rerate', 'cdrs', { tenant_id: 1, month: '2026-03', dry_run: true }],
]

/** Exports that find few of many records. */
const EXPORTS: readonly (readonly [what: string, path: string])[] = [
  ['of a search', 'cdrs?search=555'],
  ['of a filter', 'cdrs?filter[disposition]=BUSY'],
]

describe('a long read on PostgreSQL whose client goes away', () => {
  let service: TestService
  let session: string
  /** Holds up statements, as much data would. */
  let holder: Client
  /** A transaction sees the activity as it was when it first looked, so that needs a connection of its own. */
  let watcher: Client

  before(async () => {
    const db = await newDatabase()
    service = await startService({ db })
    session = await service.login()
    const { records } = service.trunkline.storage
    await insert(records, 'tenants')
    await insert(records, 'sms_gateways')
    await insert(records, 'cdrs')
    holder = new Client(clientConfig(db))
    watcher = new Client(clientConfig(db))
    await Promise.all([holder.connect(), watcher.connect()])
  })
  after(async () => {
    await Promise.all([holder.end(), watcher.end()])
    await service.close()
  })

  const held = async (): Promise<number> => {
    const { rows } = await watcher.query(`SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'`)
    return Number(rows[0].count)
  }

  /** Runs `ask` while the table is locked, `leave` once the server works, and then waits until it no longer does. */
  const whileHeld = async (table: string, ask: () => Promise<void>, leave: () => Promise<void>): Promise<void> => {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)
    try {
      await ask()
      await until('the server works on it', async () => (await held()) > 0)
      await leave()
      await until('the server works on nothing', async () => (await held()) === 0)
    } finally {
      await holder.query('ROLLBACK')
    }
  }

  for (const [what, path, table, json] of LONG_READS)
    it(`leaves nothing for the server to do: ${what}`, async () => {
      const init = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }
      const headers = { cookie: session, ...(json === undefined ? {} : { 'content-type': 'application/json' }) }
      const ask = (signal?: AbortSignal) =>
        fetch(service.url + path, { ...init, headers, ...(signal ? { signal } : {}) })
      const client = new AbortController()
      let gone: Promise<void> | undefined
      await whileHeld(
        table,
        async () => {
          gone = assert.rejects(ask(client.signal), { name: 'AbortError' })
        },
        async () => {
          client.abort()
          await gone
        },
      )
      const answer = await ask()
      assert.equal(answer.status, 200)
      await answer.text()
    })

  for (const [what, path] of EXPORTS)
    it(`leaves nothing for the server to do once it is stopped: an export ${what}`, async () => {
      let id = 0
      let stopping: Promise<unknown> | undefined
      await whileHeld(
        'cdrs',
        async () => {
          id = (await service.request('POST', `/api/console/exports/${path}`, { session, json: {} })).json.data.id
        },
        async () => {
          stopping = service.request('POST', `/api/console/jobs/${id}/stop`, { session })
        },
      )
      await stopping
      const ask = (method: string, url: string) => service.request(method, url, { session })
      assert.equal((await ended(ask, id)).state, 'stopped')
    })
})

test('a request to stop a statement never stops another one', async () => {
  const storage = await openEmpty(manualClock())
  const { database } = storage
  const one = async (n: number): Promise<void> => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), n % 5)
    const abandoned = database.until(controller.signal).planned.value(sql`SELECT pg_sleep(${(n % 7) / 1000})`)
    await abandoned.catch(error => assert.equal(error, controller.signal.reason))
    assert.equal(await database.planned.value(sql`SELECT ${n}::int FROM pg_sleep(0.001)`), n)
  }
  for (let round = 0; round < 50; round++) await Promise.all(Array.from({ length: 8 }, (_, n) => one(round + n)))
  await storage.close()
})
