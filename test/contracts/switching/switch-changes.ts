import assert from 'node:assert/strict'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Row } from '../../../core/resources/resource.ts'
import { insert } from '../../support/data/rows.ts'
import { contract, type Given } from '../contract.ts'

export const switchChangesContract = contract('changes of what switches depend on', [
  'switchChanges',
  'records',
  'trunkRoutes',
])
const { behaviour } = switchChangesContract

type Ports = Given<'switchChanges' | 'records' | 'trunkRoutes'>

/** Two tenants, the first with an extension, a queue and a DID, and the changes from then on. */
async function world({ records, switchChanges, trunkRoutes }: Ports) {
  const put = async (name: Parameters<typeof insert>[1], values: Row = {}) => (await insert(records, name, values)).id
  const acme = await put('tenants')
  const beta = await put('tenants')
  const of = { tenant_id: acme }
  const [extension, queue, did] = [await put('extensions', of), await put('queues', of), await put('dids', of)]
  const changes = switchChanges()
  await changes.next()
  const look = async () => {
    const { records, calls } = await changes.next()
    return [records, calls].map(changed => (changed === 'all' ? 'all' : [...changed].sort()))
  }
  return {
    ...{ put, look, trunkRoutes, acme, beta, extension, queue, did },
    edit: (name: string, id: number, values: Row) => records.update(resourceNamed(name), id, values),
    remove: (name: string, id: number, cascade = false) => records.remove(resourceNamed(name), id, { cascade }),
    /** Checks how a change is reported, exactly once. */
    seen: async (change: Promise<unknown>, inRecords: unknown, inCalls: unknown = []): Promise<void> => {
      await change
      assert.deepEqual(await look(), [inRecords, inCalls])
      assert.deepEqual(await look(), [[], []])
    },
  }
}

behaviour('nothing has changed if nothing happens, whatever happened before', async ports => {
  const { seen } = await world(ports)
  await seen(Promise.resolve(), [])
})

behaviour('a tenant has changed with each new record that a switch depends on', async ports => {
  const { seen, put, acme, beta, extension, queue, did } = await world(ports)
  await seen(put('extensions', { tenant_id: beta }), [beta])
  await seen(put('queues', { tenant_id: beta }), [beta])
  await seen(put('dids', { tenant_id: beta }), [beta])
  await seen(put('devices', { extension_id: extension }), [acme])
  await seen(put('agents', { queue_id: queue, extension_id: extension }), [acme])
  await seen(put('routes', { did_id: did, target_id: queue }), [acme])
})

behaviour('a tenant has changed if a record of it is edited, and both tenants if it moves', async ports => {
  const { seen, edit, put, look, acme, beta, extension, queue } = await world(ports)
  await seen(edit('tenants', acme, { status: 'suspended' }), [acme])
  await seen(edit('extensions', extension, { secret: 'other' }), [acme])
  await seen(edit('queues', queue, { strategy: 'random' }), [acme])
  const moving = await put('dids', { tenant_id: acme })
  await look()
  await seen(edit('dids', moving, { tenant_id: beta }), [acme, beta])
})

behaviour('a tenant has changed with a record that is deleted, and when it is deleted itself', async ports => {
  const { seen, remove, put, look, beta } = await world(ports)
  const [gone, tenant] = [await put('extensions', { tenant_id: beta }), await put('tenants')]
  await look()
  await seen(remove('extensions', gone), [beta])
  await seen(remove('tenants', tenant, true), [tenant])
})

behaviour('a trunk changes all tenants, and a route its own', async ports => {
  const { seen, edit, remove, put, look, trunkRoutes, acme } = await world(ports)
  const trunk = await put('trunks')
  assert.deepEqual((await look())[0], 'all')
  const route = { prefix: '380', via: [trunk] }
  await seen(trunkRoutes.set({ ...route, tenant_id: acme }), [acme])
  await seen(trunkRoutes.set({ ...route, tenant_id: null }), 'all')
  await seen(edit('trunks', trunk, { status: 'disabled' }), 'all')
  await seen(remove('trunks', trunk), 'all')
})

behaviour('rates change nothing, and outgoing calls are reported separately', async ports => {
  const { seen, put, acme } = await world(ports)
  await seen(put('rates', { tenant_id: acme }), [])
  await seen(put('cdrs', { tenant_id: acme, direction: 'inbound' }), [])
  await seen(put('cdrs', { tenant_id: acme, direction: 'outbound' }), [], [acme])
})

behaviour('those who follow changes do so independently', async ports => {
  const { put, look, acme } = await world(ports)
  const other = ports.switchChanges()
  await other.next()
  await put('queues', { tenant_id: acme })
  assert.deepEqual(await look(), [[acme], []])
  assert.deepEqual((await other.next()).records, new Set([acme]))
})
