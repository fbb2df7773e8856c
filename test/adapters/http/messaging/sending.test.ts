import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addGateway, json, MESSAGE, signal } from '../../../support/messaging/gateway.ts'
import { smsPlace } from '../../../support/messaging/sms-place.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

const sms = smsPlace({ gateway_timeout: 0.3 })
const { send, messages, processed: sent } = sms

const FIELDS = [
  ...['id', 'sms_gateway_id', 'tenant_id', 'to_number', 'from_sender', 'message', 'external_message_id'],
  ...['delivery_status', 'direction', 'callback_url', 'remote_response', 'error_message', 'requested_at'],
  ...['submitted_at', 'delivered_at', 'created_at', 'updated_at'],
]

describe('a send', () => {
  it('that the gateway accepts is submitted and answered with the whole record', async () => {
    sms.gateway.answerWith(200, '{"message_id":"abc-1","cost":0.5}')
    const data = await sent({ tenant_id: sms.world.references.tenant_id })
    assert.deepEqual(Object.keys(data), FIELDS)
    const { id: messageId, requested_at, submitted_at, created_at, updated_at, ...rest } = data
    assert.deepEqual(rest, {
      sms_gateway_id: sms.id,
      tenant_id: sms.world.references.tenant_id,
      ...MESSAGE,
      external_message_id: 'abc-1',
      delivery_status: 'submitted',
      direction: 'outbound',
      callback_url: `${sms.world.service.url}/api/sms-gateways/${sms.id}/dlr`,
      remote_response: { message_id: 'abc-1', cost: 0.5 },
      error_message: null,
      delivered_at: null,
    })
    for (const moment of [requested_at, submitted_at, created_at, updated_at]) assert.match(moment, TIMESTAMP)
    assert.ok(requested_at < submitted_at)
    assert.deepEqual((await messages()).data, [data])
    assert.equal((await sms.world.get(`/api/sms-gateways/${sms.id}`)).json.data.messages_count, 1)
    assert.ok(messageId > 0)
  })

  it('posts exactly the documented keys, in their order, and nothing else', async () => {
    await sent({ message: 'Привет "you"', tenant_id: sms.world.references.tenant_id })
    const [{ method, path, headers, text } = assert.fail()] = sms.gateway.requests
    assert.deepEqual([method, path], ['POST', '/send'])
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers.authorization, `Basic ${btoa('user:pa55-w0rd-of-gateway')}`)
    const dlr = `${sms.world.service.url}/api/sms-gateways/${sms.id}/dlr`
    assert.equal(
      text,
      `{"to":"+380501234567","from":"ACME","content":"Привет \\"you\\"","dlr-url":"${dlr}","dlr-level":2,"dlr-method":"POST"}`,
    )
  })

  it('is queued on disk until the gateway answers', async () => {
    const held = signal<() => void>()
    sms.gateway.answer(response => held.resolve(() => json(response, 200, { id: 'x' })))
    const sending = send()
    const release = await held.promise
    const [queued] = (await messages()).data
    const { delivery_status, submitted_at, error_message, remote_response, external_message_id } = queued
    assert.deepEqual([delivery_status, submitted_at, error_message], ['queued', null, null])
    assert.deepEqual(remote_response, {})
    assert.match(external_message_id, UUID)
    release()
    assert.equal((await sending).json.data.id, queued.id)
  })

  it('goes to the path, level, method and callback that are set', async () => {
    const meta = { dlr_level: 3, dlr_method: 'GET', other: 1 }
    const custom = await addGateway(sms.world.service, sms.world.session, sms.gateway, {
      api_path: '/secure/send?x=1',
      meta,
    })
    const callback_url = 'https://hooks.example.com/dlr?a=b'
    const data = await sent({ callback_url }, custom)
    assert.equal(data.callback_url, callback_url)
    const { path, text } = sms.gateway.requests.at(-1) ?? assert.fail()
    assert.equal(path, '/secure/send?x=1')
    const payload = JSON.parse(text)
    assert.deepEqual([payload['dlr-url'], payload['dlr-level'], payload['dlr-method']], [callback_url, 3, 'GET'])
  })

  it('goes to `send` when the path was cleared', async () => {
    await sms.world.send('PATCH', `/api/sms-gateways/${sms.id}`, { api_path: null })
    await sent()
    assert.equal(sms.gateway.requests.at(-1)?.path, '/send')
  })

  it('is checked as the document says, and then nothing is sent or stored', async () => {
    const cases: [object, Record<string, string>][] = [
      [{ to_number: undefined }, { to_number: 'The to number field is required.' }],
      [{ to_number: 'ACME' }, { to_number: 'The to number field format is invalid.' }],
      [{ to_number: '+0501234567' }, { to_number: 'The to number field format is invalid.' }],
      [{ to_number: '+1234567890123456' }, { to_number: 'The to number field format is invalid.' }],
      [{ to_number: '1'.repeat(31) }, { to_number: 'The to number field must not be greater than 30 characters.' }],
      [{ to_number: 380501234567 }, { to_number: 'The to number field must be a string.' }],
      [{ from_sender: '' }, { from_sender: 'The from sender field is required.' }],
      [{ from_sender: 'A/B' }, { from_sender: 'The from sender field format is invalid.' }],
      [
        { from_sender: 'x'.repeat(31) },
        { from_sender: 'The from sender field must not be greater than 30 characters.' },
      ],
      [{ message: '  ' }, { message: 'The message field is required.' }],
      [{ message: '📞'.repeat(1001) }, { message: 'The message field must not be greater than 1000 characters.' }],
      [{ tenant_id: 999_999 }, { tenant_id: 'The selected tenant id is invalid.' }],
      [{ tenant_id: 'x' }, { tenant_id: 'The tenant id field must be an integer.' }],
      [{ callback_url: 'ftp://x.example/' }, { callback_url: 'The callback url field must be a valid URL.' }],
      [{ callback_url: 'javascript:alert(1)' }, { callback_url: 'The callback url field must be a valid URL.' }],
      [{ callback_url: 'x.example/dlr' }, { callback_url: 'The callback url field must be a valid URL.' }],
    ]
    for (const [members, errors] of cases) {
      const { status, json } = await send(members)
      assert.equal(status, 422, JSON.stringify(members))
      assert.deepEqual(json.errors, Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, [text]])))
    }
    const all = await sms.world.send('POST', `/api/sms-gateways/${sms.id}/send`, {})
    assert.deepEqual(Object.keys(all.json.errors), ['to_number', 'from_sender', 'message'])
    assert.equal(all.json.message, 'The to number field is required. (and 2 more errors)')
    assert.deepEqual((await messages()).data, [])
    assert.deepEqual(sms.gateway.requests, [])
  })

  it('takes numbers and senders as the document says', async () => {
    for (const to_number of ['380501234567', '+12', '+123456789012345']) assert.ok(await sent({ to_number }))
    for (const from_sender of ['+380501234567', '101', 'My Shop', "O'Neil & Co._-", 'Кафе'])
      assert.equal((await sent({ from_sender })).from_sender, from_sender)
    assert.equal((await sent({ message: '📞'.repeat(1000) })).message, '📞'.repeat(1000))
  })

  it('through an unknown gateway is a 404', async () => {
    for (const wrong of ['999999', 'abc', '0']) {
      const { status, json } = await sms.world.send('POST', `/api/sms-gateways/${wrong}/send`, MESSAGE)
      assert.deepEqual([status, json], [404, { message: 'SMS gateway not found.' }])
      assert.equal((await sms.world.get(`/api/sms-gateways/${wrong}/messages`)).status, 404)
    }
  })

  it('needs a session', async () => {
    const { status } = await sms.world.service.request('POST', `/api/sms-gateways/${sms.id}/send`, { json: MESSAGE })
    assert.equal(status, 401)
    assert.equal((await sms.world.service.request('GET', `/api/sms-gateways/${sms.id}/messages`)).status, 401)
    assert.deepEqual(sms.gateway.requests, [])
  })
})

describe('the messages of a gateway', () => {
  it('are its own, newest first, and can be paged', async () => {
    const other = await addGateway(sms.world.service, sms.world.session, sms.gateway)
    const ids = [await sent(), await sent(), await sent()].map(data => data.id).reverse()
    await sent({}, other)
    const { message, data } = await messages()
    assert.equal(message, 'SMS messages fetched successfully.')
    const idsOf = (records: { id: number }[]) => records.map(record => record.id)
    assert.deepEqual(idsOf(data), ids)
    const page = await sms.world.get(`/api/sms-gateways/${sms.id}/messages?limit=2`)
    assert.deepEqual(idsOf(page.json.data), ids.slice(0, 2))
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]?.replace(sms.world.service.url, '')
    assert.deepEqual(idsOf((await sms.world.get(next ?? '')).json.data), ids.slice(2))
  })
})
