import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { readRecord } from '../../../adapters/pbx/records.ts'
import { raw, sql } from '../../../adapters/postgres/database/sql.ts'
import { openStorage, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { DEADLINE, GATEWAY, receipt, receive, SENDER, submitAs } from '../../contracts/messaging/message-world.ts'
import { manualClock } from '../../support/clock.ts'
import { idsOf, insert, row } from '../../support/data/rows.ts'
import { asteriskRow, rules } from '../../support/data/switch.ts'
import { queuedMessage } from '../../support/messaging/messages.ts'
import { type ByteProxy, byteProxy } from '../../support/postgres/byte-proxy.ts'
import { newDatabase } from '../../support/postgres/databases.ts'

const tenants = resourceNamed('tenants')

async function byProxy(check: (storage: PostgresStorage, proxy: ByteProxy) => Promise<void>): Promise<void> {
  const proxy = await byteProxy(await newDatabase())
  const storage = await openStorage(proxy.address, { clock: manualClock(), create: true })
  try {
    await check(storage, proxy)
  } finally {
    await storage.close()
    await proxy.close()
  }
}

test('a change whose COMMIT is not answered has an unknown outcome, is stored once, and the storage goes on', () =>
  byProxy(async ({ records }, proxy) => {
    const { id } = await insert(records, 'tenants', { name: '' })
    const append = () => records.update(tenants, id, ({ name }) => ({ name: `${name}x` }))
    proxy.cutAfter('COMMIT')
    await assert.rejects(append(), { code: 'outcome_unknown' })
    await append()
    assert.equal((await records.find(tenants, id))?.['name'], 'xx')
  }))

test('new records whose statement is not answered have an unknown outcome and are not sent again', () =>
  byProxy(async ({ records, database }, proxy) => {
    await insert(records, 'tenants')
    proxy.cutAfter('lost-one')
    await assert.rejects(records.insert(tenants, row('tenants', { slug: 'lost-one' })), { code: 'outcome_unknown' })
    assert.ok(((await database.value<number>(sql`SELECT count(*) FROM tenants WHERE slug = 'lost-one'`)) ?? 9) <= 1)
    await insert(records, 'tenants')
  }))

test('a change that is cut before its COMMIT is undone and unavailable', () =>
  byProxy(async ({ records }, proxy) => {
    const { id } = await insert(records, 'tenants', { name: 'before' })
    proxy.cutAfter('never-stored')
    await assert.rejects(records.update(tenants, id, { name: 'never-stored' }), { code: 'unavailable' })
    assert.equal((await records.find(tenants, id))?.['name'], 'before')
  }))

test('a read that is not answered is repeated', () =>
  byProxy(async ({ records }, proxy) => {
    const { slug } = await insert(records, 'tenants')
    proxy.cutAfter(String(slug))
    assert.equal((await records.identify(tenants, { slug: String(slug) })).length, 1)
  }))

test('a list that is cut while the server sends it has each record once all the same', () =>
  byProxy(async ({ records }, proxy) => {
    await insert(records, 'tenants')
    const ids = await Promise.all(Array.from({ length: 300 }, async () => (await insert(records, 'cdrs')).id))
    proxy.cutAfter('COPY', 5_000)
    assert.deepEqual(
      (await idsOf(records, 'cdrs')).toSorted((a, b) => a - b),
      ids.toSorted((a, b) => a - b),
    )
  }))

test('while the server cannot be reached everything is unavailable and nothing is of unknown outcome', () =>
  byProxy(async ({ records }, proxy) => {
    const { id } = await insert(records, 'tenants')
    proxy.refuse()
    await pause(0)
    for (const work of [
      () => records.find(tenants, id),
      () => records.update(tenants, id, { name: 'x' }),
      () => insert(records, 'tenants'),
    ]) {
      // The first use of a connection that has just ended may find that out late.
      await work().catch(() => undefined)
      await assert.rejects(work(), { code: 'unavailable' })
    }
    proxy.admit()
    assert.equal((await records.find(tenants, id))?.['id'], id)
    await insert(records, 'tenants')
  }))

test('a statement that takes too long, and a transaction that stays idle, are ended as busy, and others go on', () =>
  byProxy(async ({ records, database, notices }) => {
    await assert.rejects(
      database.write(async within => {
        await within.run(raw('SET LOCAL statement_timeout = 20'))
        await within.run(raw('SELECT pg_sleep(10)'))
      }),
      { code: '57014' },
    )
    await assert.rejects(
      database.write(async within => {
        await within.run(raw('SET LOCAL idle_in_transaction_session_timeout = 20'))
        await within.run(sql`INSERT INTO server_keys (name, value) VALUES ('idle', '')`)
        await pause(200)
        await within.value(raw('SELECT 1'))
      }),
    )
    assert.equal(await database.value(sql`SELECT count(*) FROM server_keys WHERE name = 'idle'`), 0)
    await notices.raise({ code: 'a', subject: 'b', detail: 'c' })
    await insert(records, 'tenants')
    for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      assert.equal(await database.write(within => within.value(sql`SELECT current_setting(${limit})`)), '1min')
  }))

test('when every connection is taken and many wait, more changes are refused at once as busy', () =>
  byProxy(async ({ records, database }) => {
    const { id } = await insert(records, 'tenants')
    let release = (): void => undefined
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const holding = database.write(async within => {
      await within.run(sql`SELECT 1 FROM tenants WHERE id = ${id} FOR UPDATE`)
      await held
    })
    const changes = Array.from({ length: 2_100 }, () => records.update(tenants, id, { name: 'x' }))
    const refused = await Promise.race(
      changes.map(change =>
        change.then(
          () => null,
          error => error,
        ),
      ),
    )
    assert.equal(refused?.code, 'busy')
    release()
    await holding
    const outcomes = await Promise.allSettled(changes)
    assert.ok(outcomes.some(({ status }) => status === 'fulfilled'))
  }))

test('calls whose COMMIT is not answered, or that are cut before it, are stored by a second try, each once', () =>
  byProxy(async ({ records, calls, database }, proxy) => {
    await insert(records, 'tenants', { slug: 'acme' })
    for (const [id, text] of [
      ['1.1', 'COMMIT'],
      ['2.2', 'INSERT INTO cdr_ratings'],
    ] as const) {
      const feed = { name: 'Master.csv', rules: rules() }
      const record = readRecord('asterisk-csv', asteriskRow({ id }).trimEnd())
      proxy.cutAfter(text)
      const { stored, known } = await calls.store(feed, [record], { mark: 'file', position: 1 })
      assert.equal(stored + known, 1)
    }
    assert.equal(await database.value(sql`SELECT count(*) FROM cdrs`), 2)
  }))

test('a receipt whose COMMIT is not answered is received by a second try', () =>
  byProxy(async ({ messages, records }, proxy) => {
    const { id: _, ...message } = queuedMessage({ sms_gateway_id: GATEWAY })
    const { id } = await messages.create(message, DEADLINE)
    await messages.settle(id, submitAs('m1'), (stored, given) => receive(stored, given))
    proxy.cutAfter('COMMIT')
    assert.equal(await messages.receive(GATEWAY, receipt('m1'), receive, SENDER), 'matched')
    assert.match(String((await records.find(resourceNamed('sms_messages'), id))?.['delivery_status']), /delivrd/)
  }))

test('when the network goes silent nothing waits for it for long, and everything goes on once it is back', () =>
  byProxy(async ({ records }, proxy) => {
    const { id } = await insert(records, 'tenants')
    proxy.silence()
    const code = (work: Promise<unknown>) => work.then(() => 'done').catch(error => error.code)
    const since = performance.now()
    const outcomes = await Promise.all([
      code(records.find(tenants, id)),
      code(insert(records, 'tenants')),
      code(records.update(tenants, id, { name: 'x' })),
    ])
    assert.equal(outcomes[0], 'unavailable')
    for (const outcome of outcomes) assert.ok(['unavailable', 'outcome_unknown', 'busy'].includes(outcome), outcome)
    assert.ok(performance.now() - since < 20_000)
    proxy.admit()
    assert.equal((await records.find(tenants, id))?.['id'], id)
    await records.update(tenants, id, { name: 'y' })
  }))

test('connections that a firewall has forgotten are replaced, and a long statement is left alone', () =>
  byProxy(async ({ records, database }, proxy) => {
    const { id } = await insert(records, 'tenants')
    proxy.forget()
    assert.equal((await records.find(tenants, id))?.['id'], id)
    assert.equal(await database.long.value(sql`SELECT 1 FROM pg_sleep(6)`), 1)
  }))
