import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { startWorld, type World } from '../../../support/data/records.ts'
import {
  addGateway,
  type FakeGateway,
  json,
  MESSAGE,
  signal,
  startGateway,
} from '../../../support/messaging/gateway.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

let world: World
let gateway: FakeGateway
let id: number
before(async () => {
  world = await startWorld({ gateway_timeout: 0.3 })
})
beforeEach(async () => {
  await gateway?.close()
  gateway = await startGateway()
  id = await addGateway(world.service, world.session, gateway)
})
after(async () => {
  await world.close()
  await gateway.close()
})

const send = (members: object = {}, gatewayId = id) =>
  world.send('POST', `/api/sms-gateways/${gatewayId}/send`, { ...MESSAGE, ...members })

const sent = async (members: object = {}, gatewayId = id) => {
  const { status, json } = await send(members, gatewayId)
  assert.equal(status, 200)
  assert.equal(json.message, 'SMS request processed.')
  return json.data
}

const messages = async (gatewayId = id) => (await world.get(`/api/sms-gateways/${gatewayId}/messages`)).json

const FIELDS = [
  ...['id', 'sms_gateway_id', 'tenant_id', 'to_number', 'from_sender', 'message', 'external_message_id'],
  ...['delivery_status', 'direction', 'callback_url', 'remote_response', 'error_message', 'requested_at'],
  ...['submitted_at', 'delivered_at', 'created_at', 'updated_at'],
]

describe('a send', () => {
  it('that the gateway accepts is submitted and answered with the whole record', async () => {
    gateway.answerWith(200, '{"message_id":"abc-1","cost":0.5}')
    const data = await sent({ tenant_id: world.references.tenant_id })
    assert.deepEqual(Object.keys(data), FIELDS)
    const { id: messageId, requested_at, submitted_at, created_at, updated_at, ...rest } = data
    assert.deepEqual(rest, {
      sms_gateway_id: id,
      tenant_id: world.references.tenant_id,
      ...MESSAGE,
      external_message_id: 'abc-1',
      delivery_status: 'submitted',
      direction: 'outbound',
      callback_url: `${world.service.url}/api/sms-gateways/${id}/dlr`,
      remote_response: { message_id: 'abc-1', cost: 0.5 },
      error_message: null,
      delivered_at: null,
    })
    for (const moment of [requested_at, submitted_at, created_at, updated_at]) assert.match(moment, TIMESTAMP)
    assert.ok(requested_at < submitted_at)
    assert.deepEqual((await messages()).data, [data])
    assert.equal((await world.get(`/api/sms-gateways/${id}`)).json.data.messages_count, 1)
    assert.ok(messageId > 0)
  })

  it('posts exactly the documented keys, in their order, and nothing else', async () => {
    await sent({ message: 'Привет "you"', tenant_id: world.references.tenant_id })
    const [{ method, path, headers, text } = assert.fail()] = gateway.requests
    assert.deepEqual([method, path], ['POST', '/send'])
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers.authorization, `Basic ${btoa('user:pa55-w0rd-of-gateway')}`)
    const dlr = `${world.service.url}/api/sms-gateways/${id}/dlr`
    assert.equal(
      text,
      `{"to":"+380501234567","from":"ACME","content":"Привет \\"you\\"","dlr-url":"${dlr}","dlr-level":2,"dlr-method":"POST"}`,
    )
  })

  it('is queued on disk until the gateway answers', async () => {
    const held = signal<() => void>()
    gateway.answer(response => held.resolve(() => json(response, 200, { id: 'x' })))
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
    const custom = await addGateway(world.service, world.session, gateway, { api_path: '/secure/send?x=1', meta })
    const callback_url = 'https://hooks.example.com/dlr?a=b'
    const data = await sent({ callback_url }, custom)
    assert.equal(data.callback_url, callback_url)
    const { path, text } = gateway.requests.at(-1) ?? assert.fail()
    assert.equal(path, '/secure/send?x=1')
    const payload = JSON.parse(text)
    assert.deepEqual([payload['dlr-url'], payload['dlr-level'], payload['dlr-method']], [callback_url, 3, 'GET'])
  })

  it('goes to `send` when the path was cleared', async () => {
    await world.send('PATCH', `/api/sms-gateways/${id}`, { api_path: null })
    await sent()
    assert.equal(gateway.requests.at(-1)?.path, '/send')
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
    const all = await world.send('POST', `/api/sms-gateways/${id}/send`, {})
    assert.deepEqual(Object.keys(all.json.errors), ['to_number', 'from_sender', 'message'])
    assert.equal(all.json.message, 'The to number field is required. (and 2 more errors)')
    assert.deepEqual((await messages()).data, [])
    assert.deepEqual(gateway.requests, [])
  })

  it('takes numbers and senders as the document says', async () => {
    for (const to_number of ['380501234567', '+12', '+123456789012345']) assert.ok(await sent({ to_number }))
    for (const from_sender of ['+380501234567', '101', 'My Shop', "O'Neil & Co._-", 'Кафе'])
      assert.equal((await sent({ from_sender })).from_sender, from_sender)
    assert.equal((await sent({ message: '📞'.repeat(1000) })).message, '📞'.repeat(1000))
  })

  it('through an unknown gateway is a 404', async () => {
    for (const wrong of ['999999', 'abc', '0']) {
      const { status, json } = await world.send('POST', `/api/sms-gateways/${wrong}/send`, MESSAGE)
      assert.deepEqual([status, json], [404, { message: 'SMS gateway not found.' }])
      assert.equal((await world.get(`/api/sms-gateways/${wrong}/messages`)).status, 404)
    }
  })

  it('needs a session', async () => {
    const { status } = await world.service.request('POST', `/api/sms-gateways/${id}/send`, { json: MESSAGE })
    assert.equal(status, 401)
    assert.equal((await world.service.request('GET', `/api/sms-gateways/${id}/messages`)).status, 401)
    assert.deepEqual(gateway.requests, [])
  })
})

