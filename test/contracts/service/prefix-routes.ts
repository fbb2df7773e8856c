import assert from 'node:assert/strict'
import { insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'

const routesContract = (name: string, port: 'smsRoutes' | 'trunkRoutes') => {
  const routes = contract(name, [port, 'records'])
  const { behaviour } = routes

  behaviour('a route replaces the one with the same tenant and prefix, and no other', async given => {
    const { [port]: stored, records } = given
    const { id: tenant_id } = await insert(records, 'tenants')
    const general = await stored.set({ tenant_id: null, prefix: '', via: [1] })
    const ours = await stored.set({ tenant_id, prefix: '380', via: [2] })
    const next = await stored.set({ tenant_id, prefix: '380', via: [3, 2] })
    assert.deepEqual(next, { id: ours.id, tenant_id, prefix: '380', via: [3, 2] })
    const all = (await stored.all()).toSorted((a, b) => a.id - b.id)
    assert.deepEqual(all, [general, next])
  })

  behaviour('a route can be removed once, and is then gone', async ({ [port]: stored }) => {
    const { id } = await stored.set({ tenant_id: null, prefix: '', via: [1] })
    assert.deepEqual([await stored.remove(id), await stored.remove(id)], [true, false])
    assert.deepEqual(await stored.all(), [])
  })
  return routes
}

export const smsRoutesContract = routesContract('routes of messages', 'smsRoutes')
export const trunkRoutesContract = routesContract('routes of calls', 'trunkRoutes')
