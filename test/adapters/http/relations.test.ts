import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { resourceNamed } from '../../../core/resources/all.ts'
import { startWorld, type World } from '../../support/data/records.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

const inserted = async (name: string, values: Record<string, string | number>): Promise<Record<string, unknown>> =>
  JSON.parse(await world.service.trunkline.storage.records.insert(resourceNamed(name), values))

const listed = async (path: string, id: number) => {
  const { json } = await world.get(path)
  return json.data.find((record: { id: number }) => record.id === id)
}

describe('a tenant', () => {
  it('has its counts in the list and its records in the single view', async () => {
    const tenant = await world.create('tenants')
    const of = { tenant_id: tenant.id }
    const extensions = [await world.create('extensions', of), await world.create('extensions', of)]
    const did = await world.create('dids', of)
    const queues = [
      await world.create('queues', of),
      await world.create('queues', of),
      await world.create('queues', of),
    ]
    const rate = await world.create('rates', of)
    assert.deepEqual(await listed('/api/tenants', tenant.id), {
      ...tenant,
      extensions_count: 2,
      dids_count: 1,
      queues_count: 3,
    })
    const newestFirst = (records: object[]) => [...records].reverse()
    assert.deepEqual((await world.get(`/api/tenants/${tenant.id}`)).json.data, {
      ...tenant,
      extensions: newestFirst(extensions),
      dids: [did],
      queues: newestFirst(queues),
      rates: [rate],
    })
  })

  it('shows arrays that span many pages whole', async () => {
    const tenant = await world.create('tenants', { max_extensions: 5000 })
    const rates = resourceNamed('rates')
    const { records } = world.service.trunkline.storage
    const values = { destination: 'x', cost_per_minute: 1, billing_increment: 1, status: 'active' }
    const many = Array.from({ length: 1_201 }, (_, i) => ({ tenant_id: tenant.id, prefix: String(i), ...values }))
    await Promise.all(many.map(rate => records.insert(rates, rate)))
    const { data } = (await world.get(`/api/tenants/${tenant.id}`)).json
    const shown: { id: number; prefix: string }[] = data.rates
    assert.deepEqual(
      shown.map(({ id }) => id),
      shown.map(({ id }) => id).sort((a, b) => b - a),
    )
    assert.deepEqual(shown.map(({ prefix }) => prefix).sort(), many.map(({ prefix }) => prefix).sort())
    assert.deepEqual([data.extensions, data.dids, data.queues], [[], [], []])
  })

  it('keeps every digit of its settings and replaces them whole', async () => {
    const settings = '{"big":12345678901234567890,"exact":0.1,"long":1.00000000000000000001,"__proto__":{"x":1},"e":{}}'
    const body = JSON.stringify(world.body('tenants', { settings: 'PLACE' })).replace('"PLACE"', settings)
    const headers = { 'content-type': 'application/json' }
    const made = await world.service.request('POST', '/api/tenants', { body, headers, session: world.session })
    assert.equal(made.status, 201)
    assert.ok(made.text.includes(`"settings":${settings}`), made.text)
    const { id } = made.json.data
    assert.ok((await world.get(`/api/tenants/${id}`)).text.includes(`"settings":${settings}`))
    const replaced = await world.send('PUT', `/api/tenants/${id}`, world.body('tenants', { settings: { only: 1 } }))
    assert.deepEqual(replaced.json.data.settings, { only: 1 })
    const emptied = await world.send('PUT', `/api/tenants/${id}`, world.body('tenants', { settings: {} }))
    assert.deepEqual(emptied.json.data.settings, {})
    const kept = await world.send('PATCH', `/api/tenants/${id}`, world.body('tenants', { settings: undefined }))
    assert.deepEqual(kept.json.data.settings, {})
    const cleared = await world.send('PATCH', `/api/tenants/${id}`, world.body('tenants', { settings: null }))
    assert.equal(cleared.json.data.settings, null)
  })
})