describe('the external id', () => {
  const cases: [reply: string, id: string | RegExp][] = [
    ['{"message_id":"m-1","id":"i-1"}', 'm-1'],
    ['{"id":"i-1"}', 'i-1'],
    ['{"message_id":null,"id":"i-1"}', 'i-1'],
    ['{"message_id":"","id":" i-1 "}', 'i-1'],
    ['{"message_id":42}', '42'],
    ['{"id":12345678901234567890}', '12345678901234567890'],
    ['{"id":9007199254740993}', '9007199254740993'],
    ['{"data":"Success \\"898aa385-6099\\""}', '898aa385-6099'],
    ['{"data": "Success \\"898aa385-6099"}', '898aa385-6099'],
    ['Success "715febb7-ec44"', '715febb7-ec44'],
    ['Success "715febb7-ec44', '715febb7-ec44'],
    ['"Success \\"quoted-1\\""', 'quoted-1'],
    ['{"message_id":{"a":1}}', UUID],
    ['{"message_id":true}', UUID],
    ['[{"id":"in-a-list"}]', UUID],
    ['0: Accepted for delivery', UUID],
    ['', UUID],
    ['{}', UUID],
    [`{"id":"${'x'.repeat(256)}"}`, UUID],
  ]
  for (const [reply, expected] of cases)
    it(`of the reply ${reply.length > 60 ? `${reply.slice(0, 20)}…` : reply || '(nothing)'}`, async () => {
      gateway.answerWith(200, reply)
      const { external_message_id, delivery_status } = await sent()
      assert.equal(delivery_status, 'submitted')
      if (typeof expected === 'string') assert.equal(external_message_id, expected)
      else assert.match(external_message_id, expected)
    })
})

