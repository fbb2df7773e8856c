import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditEntry } from '../../../../core/audit.ts'
import { FOREVER } from '../../../../core/rating/period.ts'
import { startWorld, type World } from '../../../support/data/records.ts'
import { addGateway, type FakeGateway, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'

let world: World
let first: FakeGateway
let second: FakeGateway
let gateways: number[]
before(async () => {
  world = await startWorld({ gateway_timeout: 5 })
  first = await startGateway()
  second = await startGateway()
  gateways = []
  for (const gateway of [first, second]) gateways.push(await addGateway(world.service, world.session, gateway))
})
after(async () => {
  await world.close()
  await first.close()
  await second.close()
})

const set = (body: object) => world.send('PUT', '/api/sms-routes', body)
const list = async () => (await world.send('GET', '/api/sms-routes')).json.data

test('a route is set, replaces one of the same tenant and prefix, and is removed', async () => {
  const { json } = await set({ prefix: '+380', gateways })
  assert.deepEqual(json, {
    message: 'SMS route updated successfully.',
    data: { id: json.data.id, tenant_id: null, prefix: '380', gateways },
  })
  const again = await set({ prefix: 380, gateways: [gateways[1], gateways[1]] })
  assert.equal(again.status, 422, 'a number is no text')
  await set({ prefix: '380', gateways: [gateways[1], String(gateways[1])] })
  assert.deepEqual(await list(), [{ ...json.data, gateways: [gateways[1]] }])
  const path = `/api/sms-routes/${json.data.id}`
  assert.deepEqual((await world.send('DELETE', path)).json, { message: 'SMS route deleted successfully.' })
  assert.deepEqual([(await world.send('DELETE', path)).status, await list()], [404, []])
})

test('every rule that a route breaks is reported at once', async () => {
  const { status, json } = await set({ tenant_id: 99, prefix: '38x', gateways: [gateways[0], 99] })
  assert.equal(status, 422)
  assert.deepEqual(json.errors, {
    tenant_id: ['The selected tenant id is invalid.'],
    prefix: ['The prefix field must be digits.'],
    gateways: ['The selected gateways is invalid.'],
  })
  for (const wrong of [undefined, [], 7, ['x'], [0], Array(21).fill(gateways[0])])
    assert.deepEqual(Object.keys((await set({ gateways: wrong })).json.errors), ['gateways'])
  assert.deepEqual(await list(), [])
})

test('a message is sent through the gateways of its route, and not without a route', async () => {
  const send = () => world.send('POST', '/api/sms-routes/send', MESSAGE)
  assert.deepEqual([(await send()).status, first.requests.length], [404, 0])
  await set({ gateways })
  first.answerWith(403, '{"message":"no credit"}')
  const { status, json } = await send()
  assert.deepEqual([status, json.message], [200, 'SMS request processed.'])
  assert.deepEqual([json.data.delivery_status, json.data.sms_gateway_id], ['submitted', gateways[1]])
})

test('the audit trail has every change of routes, with its author', async () => {
  const { id } = (await set({ tenant_id: 1, gateways })).json.data
  await set({ tenant_id: 1, gateways: [gateways[0]] })
  await world.send('DELETE', `/api/sms-routes/${id}`)
  const entries: AuditEntry[] = []
  for await (const entry of world.service.trunkline.storage.audit.list(FOREVER))
    if (entry.resource === 'sms_routes' && entry.record_id === id) entries.unshift(entry)
  const one = [gateways[0]]
  assert.deepEqual(
    entries.map(({ action, changes }) => [action, changes.gateways]),
    [
      ['create', { after: gateways }],
      ['update', { before: gateways, after: one }],
      ['delete', { before: one }],
    ],
  )
  assert.equal(entries[0]?.actor, 'admin@example.com')
})
