import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openStorage, type SqliteStorage } from '../../../../adapters/sqlite/storage.ts'
import { systemClock } from '../../../../adapters/system/clock.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { bundled } from '../../../support/bundled.ts'
import { startChild } from '../../../support/child.ts'
import { idsOf, insert, listOf } from '../../../support/data/rows.ts'
import { temporaryFolder } from '../../../support/http/app.ts'

const WRITER = new URL('several-writers.ts', import.meta.url)
const AT_ONCE = 3
const ATTEMPTS = 300

describe('several processes on one file', { timeout: 60_000 }, () => {
  const folder = temporaryFolder()
  after(folder.remove)
  let writer = ''
  before(async () => {
    writer = await bundled(WRITER)
  })

  test('every one opens a database that none had made before', async () => {
    const path = join(folder.path, 'new', 'test.db')
    const meeting = String(Date.now() + 1_000)
    const children = Array.from({ length: 4 }, () => startChild(writer, [path, '', '0', meeting]))
    await Promise.all(children.map(child => child.ended()))
    const storage = openStorage(path, { clock: systemClock() })
    assert.equal(storage.connection.db.pragma('integrity_check', { simple: true }), 'ok')
    await storage.close()
  })

  test('opening waits for another process that makes or upgrades the same database', async () => {
    const path = join(folder.path, 'upgrade.db')
    const storage = openStorage(path, { clock: systemClock(), create: true, migrate: true })
    const { db } = storage.connection
    db.exec('BEGIN IMMEDIATE; DELETE FROM search_indexes; COMMIT; BEGIN IMMEDIATE')
    const child = startChild(writer, [path])
    await child.printed(1)
    await new Promise(resolve => setTimeout(resolve, 200))
    assert.deepEqual(child.lines, ['opening'])
    db.exec('COMMIT')
    await child.ended()
    assert.deepEqual(child.lines, ['opening', 'open'])
    await storage.close()
  })

  test('creates at once never pass a limit, never double a number, and never fail as busy', async () => {
    const path = join(folder.path, 'limit.db')
    const storage = openStorage(path, { clock: systemClock(), create: true, migrate: true })
    const limited = await insert(storage.records, 'tenants', { max_extensions: 100 })
    const unlimited = await insert(storage.records, 'tenants', { max_extensions: 100_000 })
    const children = Array.from({ length: AT_ONCE }, () =>
      startChild(writer, [path, `${limited.id},${unlimited.id}`, String(ATTEMPTS)]),
    )
    await Promise.all(children.map(child => child.ended()))
    const outcomes = children.flatMap(child => child.lines.slice(2))
    const count = (outcome: string): number => outcomes.filter(each => each === outcome).length
    assert.deepEqual(
      new Set(outcomes),
      new Set(
        ['created', 'invalid: tenant_id', 'invalid: extension_number', 'invalid: tenant_id,extension_number'].filter(
          count,
        ),
      ),
    )
    assert.equal(outcomes.length, AT_ONCE * ATTEMPTS * 2)
    assert.equal(count('created'), 100 + ATTEMPTS)
    for (const [tenant, expected] of [
      [limited, 100],
      [unlimited, ATTEMPTS],
    ] as const) {
      const list = await listOf(storage.records, 'extensions', { where: { tenant_id: tenant.id } })
      assert.equal(list.length, expected)
      assert.equal(new Set(list.map(extension => extension.extension_number)).size, expected)
    }
    await storage.close()
  })
})

describe('two connections in one process', () => {
  const folder = temporaryFolder()
  const path = join(folder.path, 'test.db')
  let one: SqliteStorage
  let other: SqliteStorage
  before(() => {
    one = openStorage(path, { clock: systemClock(), create: true })
    other = openStorage(path, { clock: systemClock() })
  })
  after(async () => {
    await one.close()
    await other.close()
    folder.remove()
  })

  test('each sees at once what the other has stored', async () => {
    const tenant = await insert(one.records, 'tenants', { name: 'Shared' })
    assert.equal((await other.records.find(resourceNamed('tenants'), tenant.id))?.name, 'Shared')
    await other.records.update(resourceNamed('tenants'), tenant.id, { name: 'Changed' })
    assert.deepEqual(await idsOf(one.records, 'tenants', { search: 'changed' }), [tenant.id])
  })

  test('a limit and what is unique hold for both together', async () => {
    const tenant = await insert(one.records, 'tenants', { max_extensions: 5 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        insert((n % 2 ? one : other).records, 'extensions', { tenant_id: tenant.id, extension_number: String(n >> 1) }),
      ),
    )
    const created = outcomes.filter(({ status }) => status === 'fulfilled').length
    assert.equal(created, 5)
    assert.equal((await idsOf(one.records, 'extensions', { where: { tenant_id: tenant.id } })).length, 5)
  })

  test('of the last two accounts, one is left when both are disabled or removed at once', async () => {
    const make = (email: string) => one.accounts.create({ name: 'A', email, role: 'admin', passwordHash: 'h' })
    const [first, second] = [await make('first@b.co'), await make('second@b.co')]
    const outcomes = await Promise.allSettled([
      one.accounts.change(first.id, { disabled: true }),
      other.accounts.remove(second.id),
    ])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal((await one.accounts.list()).filter(({ disabled }) => !disabled).length, 1)
  })

  test('a session that the other ends or extends, or whose account it changes, leaves the cache', async () => {
    const account = await one.accounts.create({ name: 'A', email: 'a@b.co', role: 'admin', passwordHash: 'h' })
    const [first, second, third] = ['1', '2', '3'].map(digit => digit.repeat(64))
    assert.ok(first && second && third)
    for (const token of [first, second, third]) {
      await one.sessions.open(
        token,
        { ...account, passwordHash: 'h' },
        { createdAt: '2026-03-01T00:00:00.000000Z', expiresAt: '2026-03-02T00:00:00.000000Z' },
      )
      assert.ok(await one.sessions.find(token))
    }
    await other.sessions.end(first)
    assert.equal(await one.sessions.find(first), null)
    assert.ok(await one.sessions.find(second))
    await other.sessions.extend(second, '2026-03-03T00:00:00.000000Z')
    assert.equal((await one.sessions.find(second))?.expiresAt, '2026-03-03T00:00:00.000000Z')
    await other.accounts.change(account.id, { disabled: true })
    assert.equal(await one.sessions.find(second), null)
    assert.equal(await one.sessions.find(third), null)
  })

  test('a write waits while another connection holds the file, without holding the event loop', async () => {
    other.connection.db.exec('BEGIN IMMEDIATE')
    let isStored = false
    const storing = insert(one.records, 'tenants').then(() => {
      isStored = true
    })
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setTimeout(resolve, 2))
    assert.equal(isStored, false)
    other.connection.db.exec('COMMIT')
    await storing
  })
})
