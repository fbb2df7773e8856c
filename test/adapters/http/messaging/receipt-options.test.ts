import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { smsMessages } from '../../../../core/resources/sms-messages.ts'
import { startWorld, type World } from '../../../support/data/records.ts'
import { columnOf } from '../../../support/data/stored.ts'
import { addGateway, type FakeGateway, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'

const RECEIVED = { message: 'DLR received' }

let world: World
let gateway: FakeGateway
before(async () => {
  world = await startWorld({ base_url: 'https://pbx.example.com/trunk' })
  gateway = await startGateway()
})
after(async () => {
  await world.close()
  await gateway.close()
})

const setUp = (meta: object, members: object = {}) =>
  addGateway(world.service, world.session, gateway, { meta, ...members })

const sent = async (id: number, members: object = {}) =>
  (await world.send('POST', `/api/sms-gateways/${id}/send`, { ...MESSAGE, ...members })).json.data

const stored = async (id: number) => (await world.get(`/api/sms-gateways/${id}/messages`)).json.data[0]

const receipt = (id: number, json: object, { query = '', headers = {} } = {}) =>
  world.service.request('POST', `/webhooks/gateway/${id}/dlr${query}`, { json, headers })

describe('dlr_ack', () => {
  it('is answered as plain text to a receipt that matched, and to no other', async () => {
    const id = await setUp({ dlr_ack: 'ACK/Jasmin' })
    const { external_message_id } = await sent(id)
    const matched = await receipt(id, { id: external_message_id, message_status: 'DELIVRD' })
    assert.deepEqual([matched.status, matched.text], [200, 'ACK/Jasmin'])
    assert.match(matched.headers.get('content-type') ?? '', /^text\/plain/)
    const unmatched = await receipt(id, { id: 'unknown' })
    assert.deepEqual([unmatched.status, unmatched.json], [200, RECEIVED])
    assert.deepEqual((await receipt(id, {})).json, RECEIVED)
  })
})

describe('interim_statuses', () => {
  it('are merged without changing status or delivery time, in any case', async () => {
    const id = await setUp({ interim_statuses: ['ESME_ROK', 'enroute'] })
    const message = await sent(id)
    await receipt(id, { id: message.external_message_id, message_status: 'esme_rok', level: 1 })
    await receipt(id, { id: message.external_message_id, status: 'ENROUTE', step: 2 })
    const interim = await stored(id)
    assert.deepEqual([interim.delivery_status, interim.delivered_at], ['submitted', null])
    assert.equal(interim.remote_response.level, 1)
    assert.equal(interim.remote_response.step, 2)
    await receipt(id, { id: message.external_message_id, status: 'DELIVRD' })
    const final = await stored(id)
    assert.equal(final.delivery_status, 'delivrd')
    await receipt(id, { id: message.external_message_id, message_status: 'ESME_ROK', status: '' })
    assert.equal((await stored(id)).delivery_status, 'delivrd')
    assert.equal((await stored(id)).delivered_at, final.delivered_at)
  })
})

describe('dlr_token_in', () => {
  const TOKEN = 'tok en/+ä'

  it('query: wants the token in the query, and the default dlr-url carries it', async () => {
    const id = await setUp({ dlr_token_in: 'query:dlr.token' }, { callback_token: TOKEN })
    const message = await sent(id)
    const url = new URL(message.callback_url)
    assert.equal(url.origin + url.pathname, `https://pbx.example.com/trunk/api/sms-gateways/${id}/dlr`)
    assert.deepEqual([...url.searchParams], [['dlr.token', TOKEN]])
    assert.equal(JSON.parse(gateway.requests.at(-1)?.text ?? '')['dlr-url'], message.callback_url)
    const payload = { id: message.external_message_id, status: 'DELIVRD' }
    const wrong = ['', '?dlr.token=', '?dlr.token=x', `?token=${encodeURIComponent(TOKEN)}`]
    wrong.push(`?dlr.token=${encodeURIComponent(`${TOKEN}x`)}`, `?DLR.TOKEN=${encodeURIComponent(TOKEN)}`)
    for (const query of wrong) {
      const { status, json } = await receipt(id, payload, { query })
      assert.equal(status, 403, query)
      assert.equal(typeof json.message, 'string')
    }
    assert.equal((await receipt(id, { ...payload, 'dlr.token': TOKEN })).status, 403)
    assert.deepEqual(await stored(id), message)
    const right = await receipt(id, payload, { query: url.search })
    assert.deepEqual([right.status, right.json], [200, RECEIVED])
    assert.equal((await stored(id)).delivery_status, 'delivrd')
  })

  it('header: wants the token in the header, and the dlr-url stays as it is', async () => {
    const id = await setUp({ dlr_token_in: 'header:X-Dlr-Token' }, { callback_token: 'tok-1' })
    const message = await sent(id)
    assert.equal(message.callback_url, `https://pbx.example.com/trunk/api/sms-gateways/${id}/dlr`)
    const payload = { id: message.external_message_id }
    for (const headers of [{}, { 'x-dlr-token': 'tok-2' }, { 'x-dlr-token': 'tok-11' }, { 'x-other': 'tok-1' }])
      assert.equal((await receipt(id, payload, { headers })).status, 403)
    assert.deepEqual(await stored(id), message)
    assert.equal((await receipt(id, payload, { headers: { 'x-dlr-token': 'tok-1' } })).status, 200)
    assert.equal((await stored(id)).delivery_status, 'delivered')
  })

  it("leaves the sender's callback_url unchanged", async () => {
    const id = await setUp({ dlr_token_in: 'query:token' }, { callback_token: TOKEN })
    const callback_url = 'https://hooks.example.com/dlr'
    assert.equal((await sent(id, { callback_url })).callback_url, callback_url)
  })

  it('that cannot be read lets no receipt pass', async () => {
    for (const place of ['cookie:token', 'query:', 'query', 7, {}, 'header:a b']) {
      const id = await setUp({ dlr_token_in: place }, { callback_token: 'tok-1' })
      const { external_message_id } = await sent(id)
      assert.equal((await receipt(id, { id: external_message_id }, { query: '?token=tok-1' })).status, 403)
    }
  })

  it('has no effect without a callback token, nor a token without it', async () => {
    for (const id of [
      await setUp({ dlr_token_in: 'query:token' }),
      await setUp({}, { callback_token: 'tok-1' }),
      await setUp({ dlr_token_in: null }, { callback_token: 'tok-1' }),
    ]) {
      const { external_message_id } = await sent(id)
      assert.equal((await receipt(id, { id: external_message_id })).status, 200)
      assert.equal((await stored(id)).delivery_status, 'delivered')
    }
  })

  it('is still required, and the other options still hold, after the gateway is deleted', async () => {
    const meta = { dlr_token_in: 'query:token', interim_statuses: ['enroute'], dlr_ack: 'ACK' }
    const id = await setUp(meta, { callback_token: 'tok-1' })
    const { external_message_id, ...message } = await sent(id)
    await world.send('DELETE', `/api/sms-gateways/${id}`)
    const found = () => world.service.trunkline.storage.records.find(smsMessages, message.id)
    for (const query of ['', '?token=tok-2']) {
      const { status } = await receipt(id, { id: external_message_id, status: 'DELIVRD' }, { query })
      assert.equal(status, 403)
    }
    assert.equal((await found())?.remote_response, JSON.stringify(message.remote_response))
    const query = '?token=tok-1'
    const interim = await receipt(id, { id: external_message_id, status: 'ENROUTE' }, { query })
    assert.deepEqual([interim.status, interim.text], [200, 'ACK'])
    assert.equal((await found())?.delivery_status, 'submitted')
    await receipt(id, { id: external_message_id, status: 'DELIVRD' }, { query })
    assert.equal((await found())?.delivery_status, 'delivrd')
  })

  it('is checked before the receipt is read, so that garbage is refused too', async () => {
    const id = await setUp({ dlr_token_in: 'query:token' }, { callback_token: 'tok-1' })
    assert.equal((await receipt(id, {})).status, 403)
    const parked = `SELECT count(*) FROM parked_receipts WHERE sms_gateway_id = ${id}`
    await receipt(id, { id: 'not-yet' })
    assert.deepEqual(await columnOf(world.service.trunkline.storage, parked), [0])
  })
})
