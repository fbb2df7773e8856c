import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createMetrics, type Metrics } from '../../../../adapters/http/metrics.ts'
import { startService, type TestService } from '../../../support/http/app.ts'
import { rawRequest } from '../../../support/http/raw.ts'
import { addGateway, type FakeGateway, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'

const RECEIVED = '{"message":"DLR received"}'
const BOUNDARY = '-----------------------------974767299852498929531610575'
const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

let metrics: Metrics
let service: TestService
let session: string
let gateway: FakeGateway
let id: number
before(async () => {
  metrics = createMetrics()
  service = await startService({}, {}, metrics)
  session = await service.login()
  gateway = await startGateway()
})
beforeEach(async () => {
  id = await addGateway(service, session, gateway)
})
after(async () => {
  await service.close()
  await gateway.close()
})

const sent = async (externalId: string): Promise<void> => {
  gateway.answerWith(200, JSON.stringify({ id: externalId }))
  await service.request('POST', `/api/sms-gateways/${id}/send`, { json: MESSAGE, session })
}

const stored = async () => (await service.request('GET', `/api/sms-gateways/${id}/messages`, { session })).json.data[0]

const post = (body: string | Buffer, headers: Record<string, string> = {}, query = '') =>
  rawRequest(service.url, { method: 'POST', path: `/webhooks/gateway/${id}/dlr${query}`, headers, body })

/** A multipart form of these parts: the header after `form-data`, and the value. */
const multipart = (...parts: readonly (readonly [head: string, value: string | Buffer])[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(([head, value]) => [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])

const field = (name: string, value: string): [string, string] => [`name="${name}"`, value]

const counted = async (result: string): Promise<number> => {
  const line = new RegExp(`^trunkline_sms_receipts_total\\{gateway="${id}",result="${result}"\\} (\\d+)$`, 'm')
  return Number(line.exec(await metrics.text())?.[1] ?? 0)
}

describe('a receipt in a multipart form', () => {
  it('changes its message, with the last of repeated fields and without files', async () => {
    await sent('multi-1')
    const form = multipart(
      field('id', 'wrong'),
      field('id', 'multi-1'),
      field('status', 'DELIVRD'),
      field('text', 'Привет\r\n📞'),
      ['name="report"; filename="report.bin"\r\nContent-Type: application/octet-stream', Buffer.alloc(2_000, 0xff)],
      field('a.b', 'c'),
    )
    assert.deepEqual(await post(form, MULTIPART), { status: 200, text: RECEIVED })
    const { delivery_status, remote_response } = await stored()
    assert.equal(delivery_status, 'delivrd')
    assert.deepEqual(remote_response, { id: 'multi-1', status: 'DELIVRD', text: 'Привет\r\n📞', 'a.b': 'c' })
  })

  it('is read in the character set of each field, with a boundary of any length', async () => {
    await sent('multi-2')
    const latin = Buffer.from('M\u00fcnchen', 'latin1')
    const head = (name: string, type = ''): string =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n${type}\r\n`
    const form = Buffer.concat([
      Buffer.from(`${head('id')}multi-2\r\n${head('city', 'Content-Type: text/plain; charset=iso-8859-1\r\n')}`),
      latin,
      Buffer.from(`\r\n${head('__proto__')}x\r\n--x--`),
    ])
    await post(form, { 'content-type': 'multipart/form-data; boundary="x"' })
    const { delivery_status, remote_response } = await stored()
    assert.deepEqual([delivery_status, remote_response.city], ['delivered', 'München'])
    assert.ok(Object.hasOwn(remote_response, '__proto__'))
  })

  it('that is broken or has too many fields is answered with 200, changes nothing and is counted', async () => {
    await sent('multi-3')
    const before = await stored()
    const one = field('id', 'multi-3')
    const broken: [string | Buffer, Record<string, string>][] = [
      [multipart(one), { 'content-type': 'multipart/form-data' }],
      [multipart(one), { 'content-type': 'multipart/form-data; boundary=other' }],
      [multipart(one).subarray(0, -50), MULTIPART],
      [`--${BOUNDARY}`, MULTIPART],
      ['', MULTIPART],
      [multipart(...Array(101).fill(one)), MULTIPART],
    ]
    for (const [body, headers] of broken) assert.deepEqual(await post(body, headers), { status: 200, text: RECEIVED })
    assert.deepEqual(await stored(), before)
    assert.equal(await counted('unreadable'), broken.length)
    await post(multipart(...Array(100).fill(one)), MULTIPART)
    assert.equal((await stored()).delivery_status, 'delivered')
  })
})

describe('a receipt in the query string', () => {
  it('is read with or without a body, which takes precedence', async () => {
    const bodies: [string, Record<string, string>][] = [
      ['{"status":"DELIVRD"}', { 'content-type': 'application/json' }],
      ['status=DELIVRD', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['', {}],
      ['', { 'content-type': 'application/json' }],
    ]
    for (const [i, [body, headers]] of bodies.entries()) {
      await sent(`query-${i}`)
      await post(body, headers, `?ref=4&ref=42&id=query-${i}&status=EXPIRED`)
      const { delivery_status, remote_response } = await stored()
      assert.equal(delivery_status, body === '' ? 'expired' : 'delivrd')
      assert.equal(remote_response.ref, '42')
    }
  })

  it('does not store the token in it', async () => {
    id = await addGateway(service, session, gateway, { callback_token: 'hush', meta: { dlr_token_in: 'query:key' } })
    await sent('query-token')
    await post('id=query-token', { 'content-type': 'application/x-www-form-urlencoded' }, '?key=hush&ref=1')
    const { delivery_status, remote_response } = await stored()
    assert.equal(delivery_status, 'delivered')
    assert.deepEqual(remote_response, { id: 'query-token', ref: '1' })
  })
})

describe('an unusable receipt', () => {
  const noted = () =>
    service.logged.flatMap(line => {
      const { level, status, gateway, receipt } = JSON.parse(line)
      return receipt === undefined || gateway !== id ? [] : [[level, status, receipt]]
    })
  const WARN = 40

  it('is counted, and logged with its gateway and the reason, with nothing of its content', async () => {
    const json = { 'content-type': 'application/json' }
    await post('{"secret":"hush-4711"}', json)
    await post('{"id":"hush-4711"', json)
    await post(`{"id":"hush-4711","x":"${'x'.repeat(70_000)}"}`, json)
    await post('hush-4711', { ...json, 'content-encoding': 'odd' })
    await post(`id=hush-4711${'&x=hush-4711'.repeat(1_000)}`)
    await service.untilLogged('too_many_fields')
    const reasons = ['no_message_id', 'malformed', 'too_large', 'unsupported_media', 'too_many_fields']
    assert.deepEqual(
      noted(),
      reasons.map(reason => [WARN, 200, reason]),
    )
    assert.equal(await counted('unreadable'), 5)
    assert.doesNotMatch(service.logged.join(''), /hush-4711/)
  })

  it('for its token is counted and logged too', async () => {
    id = await addGateway(service, session, gateway, { callback_token: 'hush', meta: { dlr_token_in: 'query:key' } })
    await post('id=1', {}, '?key=hush-4711')
    await service.untilLogged('"token"')
    assert.deepEqual(noted(), [[WARN, 403, 'token']])
    assert.doesNotMatch(service.logged.join(''), /hush-4711/)
  })

  it('for its method is still refused, and counted and logged', async () => {
    for (const method of ['GET', 'PUT', 'HEAD']) {
      const { status } = await rawRequest(service.url, { method, path: `/api/sms-gateways/${id}/dlr?id=hush-4711` })
      assert.equal(status, 405, method)
    }
    await rawRequest(service.url, { method: 'GET', path: '/api/sms-gateways/4712/dlr' })
    await rawRequest(service.url, { method: 'GET', path: '/api/sms-gateways/x/dlr' })
    await service.request('GET', '/api/marker')
    while (!service.logged.at(-1)?.includes('404')) await new Promise(setImmediate)
    assert.deepEqual(
      noted(),
      ['GET', 'PUT', 'HEAD'].map(() => [WARN, 405, 'method']),
    )
    assert.equal(await counted('wrong_method'), 3)
    assert.doesNotMatch(await metrics.text(), /gateway="(4712|x|null)"/)
    assert.doesNotMatch(service.logged.join(''), /hush-4711/)
  })
})
