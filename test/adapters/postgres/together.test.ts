import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from '../../../adapters/postgres/database/sql.ts'
import { openStorage, type PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { manualClock } from '../../support/clock.ts'
import { idsOf, insert, row } from '../../support/data/rows.ts'
import { until } from '../../support/data/switch.ts'
import { newDatabase } from '../../support/postgres/databases.ts'

/** Two programs on one database, like two daemons. */
async function withTwo(check: (one: PostgresStorage, other: PostgresStorage) => Promise<void>): Promise<void> {
  const address = await newDatabase()
  const options = { clock: manualClock(), create: true }
  const [one, other] = [await openStorage(address, options), await openStorage(address, options)]
  try {
    await check(one, other)
  } finally {
    await Promise.all([one.close(), other.close()])
  }
}

const fates = async (work: readonly Promise<unknown>[]): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { status } of await Promise.allSettled(work)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

test('a tenant never exceeds its limit of extensions, even if several clients create them at once', () =>
  withTwo(async (one, other) => {
    const { id: tenant_id } = await insert(one.records, 'tenants', { max_extensions: 10 })
    const made = Array.from({ length: 40 }, (_, n) =>
      insert((n % 2 ? one : other).records, 'extensions', { tenant_id }),
    )
    assert.deepEqual(await fates(made), { fulfilled: 10, rejected: 30 })
    assert.equal((await idsOf(other.records, 'extensions')).length, 10)
  }))

test('if two accounts are disabled at once, one can still log in', () =>
  withTwo(async (one, other) => {
    const account = { name: 'Ann', role: 'admin', passwordHash: 'x' } as const
    const [a, b] = [
      await one.accounts.create({ ...account, email: 'a@example.com' }),
      await one.accounts.create({ ...account, email: 'b@example.com' }),
    ]
    const done = [one.accounts.change(a.id, { disabled: true }), other.accounts.change(b.id, { disabled: true })]
    assert.deepEqual(await fates(done), { fulfilled: 1, rejected: 1 })
  }))

test('a session that one program ends or changes is so for the other at once', () =>
  withTwo(async (one, other) => {
    const { id } = await one.accounts.create({ name: 'Ann', email: 'a@example.com', role: 'admin', passwordHash: 'x' })
    await one.sessions.open('hash', { id, passwordHash: 'x' }, { createdAt: '2026', expiresAt: '2027' })
    assert.equal((await other.sessions.find('hash'))?.account.id, id)
    await other.sessions.end('hash')
    assert.equal(await one.sessions.find('hash'), null)
  }))

test('deadlocked changes are repeated, and none is lost', () =>
  withTwo(async (one, other) => {
    const tenants = resourceNamed('tenants')
    const { id } = await insert(one.records, 'tenants', { name: '' })
    const append = (storage: PostgresStorage) =>
      storage.records.update(tenants, id, stored => ({ ...stored, name: `${stored['name']}x` }))
    await Promise.all(Array.from({ length: 40 }, (_, n) => append(n % 2 ? one : other)))
    assert.equal((await one.records.find(tenants, id))?.['name'], 'x'.repeat(40))
  }))

test('an invalid record does not prevent others of its group from being stored', () =>
  withTwo(async ({ records }) => {
    const tenants = resourceNamed('tenants')
    const rows = ['a', 'b', 'a', 'c'].map(slug => records.insert(tenants, row('tenants', { slug })))
    const [first, , third] = await Promise.allSettled(rows)
    assert.deepEqual([first?.status, third?.status].toSorted(), ['fulfilled', 'rejected'])
    assert.equal((await idsOf(records, 'tenants')).length, 3)
  }))

const WAITING = sql`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

test('a record that waits for a lock does not keep others from being stored', () =>
  withTwo(async (one, other) => {
    const [locked, free] = [await insert(one.records, 'tenants'), await insert(one.records, 'tenants')]
    let waiting: Promise<unknown> = Promise.resolve()
    let isStored = false
    await other.database.write(async within => {
      await within.run(sql`SELECT 1 FROM tenants WHERE id = ${locked.id} FOR UPDATE`)
      waiting = insert(one.records, 'cdrs', { tenant_id: locked.id }).then(() => {
        isStored = true
      })
      await until('the record waits', async () => (await other.database.value(WAITING)) === 1)
      await insert(one.records, 'cdrs', { tenant_id: free.id })
      assert.equal(isStored, false)
    })
    await waiting
  }))

test('when connections are cut, acknowledged changes are kept, and the storage continues', () =>
  withTwo(async (one, other) => {
    const made: { readonly slug: unknown }[] = []
    const failures: unknown[] = []
    let isOver = false
    const writing = Array.from({ length: 10 }, async () => {
      while (!isOver)
        await insert(one.records, 'tenants').then(
          tenant => made.push({ slug: tenant['slug'] }),
          error => failures.push(error),
        )
    })
    for (let cut = 0; cut < 5; cut++) {
      while (made.length < (cut + 1) * 20) await other.records.find(resourceNamed('tenants'), 1)
      await other.database
        .run(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
        .catch(() => undefined)
    }
    isOver = true
    await Promise.all(writing)
    for (const error of failures)
      assert.ok(
        error instanceof Error && 'code' in error && ['outcome_unknown', 'unavailable'].includes(String(error.code)),
        String(error),
      )
    // A connection may not know yet that it was cut.
    const stored = new Set<string>()
    const read = async (): Promise<boolean> => {
      for (const slug of await one.database.values<string>(sql`SELECT slug FROM tenants`)) stored.add(slug)
      return true
    }
    await until('the storage is read again', () => read().catch(() => false))
    assert.deepEqual(
      made.filter(({ slug }) => !stored.has(String(slug))),
      [],
    )
    const write = (): Promise<boolean> => insert(one.records, 'tenants').then(() => true)
    await until('the storage is written again', () => write().catch(() => false))
  }))

test('a connection that breaks while a transaction does something else fails that transaction alone', () =>
  withTwo(async (one, other) => {
    const elsewhere = (): Promise<void> => pause(20)
    const failures: unknown[] = []
    for (let round = 0; round < 20; round++) {
      const writing = Array.from({ length: 10 }, () =>
        one.database.write(elsewhere).catch(error => failures.push(error)),
      )
      await other.database.run(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`)
      await Promise.all(writing)
    }
    assert.ok(failures.length > 0)
    // A connection may not know yet that it was cut.
    const goesOn = (): Promise<boolean> => one.database.write(async () => true).catch(() => false)
    while (!(await goesOn())) await pause(20)
  }))
