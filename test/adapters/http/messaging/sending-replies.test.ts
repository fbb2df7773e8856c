import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addGateway } from '../../../support/messaging/gateway.ts'
import { smsPlace } from '../../../support/messaging/sms-place.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const sms = smsPlace({ gateway_timeout: 0.3 })
const { send, processed: sent } = sms

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
      sms.gateway.answerWith(200, reply)
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
      sms.gateway.answerWith(200, reply)
      assert.deepEqual((await sent()).remote_response, kept)
    })

  it('keeps every digit', async () => {
    sms.gateway.answerWith(200, '{"id":12345678901234567890,"price":0.10000000000000000001}')
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
      sms.gateway.answerWith(status, body)
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
    sms.gateway.answer(() => undefined)
    const late = await sent()
    assert.equal(late.delivery_status, 'failed')
    const exception = 'The gateway did not answer within 0.3 s.'
    assert.equal(late.error_message, `outcome unknown: ${exception}`)
    assert.deepEqual(late.remote_response, { exception })
    sms.gateway.answer(response => void response.destroy())
    assert.equal((await sent()).error_message, 'outcome unknown: socket hang up (ECONNRESET)')
  })

  it('before its request was written has failed for certain, with an exception', async () => {
    const { port } = sms.gateway
    await sms.gateway.close()
    const absent = await sent()
    assert.equal(absent.delivery_status, 'failed')
    assert.equal(absent.error_message, `connect ECONNREFUSED 127.0.0.1:${port}`)
    assert.deepEqual(absent.remote_response, { exception: absent.error_message })
    assert.equal(absent.submitted_at, null)
    assert.match(absent.external_message_id, UUID)
  })

  it('for its address is not allowed is failed and says so', async () => {
    const forbidden = await addGateway(sms.world.service, sms.world.session, { host: '169.254.169.254', port: 80 })
    const data = await sent({}, forbidden)
    assert.equal(data.delivery_status, 'failed')
    assert.match(data.error_message, /not allowed/)
  })
})
