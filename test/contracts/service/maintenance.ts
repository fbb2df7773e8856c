import assert from 'node:assert/strict'
import { resourceNamed } from '../../../core/resources/all.ts'
import { insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'

export const maintenanceContract = contract('maintenance', ['maintenance', 'records'])
const { behaviour } = maintenanceContract

const dids = resourceNamed('dids')
const cdrs = resourceNamed('cdrs')

behaviour('records are counted by their resource, with when each was last written', async given => {
  const { maintenance, records, clock } = given
  const { id: tenant_id } = await insert(records, 'tenants')
  for (let n = 0; n < 3; n++) await insert(records, 'dids', { tenant_id })
  const before = clock.now()
  await records.remove(dids, 1, { cascade: false })
  const { counts, lastWrites } = await maintenance.statistics()
  assert.deepEqual([counts.tenants, counts.dids, counts.cdrs], [1, 2, 0])
  assert.ok(String(lastWrites.dids) > before && String(lastWrites.tenants) < before)
  assert.equal(lastWrites.cdrs, null)
})

behaviour('records with one natural key are found together, the newest first', async ({ maintenance, records }) => {
  const { id: tenant_id } = await insert(records, 'tenants')
  const made: number[] = []
  for (const number of ['1', '2', '1', '3', '2', '1'])
    made.push((await insert(records, 'dids', { tenant_id, number })).id)
  const [a, b, c, , e, f] = made
  assert.deepEqual(await maintenance.shared(dids), [
    [f, c, a],
    [e, b],
  ])
})

behaviour('calls of an extension of another tenant are found', async ({ maintenance, records }) => {
  const [one, two] = [await insert(records, 'tenants'), await insert(records, 'tenants')]
  const { id: extension_id } = await insert(records, 'extensions', { tenant_id: one.id })
  await insert(records, 'cdrs', { tenant_id: one.id, extension_id })
  await insert(records, 'cdrs', { tenant_id: two.id })
  const { id } = await insert(records, 'cdrs', { tenant_id: two.id, extension_id })
  assert.deepEqual(await maintenance.strays(cdrs), [id])
  assert.deepEqual(await maintenance.strays(dids), [])
})

behaviour('the distinct texts of a field are returned in order', async ({ maintenance, records }) => {
  const { id: tenant_id } = await insert(records, 'tenants')
  for (const provider of ['b', 'a', 'b']) await insert(records, 'dids', { tenant_id, provider })
  assert.deepEqual(await maintenance.held(dids, 'provider'), ['a', 'b'])
})

behaviour('a sound storage has no damage, and no daemon serves one that was just made', async ({ maintenance }) => {
  assert.deepEqual(await maintenance.check(), [])
  assert.deepEqual([await maintenance.lastBeat(), await maintenance.isServed()], [null, false])
})