describe('the remote response', () => {
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`
  const cases: [reply: string, kept: unknown][] = [
    ['{"a":{"b":[1,null]}}', { a: { b: [1, null] } }],
    ['[1,2]', { body: [1, 2] }],
    ['"text"', { body: 'text' }],
    ['7', { body: 7 }],
    ['null', { body: null }],
    ['Accepted', { body: 'Accepted' }],
    ['{"cut":', { body: '{"cut":' }],
    ['', { body: '' }],
    [deep, { body: deep }],
  ]
  for (const [reply, kept] of cases)
    it(`to ${reply.length > 60 ? 'a reply nested too deep' : reply || 'an empty reply'}`, async () => {
      gateway.answerWith(200, reply)
      assert.deepEqual((await sent()).remote_response, kept)
    })

  it('keeps every digit', async () => {
    gateway.answerWith(200, '{"id":12345678901234567890,"price":0.10000000000000000001}')
    const { text } = await send()
    assert.ok(text.includes('"remote_response":{"id":12345678901234567890,"price":0.10000000000000000001}'), text)
  })
})

describe('a send that fails', () => {
  it('by an HTTP status is failed with that status and what the gateway says', async () => {
    const cases: [status: number, body: string, error: string, response: unknown][] = [
      [500, '{"message":"no credit"}', 'HTTP 500: no credit', { message: 'no credit' }],
      [403, 'Error "Authentication failure"', 'HTTP 403: Error "Authentication failure"', undefined],
      [401, '{"title":"Authentication required"}', 'HTTP 401: Authentication required', undefined],
      [404, '', 'HTTP 404', { body: '' }],
      [302, 'moved', 'HTTP 302: moved', { body: 'moved' }],
      [503, '{"id":"not-this"}', 'HTTP 503', { id: 'not-this' }],
    ]
    for (const [status, body, error, response] of cases) {
      gateway.answerWith(status, body)
      const data = await sent()
      assert.equal(data.delivery_status, 'failed')
      assert.equal(data.error_message, error)
      if (response !== undefined) assert.deepEqual(data.remote_response, response)
      assert.equal(data.submitted_at, null)
      assert.equal(data.delivered_at, null)
      assert.match(data.external_message_id, UUID)
    }
  })

  it('after its request was written has an unknown outcome', async () => {
    gateway.answer(() => undefined)
    const late = await sent()
    assert.equal(late.delivery_status, 'failed')
    const exception = 'The gateway did not answer within 0.3 s.'
    assert.equal(late.error_message, `outcome unknown: ${exception}`)
    assert.deepEqual(late.remote_response, { exception })
    gateway.answer(response => void response.destroy())
    assert.equal((await sent()).error_message, 'outcome unknown: socket hang up (ECONNRESET)')
  })

  it('before its request was written has failed for certain, with an exception', async () => {
    const { port } = gateway
    await gateway.close()
    const absent = await sent()
    assert.equal(absent.delivery_status, 'failed')
    assert.equal(absent.error_message, `connect ECONNREFUSED 127.0.0.1:${port}`)
    assert.deepEqual(absent.remote_response, { exception: absent.error_message })
    assert.equal(absent.submitted_at, null)
    assert.match(absent.external_message_id, UUID)
  })

  it('for its address is not allowed is failed and says so', async () => {
    const forbidden = await addGateway(world.service, world.session, { host: '169.254.169.254', port: 80 })
    const data = await sent({}, forbidden)
    assert.equal(data.delivery_status, 'failed')
    assert.match(data.error_message, /not allowed/)
  })
})

describe('the messages of a gateway', () => {
  it('are its own, newest first, and can be paged', async () => {
    const other = await addGateway(world.service, world.session, gateway)
    const ids = [await sent(), await sent(), await sent()].map(data => data.id).reverse()
    await sent({}, other)
    const { message, data } = await messages()
    assert.equal(message, 'SMS messages fetched successfully.')
    const idsOf = (records: { id: number }[]) => records.map(record => record.id)
    assert.deepEqual(idsOf(data), ids)
    const page = await world.get(`/api/sms-gateways/${id}/messages?limit=2`)
    assert.deepEqual(idsOf(page.json.data), ids.slice(0, 2))
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]?.replace(world.service.url, '')
    assert.deepEqual(idsOf((await world.get(next ?? '')).json.data), ids.slice(2))
  })
})
