import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DATED, oldestSql } from '../../../adapters/sqlite/service/retention.ts'
import { openStorage, type SqliteStorage } from '../../../adapters/sqlite/storage.ts'
import { manualClock } from '../../support/clock.ts'
import { idsOf, insert, listOf } from '../../support/data/rows.ts'
import { queuedMessage } from '../../support/messaging/messages.ts'

const BEFORE = '2026-01-01T00:00:00.000000Z'
const OLD = '2025-12-31T23:59:59.999999Z'

async function stored(run: (storage: SqliteStorage) => Promise<void>): Promise<void> {
  const storage = openStorage(':memory:', { clock: manualClock() })
  try {
    await insert(storage.records, 'tenants')
    await run(storage)
  } finally {
    await storage.close()
  }
}

const calls = (storage: SqliteStorage, count: number, started_at: string): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, () => insert(storage.records, 'cdrs', { started_at })))

describe('data past its retention', () => {
  it('is deleted with its dependants, and nothing else is', () =>
    stored(async storage => {
      const { db } = storage.connection
      await calls(storage, 3, BEFORE)
      await calls(storage, 1_003, OLD)
      await calls(storage, 2, BEFORE)
      const rated = db.prepare(
        `INSERT INTO cdr_ratings (cdr_id, source, switch_call_id, outcome) SELECT id, 'test', id, 'rated' FROM cdrs`,
      )
      rated.run()
      assert.equal(await storage.retention.deleteBefore('cdrs', BEFORE), 1_003)
      assert.equal((await idsOf(storage.records, 'cdrs')).length, 5)
      assert.equal(db.prepare('SELECT count(*) FROM cdr_ratings').pluck().get(), 5)
      assert.equal(await storage.retention.deleteBefore('cdrs', BEFORE), 0)
    }))

  it('is deleted in steps, between which other writes get their turn', () =>
    stored(async storage => {
      await calls(storage, 1_000, OLD)
      let done = false
      const deleting = storage.retention.deleteBefore('cdrs', BEFORE).finally(() => {
        done = true
      })
      const left: number[] = []
      while (!done) {
        await insert(storage.records, 'queues')
        const count = storage.connection.db.prepare('SELECT count(*) FROM cdrs').pluck().get()
        if (count !== left.at(-1)) left.push(Number(count))
      }
      assert.equal(await deleting, 1_000)
      assert.ok(left.length >= 4, `it was seen at ${left.join()}`)
    }))

  it('is not deleted further once the deletion is aborted', () =>
    stored(async storage => {
      await calls(storage, 1_000, OLD)
      const stop = new AbortController()
      const deleting = storage.retention.deleteBefore('cdrs', BEFORE, stop.signal)
      await insert(storage.records, 'queues')
      stop.abort()
      assert.ok((await deleting) < 1_000)
    }))

  it('is found without reading the rest', () =>
    stored(async ({ connection }) => {
      for (const rows of Object.values(DATED)) {
        const plan = connection.db.prepare(`EXPLAIN QUERY PLAN ${oldestSql(rows)}`).all(BEFORE)
        assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE/, rows.table)
      }
    }))
})

describe('the answers of gateways', () => {
  it('are emptied when they are too old, each once, and the rest of their messages is kept', () =>
    stored(async storage => {
      const { id: _, ...silent } = queuedMessage({ requested_at: OLD })
      await storage.messages.create(silent, BEFORE)
      const times = [...Array.from({ length: 450 }, () => OLD), BEFORE]
      for (const requested_at of times) {
        const { id: _, ...message } = queuedMessage({ requested_at, remote_response: '{"id":"x"}' })
        await storage.messages.create(message, BEFORE)
      }
      assert.equal(await storage.retention.clearResponsesBefore(BEFORE), 450)
      const answers = (await listOf(storage.records, 'sms_messages')).map(message => JSON.stringify(message))
      assert.equal(answers.filter(message => message.includes('"remote_response":{}')).length, 451)
      assert.equal(answers.filter(message => message.includes('"remote_response":{"id":"x"}')).length, 1)
      assert.ok(answers.every(message => message.includes('"delivery_status":"queued"')))
      assert.equal(await storage.retention.clearResponsesBefore(BEFORE), 0)
      assert.equal(await storage.retention.clearResponsesBefore('2026-01-01T00:00:01.000000Z'), 1)
      storage.connection.db.exec(`UPDATE sms_messages SET remote_response = '{"receipt":"late"}' WHERE id = 3`)
      assert.equal(await storage.retention.clearResponsesBefore(BEFORE), 1)
    }))
})