describe('embedded relations', () => {
  it('show an extension with its tenant, devices, agents and calls', async () => {
    const extension = await world.create('extensions')
    const queue = await world.create('queues')
    const of = { extension_id: extension.id }
    const device = await inserted('devices', { ...of, mac: '00:15:65:aa:bb:01', model: 'T46U' })
    const agent = await inserted('agents', { ...of, queue_id: queue.id, penalty: 3 })
    const older = await world.create('cdrs', { ...of, started_at: '2026-01-01' })
    const newer = await world.create('cdrs', { ...of, started_at: '2026-02-01' })
    const tenant = (await world.get(`/api/tenants/${extension.tenant_id}`)).json.data
    const { id, mac, model } = device
    const both = { tenant: plain(tenant), devices: [{ id, mac, model }] }
    assert.deepEqual(await listed('/api/extensions', extension.id), { ...extension, ...both })
    assert.deepEqual((await world.get(`/api/extensions/${extension.id}`)).json.data, {
      ...extension,
      ...both,
      queueAgents: [{ id: agent.id, queue_id: queue.id, extension_id: extension.id, penalty: 3 }],
      cdrs: [newer, older],
    })
  })

  it('show a queue with its agents, in the list and alone', async () => {
    const [queue, extension] = [await world.create('queues'), await world.create('extensions')]
    const agent = await inserted('agents', { queue_id: queue.id, extension_id: extension.id, penalty: 0 })
    const shown = await listed('/api/queues', queue.id)
    assert.deepEqual(shown.agents, [{ id: agent.id, queue_id: queue.id, extension_id: extension.id, penalty: 0 }])
    assert.deepEqual((await world.get(`/api/queues/${queue.id}`)).json.data, shown)
  })

  it('show a DID with its routes, in the list and alone', async () => {
    const [did, extension] = [await world.create('dids'), await world.create('extensions')]
    const route = await inserted('routes', { did_id: did.id, target_type: 'extension', target_id: extension.id })
    const shown = await listed('/api/dids', did.id)
    assert.deepEqual(shown.routes, [
      { id: route.id, did_id: did.id, target_type: 'extension', target_id: extension.id },
    ])
    assert.deepEqual((await world.get(`/api/dids/${did.id}`)).json.data, shown)
  })

  it('show a call with its tenant and extension, or null without one', async () => {
    const extension = await world.create('extensions')
    const [{ id }, bare] = [
      await world.create('cdrs', { extension_id: extension.id }),
      await world.create('cdrs', { extension_id: null }),
    ]
    const tenant = (await world.get(`/api/tenants/${extension.tenant_id}`)).json.data
    for (const shown of [await listed('/api/cdrs', id), (await world.get(`/api/cdrs/${id}`)).json.data]) {
      assert.deepEqual(shown.tenant, { id: tenant.id, name: tenant.name, slug: tenant.slug })
      const { extension_number, display_name } = extension
      assert.deepEqual(shown.extension, { id: extension.id, extension_number, display_name })
    }
    assert.equal((await world.get(`/api/cdrs/${bare.id}`)).json.data.extension, null)
  })

  it('never show a gateway password, but count its messages', async () => {
    const { id } = await world.create('sms_gateways', { password: 'hush-hush' })
    for (const answer of [await world.get(`/api/sms-gateways/${id}`), await world.get('/api/sms-gateways')]) {
      assert.ok(!answer.text.includes('hush-hush') && !answer.text.includes('"password"'))
    }
    assert.equal((await listed('/api/sms-gateways', id)).messages_count, 0)
  })
})

describe('omitted optional members', () => {
  it('keep what is stored on PUT and PATCH', async () => {
    const given = { email: 'kept@example.com', voicemail_enabled: true }
    const { id } = await world.create('extensions', given)
    for (const method of ['PUT', 'PATCH']) {
      const body = world.body('extensions', { email: undefined, voicemail_enabled: undefined })
      const { json } = await world.send(method, `/api/extensions/${id}`, body)
      const { email, voicemail_enabled } = json.data
      assert.deepEqual({ email, voicemail_enabled }, given)
    }
    const cleared = await world.send('PUT', `/api/extensions/${id}`, world.body('extensions', { email: '' }))
    assert.equal(cleared.json.data.email, null)
  })

  it('become null on PUT of a gateway, as in the document', async () => {
    const { id } = await world.create('sms_gateways', { is_active: true, use_ssl: true, meta: { a: 1 } })
    const body = { name: 'n', provider_type: 'p', server_host: 'h', server_port: 1, username: 'u', password: 'p' }
    const { status, json } = await world.send('PUT', `/api/sms-gateways/${id}`, body)
    assert.equal(status, 200)
    const { api_path, default_sender_id, callback_token, is_active, use_ssl, notes, meta } = json.data
    assert.deepEqual([api_path, default_sender_id, callback_token, notes, meta], [null, null, null, null, null])
    assert.deepEqual([is_active, use_ssl], [false, false])
  })

  it('stay on PATCH of a gateway, required or not', async () => {
    const { id, ...before } = await world.create('sms_gateways', { is_active: true, notes: 'kept' })
    const { status, json } = await world.send('PATCH', `/api/sms-gateways/${id}`, { name: 'Renamed' })
    assert.equal(status, 200)
    const { updated_at } = json.data
    assert.deepEqual(json.data, { id, ...before, name: 'Renamed', updated_at })
    const row = await world.service.trunkline.storage.records.find(resourceNamed('sms_gateways'), id)
    assert.ok(row?.password)
    const refused = await world.send('PATCH', `/api/sms-gateways/${id}`, { name: null, password: '' })
    assert.deepEqual(Object.keys(refused.json.errors), ['name', 'password'])
  })
})

/** A record without what its view embeds. */
function plain(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !Array.isArray(value)))
}

describe('a move to another tenant', () => {
  it('is refused for what an agent or a route joins to others of its tenant, and else goes', async () => {
    const [from, to] = [await world.create('tenants'), await world.create('tenants')]
    const of = { tenant_id: from.id }
    const [extension, queue] = [await world.create('extensions', of), await world.create('queues', of)]
    await inserted('agents', { queue_id: queue.id, extension_id: extension.id, penalty: 0 })
    const body = { ...extension, tenant_id: to.id }
    const put = () => world.send('PUT', `/api/extensions/${extension.id}`, body)
    const sentence = 'The tenant id field must stay the same while agents or routes refer to the extension.'
    const { status, json } = await put()
    assert.deepEqual([status, json], [422, { message: sentence, errors: { tenant_id: [sentence] } }])
    await world.send('DELETE', `/api/queues/${queue.id}`)
    assert.equal((await put()).status, 200)
  })
})
