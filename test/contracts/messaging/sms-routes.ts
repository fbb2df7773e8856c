import assert from 'node:assert/strict'
import { insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'

export const smsRoutesContract = contract('routes of messages', ['smsRoutes', 'records'])
const { behaviour } = smsRoutesContract

behaviour('a route takes the place of the one with its tenant and prefix, and of no other', async given => {
  const { smsRoutes, records } = given
  const { id: tenant_id } = await insert(records, 'tenants')
  const general = await smsRoutes.set({ tenant_id: null, prefix: '', gateways: [1] })
  const ours = await smsRoutes.set({ tenant_id, prefix: '380', gateways: [2] })
  const next = await smsRoutes.set({ tenant_id, prefix: '380', gateways: [3, 2] })
  assert.deepEqual(next, { id: next.id, tenant_id, prefix: '380', gateways: [3, 2] })
  const all = (await smsRoutes.all()).toSorted((a, b) => a.id - b.id)
  assert.deepEqual(all, [general, next])
  assert.notEqual(ours.id, general.id)
})

behaviour('a route that is removed is gone, which can be done once', async ({ smsRoutes }) => {
  const { id } = await smsRoutes.set({ tenant_id: null, prefix: '', gateways: [1] })
  assert.deepEqual([await smsRoutes.remove(id), await smsRoutes.remove(id)], [true, false])
  assert.deepEqual(await smsRoutes.all(), [])
})
