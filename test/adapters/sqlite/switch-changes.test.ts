import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { openStorage, type Storage } from '../../../adapters/sqlite/storage.ts'
import type { SwitchChanges } from '../../../core/ports/switching.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Row } from '../../../core/resources/resource.ts'
import { manualClock } from '../../support/clock.ts'
import { insert } from '../../support/data/rows.ts'
import { temporaryFolder } from '../../support/http/app.ts'

const folder = temporaryFolder()
const path = join(folder.path, 't.db')
const clock = manualClock()
const ours = openStorage(path, { clock, create: true, migrate: true })
/** As another program has it. */
const theirs = openStorage(path, { clock })
after(async () => {
  await theirs.close()
  await ours.close()
  folder.remove()
})

let changes: SwitchChanges
const look = async (): Promise<{ records: unknown; calls: unknown }> => {
  const { records, calls } = await changes.next()
  return {
    records: records === 'all' ? 'all' : [...records].sort(),
    calls: calls === 'all' ? 'all' : [...calls].sort(),
  }
}
const put = async (name: Parameters<typeof insert>[1], values: Row, { records }: Storage = ours): Promise<number> =>
  (await insert(records, name, values)).id
const edit = (name: string, id: number, values: Row, { records }: Storage = ours) =>
  records.update(resourceNamed(name), id, values)
const remove = (name: string, id: number, cascade = false) => ours.records.remove(resourceNamed(name), id, { cascade })

let [acme, beta, extension, queue, did] = [0, 0, 0, 0, 0]
before(async () => {
  acme = await put('tenants', {})
  beta = await put('tenants', {})
  extension = await put('extensions', { tenant_id: acme })
  queue = await put('queues', { tenant_id: acme })
  did = await put('dids', { tenant_id: acme })
})
beforeEach(() => {
  changes = ours.switchChanges()
})

const seen = async (change: () => Promise<unknown>, records: unknown, calls: unknown = []): Promise<void> => {
  await change()
  assert.deepEqual(await look(), { records, calls })
  assert.deepEqual(await look(), { records: [], calls: [] })
}

describe('what switches go by', () => {
  it('has not changed where nothing happens, whatever happened before', () => seen(async () => {}, []))

  it('has changed for a tenant with each of its records that is new', async () => {
    await seen(() => put('extensions', { tenant_id: beta }), [beta])
    await seen(() => put('queues', { tenant_id: beta }), [beta])
    await seen(() => put('dids', { tenant_id: beta }), [beta])
    await seen(() => put('devices', { extension_id: extension }), [acme])
    await seen(() => put('agents', { queue_id: queue, extension_id: extension }), [acme])
    await seen(() => put('routes', { did_id: did, target_id: queue }), [acme])
  })

  it('has changed with one that is edited, and for both tenants where it moves', async () => {
    await seen(() => edit('tenants', acme, { status: 'suspended' }), [acme])
    await seen(() => edit('extensions', extension, { secret: 'other' }), [acme])
    await seen(() => edit('queues', queue, { strategy: 'random' }), [acme])
    const moving = await put('dids', { tenant_id: acme })
    changes = ours.switchChanges()
    await seen(() => edit('dids', moving, { tenant_id: beta }), [acme, beta])
  })

  it('has changed with one that is deleted, and with a tenant that is gone', async () => {
    const gone = await put('extensions', { tenant_id: beta })
    changes = ours.switchChanges()
    await seen(() => remove('extensions', gone), [beta])
    const tenant = await put('tenants', {})
    changes = ours.switchChanges()
    await seen(() => remove('tenants', tenant, true), [tenant])
  })

  it('has changed by what another program does', () =>
    seen(() => edit('tenants', beta, { status: 'suspended' }, theirs), [beta]))

  it('has changed for all with a trunk, and for the tenant with a route of its own', async () => {
    const trunk = await put('trunks', {})
    assert.deepEqual((await look()).records, 'all')
    const route = { prefix: '380', via: [trunk] }
    await seen(() => ours.trunkRoutes.set({ ...route, tenant_id: acme }), [acme])
    await seen(() => ours.trunkRoutes.set({ ...route, tenant_id: null }), 'all')
    await seen(() => edit('trunks', trunk, { status: 'disabled' }), 'all')
    await seen(() => remove('trunks', trunk), 'all')
  })

  it('has changed for all where very many records are new', async () => {
    const { db } = theirs.connection
    await seen(async () => {
      db.exec(`WITH RECURSIVE k(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM k WHERE i < 10001)
        INSERT INTO extensions SELECT NULL, ${beta}, 'x' || i, 'X', NULL, 's', 'active', 0, created_at, updated_at
        FROM k, extensions WHERE extensions.id = ${extension}`)
    }, 'all')
  })

  it('has not changed with rates and accounts; calls out are told beside it', async () => {
    await seen(() => put('rates', { tenant_id: acme }), [])
    await seen(() => put('cdrs', { tenant_id: acme, direction: 'inbound' }), [])
    await seen(() => put('cdrs', { tenant_id: acme, direction: 'outbound' }), [], [acme])
  })
})
