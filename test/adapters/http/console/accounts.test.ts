import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../../../support/data/records.ts'
import { login, sessionOf } from '../../../support/http/sessions.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

const ACCOUNTS = '/api/console/accounts'
const loginAs = (email: string, password: string) => login(world.service, { email, password })

test('an account is made with a random password that is shown once, tied to a tenant, and changed', async () => {
  const { tenant_id } = world.references
  const made = await world.send('POST', ACCOUNTS, { email: 'carol@example.com', role: 'manager', tenant_id })
  assert.equal(made.status, 201, made.text)
  const { id, password, name } = made.json.data
  assert.equal(name, 'carol')
  assert.equal((await loginAs('carol@example.com', password)).status, 200)
  const changed = await world.send('PATCH', `${ACCOUNTS}/${id}`, { name: 'Carol', role: 'supervisor', tenant_id: null })
  assert.equal(changed.status, 200, changed.text)
  const all = (await world.get(ACCOUNTS)).json.data
  const carol = all.find((each: { id: number }) => each.id === id)
  assert.deepEqual([carol.name, carol.role, carol.tenant_id, carol.disabled], ['Carol', 'supervisor', null, false])
  assert.doesNotMatch(JSON.stringify(all), /hash|password/)
})

test('refuses a taken e-mail, a short password, an unknown role or tenant, and removing the last account', async () => {
  assert.equal((await world.send('POST', ACCOUNTS, { email: 'admin@example.com' })).status, 409)
  const wrong = { email: 'x', password: 'short', role: 'king' }
  const { json } = await world.send('POST', ACCOUNTS, wrong)
  assert.deepEqual(Object.keys(json.errors), ['email', 'role', 'password'])
  const dangling = await world.send('POST', ACCOUNTS, { email: 'd@example.com', tenant_id: 999 })
  assert.deepEqual(Object.keys(dangling.json.errors), ['tenant_id'])
  assert.equal((await world.send('PATCH', `${ACCOUNTS}/999`, { name: 'x' })).status, 404)
  assert.equal((await world.send('POST', `${ACCOUNTS}/999/password`, {})).status, 404)
})

test('a new password and disabling end the sessions, which are listed with their origin', async () => {
  const { json } = await world.send('POST', ACCOUNTS, { email: 'dave@example.com', password: 'correct horse' })
  const { id } = json.data
  const session = sessionOf(await loginAs('dave@example.com', 'correct horse'))
  const own = async () =>
    (await world.get('/api/console/sessions')).json.data.filter(
      (each: { account_id: number }) => each.account_id === id,
    )
  const [listed] = await own()
  assert.match(listed.origin, /127\.0\.0\.1/)
  assert.equal((await world.send('DELETE', `/api/console/sessions/${listed.id}`)).status, 200)
  assert.equal((await world.service.request('GET', '/api/admin/me', { session })).status, 401)
  assert.equal((await world.send('DELETE', `/api/console/sessions/${listed.id}`)).status, 404)
  await loginAs('dave@example.com', 'correct horse')
  const changed = await world.send('POST', `${ACCOUNTS}/${id}/password`, {})
  assert.deepEqual(await own(), [])
  assert.equal((await loginAs('dave@example.com', changed.json.data.password)).status, 200)
  assert.deepEqual((await world.send('DELETE', `${ACCOUNTS}/${id}/sessions`)).json.data, { ended: 1 })
  await world.send('PATCH', `${ACCOUNTS}/${id}`, { disabled: true })
  assert.equal((await loginAs('dave@example.com', changed.json.data.password)).status, 422)
  assert.equal((await world.send('DELETE', `${ACCOUNTS}/${id}`)).status, 200)
  const trail = (await world.get('/api/console/audit?resource=accounts')).json.data.entries
  const ofDave = trail.filter((each: { record_id: number }) => each.record_id === id)
  for (const action of ['create', 'update', 'revoke', 'login', 'delete'])
    assert.ok(
      ofDave.some((each: { action: string }) => each.action === action),
      action,
    )
  assert.deepEqual(
    ofDave.filter((each: { actor: string }) => !each.actor.includes('@example.com')),
    [],
  )
})
