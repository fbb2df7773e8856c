import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startWorld, type World } from '../../../support/data/records.ts'
import { ndjsonRow, taken } from '../../../support/data/switch.ts'
import { addGateway, json as answerJson, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

const FEED = { name: 'pbx.csv', rules: { timezone: 'UTC', contexts: {}, tenant: null } }

test('a quote explains a price step by step, as the command line does', async () => {
  const { tenant_id } = world.references
  await world.create('rates', { prefix: '380', cost_per_minute: '0.1', billing_increment: 60, status: 'active' })
  const { status, json } = await world.send('POST', '/api/console/quote', {
    tenant_id,
    number: '+380501234567',
    seconds: 61,
  })
  assert.equal(status, 200)
  assert.deepEqual([json.data.cost, json.data.bill_seconds, json.data.matching.prefix], ['0.2000', 120, '380'])
  assert.ok(json.data.lines.some(({ text }: { text: string }) => text.includes('61 rounded up to a multiple of 60')))
  const refused = await world.send('POST', '/api/console/quote', { tenant_id: 9_999, number: '1' })
  assert.equal(refused.status, 404)
  assert.equal((await world.send('POST', '/api/console/quote', {})).status, 422)
})

test('the usage of a month is reported for one tenant and for all', async () => {
  const other = await world.create('tenants')
  const call = {
    started_at: '2026-03-10 12:00:00',
    disposition: 'ANSWERED',
    direction: 'outbound',
    duration_seconds: 60,
  }
  await world.create('cdrs', { ...call, cost: '1.5' })
  await world.create('cdrs', { ...call, cost: '2', tenant_id: other.id, extension_id: null })
  const all = await world.get('/api/console/usage?month=2026-03&by=direction')
  assert.equal(all.json.data.total.cost, '3.5000')
  const one = await world.get(`/api/console/usage?month=2026-03&tenant=${other.id}&by=direction`)
  assert.deepEqual([one.json.data.total.cost, one.json.data.reports[0].lines[0].direction], ['2.0000', 'outbound'])
  assert.equal((await world.get('/api/console/usage?month=soon')).status, 422)
})

test('a call says how it was rated, and one that was entered by hand that it was not', async () => {
  const { id } = await world.create('cdrs')
  assert.deepEqual((await world.get(`/api/console/calls/${id}/ratings`)).json.data, [])
  assert.equal((await world.get('/api/console/calls/999999/ratings')).status, 404)
})

test('an audit trail of what cannot be is refused, each parameter by name', async () => {
  const { status, json } = await world.get('/api/console/audit?record=abc&before=0&action=sing')
  assert.equal(status, 422)
  assert.deepEqual(Object.keys(json.errors).sort(), ['action', 'before', 'record'])
})

test('the audit trail is shown by actor, action and record, a hundred entries at a time', async () => {
  const { id } = await world.create('queues')
  await world.send('PATCH', `/api/console/records/queues/${id}`, { name: 'Renamed' })
  const { json } = await world.get(`/api/console/audit?resource=queues&record=${id}`)
  const [update, create] = json.data.entries
  assert.deepEqual([update.action, create.action, json.data.is_more], ['update', 'create', false])
  const older = await world.get(`/api/console/audit?resource=queues&record=${id}&before=${update.id}`)
  assert.deepEqual(
    older.json.data.entries.map(({ id }: { id: number }) => id),
    [create.id],
  )
})

test('records in quarantine are shown, tried again and discarded', async () => {
  const { calls } = world.service.trunkline.storage
  await calls.store(FEED, [{ format: 'ndjson', raw: '{"no":"call"}', reason: 'has no start' }], null)
  const { json } = await world.get('/api/console/quarantine?reason=start')
  const [{ id, reason, timezone }] = json.data.records
  assert.deepEqual([reason, timezone], ['has no start', 'UTC'])
  const pulse = await world.get('/api/console/pulse')
  assert.equal(pulse.json.data.service.quarantined, 1)
  const tried = await world.send('POST', '/api/console/quarantine/replay', { ids: [id] })
  assert.deepEqual(tried.json.data, { replayed: 0, left: 1 })
  const refused = await world.send('POST', '/api/console/quarantine/discard', { ids: 'all' })
  assert.equal(refused.status, 422)
  const gone = await world.send('POST', '/api/console/quarantine/discard', { ids: [id] })
  assert.deepEqual(gone.json.data, { discarded: 1 })
})

test('calls are rated again by the rates of their time, first without changing anything', async () => {
  const tenant = await world.create('tenants', { slug: 'rerated', country: null })
  await world.create('extensions', { tenant_id: tenant.id, extension_number: '101' })
  const { storage } = world.service.trunkline
  await taken({ storage }, ndjsonRow({ accountcode: 'rerated', to: '+4930123456', start: '2026-03-05 12:00:00' }))
  const rate = { tenant_id: tenant.id, prefix: '49', cost_per_minute: '0.06', billing_increment: 1, status: 'active' }
  await world.create('rates', rate)
  const asked = { tenant_id: tenant.id, month: '2026-03' }
  const rerate = (body: object) => world.send('POST', '/api/console/calls/rerate', body)
  for (const dry_run of [true, true, false]) {
    const { status, json, text } = await rerate({ ...asked, dry_run })
    assert.equal(status, 200, text)
    const { changed, old_cost, new_cost, changes } = json.data
    assert.deepEqual([json.data.dry_run, changed, old_cost, new_cost], [dry_run, 1, '0.0000', '0.0650'])
    assert.deepEqual([changes.length, changes[0].new_prefix], [1, '49'])
  }
  assert.equal((await rerate(asked)).json.data.changed, 0)
  assert.equal((await rerate({ ...asked, month: null, from: '2026-03-06', to: '2026-03-07' })).json.data.examined, 0)
  assert.equal((await rerate({ ...asked, month: 'soon' })).status, 422)
  assert.equal((await rerate({ tenant_id: 9_999 })).status, 404)
  const { entries } = (await world.get('/api/console/audit?action=rerate')).json.data
  assert.deepEqual(
    entries.map(({ actor }: { actor: string }) => actor),
    ['admin@example.com'],
  )
})

test('a message that definitely failed is sent again as a new one, and no other is', async t => {
  const provider = await startGateway()
  t.after(() => provider.close())
  const gateway = await addGateway(world.service, world.session, provider)
  provider.answer(response => answerJson(response, 400, { error: 'no' }))
  const failed = (await world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json.data
  assert.equal(failed.delivery_status, 'failed')
  provider.answer(response => answerJson(response, 200, { id: 'm-2' }))
  const again = await world.send('POST', `/api/console/messages/${failed.id}/resend`, {})
  assert.equal(again.status, 200, again.text)
  assert.ok(again.json.data.id > failed.id)
  const refused = await world.send('POST', `/api/console/messages/${again.json.data.id}/resend`, {})
  assert.equal(refused.status, 409)
  assert.equal((await world.send('POST', '/api/console/messages/99999/resend', {})).status, 404)
})
