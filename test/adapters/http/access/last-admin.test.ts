import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../../../support/data/records.ts'

let world: World
before(async () => {
  world = await startWorld({ roles: 'enforced' })
})
after(() => world.close())

test('while roles are enforced, the only admin of all tenants is neither limited nor removed over HTTP', async () => {
  const ACCOUNTS = '/api/console/accounts'
  const { tenant_id } = world.references
  const [{ id }] = (await world.get(ACCOUNTS)).json.data
  await world.send('POST', ACCOUNTS, { email: 'manager@example.com', role: 'manager' })
  for (const change of [{ role: 'manager' }, { tenant_id }, { disabled: true }]) {
    const { status, json } = await world.send('PATCH', `${ACCOUNTS}/${id}`, change)
    assert.deepEqual(
      [status, json.message],
      [409, 'admin@example.com is the only admin of all tenants; make another first.'],
    )
  }
  assert.equal((await world.send('DELETE', `${ACCOUNTS}/${id}`)).status, 409)
  await world.send('POST', ACCOUNTS, { email: 'other@example.com', role: 'admin' })
  assert.equal((await world.send('PATCH', `${ACCOUNTS}/${id}`, { role: 'manager' })).status, 200)
})
