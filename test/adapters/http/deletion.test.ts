import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { columnOf } from '../../support/data/stored.ts'
import { addGateway, MESSAGE } from '../../support/messaging/gateway.ts'
import { gatewayPlace } from '../../support/messaging/gateway-place.ts'

const place = gatewayPlace()

const statusOf = async (path: string): Promise<number> => (await place.world.get(path)).status

describe('deleting a tenant', () => {
  it('is refused while records belong to it, and deletes nothing', async () => {
    const { id } = await place.world.create('tenants')
    const of = { tenant_id: id }
    const made = [
      ['extensions', await place.world.create('extensions', of)],
      ['extensions', await place.world.create('extensions', of)],
      ['queues', await place.world.create('queues', of)],
      ['rates', await place.world.create('rates', of)],
      ['dids', await place.world.create('dids', of)],
      ['cdrs', await place.world.create('cdrs', { ...of, extension_id: null })],
    ] as const
    for (const query of ['', '?cascade=false', '?cascade=1', '?cascade']) {
      const { status, json } = await place.world.send('DELETE', `/api/tenants/${id}${query}`)
      assert.equal(status, 409)
      assert.deepEqual(json.dependants, { extensions: 2, queues: 1, rates: 1, dids: 1, cdrs: 1 })
      assert.equal(json.message, 'The tenant still has 2 Extensions, 1 Queue, 1 Rate, 1 DID, 1 CDR.')
    }
    for (const [path, record] of made) assert.equal(await statusOf(`/api/${path}/${record.id}`), 200)
  })

  it('names only the kinds that prevent it', async () => {
    const { id } = await place.world.create('tenants')
    await place.world.create('rates', { tenant_id: id })
    const { json } = await place.world.send('DELETE', `/api/tenants/${id}`)
    assert.deepEqual(json, { message: 'The tenant still has 1 Rate.', dependants: { rates: 1 } })
  })

  it('deletes all of its records with a cascade, and none of others', async () => {
    const [{ id }, other] = [await place.world.create('tenants'), await place.world.create('tenants')]
    const of = { tenant_id: id }
    const extension = await place.world.create('extensions', of)
    const made = [
      `extensions/${extension.id}`,
      `queues/${(await place.world.create('queues', of)).id}`,
      `rates/${(await place.world.create('rates', of)).id}`,
      `dids/${(await place.world.create('dids', of)).id}`,
      `cdrs/${(await place.world.create('cdrs', of)).id}`,
      `cdrs/${(await place.world.create('cdrs', { ...of, extension_id: extension.id })).id}`,
    ]
    const foreign = await place.world.create('cdrs', { tenant_id: other.id, extension_id: extension.id })
    const { status, json } = await place.world.send('DELETE', `/api/tenants/${id}?cascade=true`)
    assert.equal(status, 200)
    assert.deepEqual(json, { message: 'Tenant deleted successfully.' })
    for (const path of [`tenants/${id}`, ...made]) assert.equal(await statusOf(`/api/${path}`), 404, path)
    assert.equal((await place.world.get(`/api/cdrs/${foreign.id}`)).json.data.extension_id, null)
    assert.equal(await statusOf(`/api/tenants/${other.id}`), 200)
  })

  it('keeps its SMS messages, without a tenant', async () => {
    const { id } = await place.world.create('tenants')
    const gatewayId = await addGateway(place.world.service, place.world.session, place.gateway)
    const send = { ...MESSAGE, tenant_id: id }
    const sent = await place.world.send('POST', `/api/sms-gateways/${gatewayId}/send`, send)
    assert.equal(sent.json.data.tenant_id, id)
    assert.equal((await place.world.send('DELETE', `/api/tenants/${id}`)).status, 200)
    const { json } = await place.world.get(`/api/sms-gateways/${gatewayId}/messages`)
    assert.deepEqual(json.data, [{ ...sent.json.data, tenant_id: null }])
  })
})

describe('deleting an extension', () => {
  it('keeps its calls, without an extension', async () => {
    const { id } = await place.world.create('extensions')
    const cdr = await place.world.create('cdrs', { extension_id: id })
    assert.equal((await place.world.send('DELETE', `/api/extensions/${id}`)).status, 200)
    const { json } = await place.world.get(`/api/cdrs/${cdr.id}`)
    assert.equal(json.data.extension_id, null)
    assert.equal(json.data.extension, null)
  })
})

describe('deleting a gateway', () => {
  it('keeps its messages in the database', async () => {
    const id = await addGateway(place.world.service, place.world.session, place.gateway)
    await place.world.send('POST', `/api/sms-gateways/${id}/send`, MESSAGE)
    assert.equal((await place.world.send('DELETE', `/api/sms-gateways/${id}`)).status, 200)
    const missing = await place.world.get(`/api/sms-gateways/${id}/messages`)
    assert.equal(missing.status, 404)
    assert.deepEqual(missing.json, { message: 'SMS gateway not found.' })
    const sql = `SELECT count(*) FROM sms_messages WHERE sms_gateway_id = ${id}`
    assert.deepEqual(await columnOf(place.world.service.trunkline.storage, sql), [1])
  })
})

describe('the limit of extensions', () => {
  it('refuses one too many, whether created or moved', async () => {
    const { id } = await place.world.create('tenants', { max_extensions: 2 })
    const of = { tenant_id: id }
    const [first] = [await place.world.create('extensions', of), await place.world.create('extensions', of)]
    const refusal = {
      message: 'The tenant has reached its limit of 2 extensions.',
      errors: { tenant_id: ['The tenant has reached its limit of 2 extensions.'] },
    }
    const third = await place.world.send('POST', '/api/extensions', place.world.body('extensions', of))
    assert.equal(third.status, 422)
    assert.deepEqual(third.json, refusal)
    const stranger = await place.world.create('extensions')
    const moved = await place.world.send('PUT', `/api/extensions/${stranger.id}`, place.world.body('extensions', of))
    assert.deepEqual([moved.status, moved.json], [422, refusal])
    const inPlace = await place.world.send('PUT', `/api/extensions/${first.id}`, place.world.body('extensions', of))
    assert.equal(inPlace.status, 200)
  })

  it('may be lowered below the present number', async () => {
    const { id } = await place.world.create('tenants', { max_extensions: 3 })
    const of = { tenant_id: id }
    const [kept] = [await place.world.create('extensions', of), await place.world.create('extensions', of)]
    const lowered = await place.world.send(
      'PUT',
      `/api/tenants/${id}`,
      place.world.body('tenants', { max_extensions: 1 }),
    )
    assert.equal(lowered.status, 200)
    assert.equal((await place.world.send('POST', '/api/extensions', place.world.body('extensions', of))).status, 422)
    assert.equal(
      (await place.world.send('PUT', `/api/extensions/${kept.id}`, place.world.body('extensions', of))).status,
      200,
    )
  })

  it('holds when twenty are created at once', async () => {
    const { id } = await place.world.create('tenants', { max_extensions: 7 })
    const bodies = Array.from({ length: 20 }, () => place.world.body('extensions', { tenant_id: id }))
    const answers = await Promise.all(bodies.map(body => place.world.send('POST', '/api/extensions', body)))
    assert.equal(answers.filter(({ status }) => status === 201).length, 7)
    assert.equal(answers.filter(({ status }) => status === 422).length, 13)
    assert.equal((await place.world.get(`/api/tenants/${id}`)).json.data.extensions.length, 7)
  })
})
