import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startWorld, type World } from '../../support/data/records.ts'
import { execute } from '../../support/data/stored.ts'
import { rawRequest } from '../../support/http/raw.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

const MIB = 1024 * 1024
const JSON_TYPE = { 'content-type': 'application/json' }

const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE) =>
  world.service.request('POST', path, { body, headers, session: world.session })

/** `{"a":{"a":…}}`, so many objects deep. */
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

const withSettings = (settings: string): string =>
  JSON.stringify(world.body('tenants', { settings: 'PLACE' })).replace('"PLACE"', settings)

describe('a request body', () => {
  it('that is not valid JSON is a 400', async () => {
    for (const body of ['{', '{"name":}', 'name=x', '{"a":1}}', "{'a':1}", '\u0000', '{"a":12345678901234567890,}']) {
      const { status, json } = await post('/api/tenants', body)
      assert.equal(status, 400, body)
      assert.deepEqual(json, { message: 'The request body is not valid JSON.' })
    }
  })

  it('that is JSON but no object is a 422', async () => {
    for (const body of ['[]', '"text"', '7', 'null', 'true', '12345678901234567890']) {
      const { status, json } = await post('/api/tenants', body)
      assert.equal(status, 422, body)
      assert.equal(typeof json.message, 'string')
    }
  })

  it('that is empty is an empty object', async () => {
    const { status, json } = await world.service.request('POST', '/api/queues', { session: world.session })
    assert.equal(status, 422)
    assert.equal(Object.keys(json.errors).length, 6)
  })

  it('of one MiB is read, and of a byte more is a 413', async () => {
    const body = world.body('dids', { description: '' })
    const room = MIB - JSON.stringify(body).length
    const exact = JSON.stringify({ ...body, description: 'd'.repeat(room) })
    assert.equal(Buffer.byteLength(exact), MIB)
    assert.equal((await post('/api/dids', exact)).status, 201)
    const { status, json } = await post('/api/dids', `${exact} `)
    assert.equal(status, 413)
    assert.deepEqual(json, { message: 'The request body is larger than 1 MiB.' })
  })

  it('may come in pieces that cut a character in two, and begin with a byte order mark', async () => {
    const bytes = Buffer.from(`\uFEFF${JSON.stringify(world.body('dids', { description: 'é' }))}`)
    const cut = bytes.indexOf('é') + 1
    const { port } = new URL(world.service.url)
    const outgoing = request({
      port,
      method: 'POST',
      path: '/api/dids',
      headers: { ...JSON_TYPE, cookie: world.session },
    })
    outgoing.write(bytes.subarray(0, cut))
    outgoing.end(bytes.subarray(cut))
    const [response] = await once(outgoing, 'response')
    assert.equal(response.statusCode, 201)
    assert.match(await text(response), /"description":"é"/)
  })

  it('of no JSON type is a 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'x']) {
      const { status, json } = await post('/api/tenants', '{}', { 'content-type': type })
      assert.equal(status, 415, type)
      assert.equal(typeof json.message, 'string')
    }
    const untyped = await rawRequest(world.service.url, {
      method: 'POST',
      path: '/api/tenants',
      headers: { cookie: world.session },
      body: '{}',
    })
    assert.equal(untyped.status, 415)
  })

  it('may name its charset, be of a +json type, or be compressed', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/vnd.api+json'])
      assert.equal((await post('/api/dids', JSON.stringify(world.body('dids')), { 'content-type': type })).status, 201)
    const compressed = await rawRequest(world.service.url, {
      method: 'POST',
      path: '/api/dids',
      headers: { ...JSON_TYPE, cookie: world.session, 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(world.body('dids'))),
    })
    assert.equal(compressed.status, 201)
  })

  it('that grows past one MiB when it is unpacked is a 413, and one that cannot be unpacked is no 500', async () => {
    const send = (body: Buffer, encoding: string) =>
      rawRequest(world.service.url, {
        method: 'POST',
        path: '/api/dids',
        headers: { ...JSON_TYPE, cookie: world.session, 'content-encoding': encoding },
        body,
      })
    assert.equal((await send(gzipSync(Buffer.alloc(8 * MIB, 'x')), 'gzip')).status, 413)
    assert.equal((await send(Buffer.from('{}'), 'gzip')).status, 400)
    assert.equal((await send(Buffer.from('{}'), 'unheard-of')).status, 415)
  })

  it('may nest 32 deep in settings, and not 33', async () => {
    assert.equal((await post('/api/tenants', withSettings(nested(32)))).status, 201)
    for (const settings of [nested(33), nested(20_000), `{"list":${'['.repeat(32)}${']'.repeat(32)}}`]) {
      const { status, json } = await post('/api/tenants', withSettings(settings))
      assert.equal(status, 422)
      assert.deepEqual(json.errors, { settings: ['The settings field must not nest deeper than 32 levels.'] })
    }
    const deepAndLong = withSettings(nested(20_000).replace('1', '12345678901234567890'))
    assert.equal((await post('/api/tenants', deepAndLong)).status, 422)
    assert.equal((await world.get('/api/tenants')).status, 200)
  })

  it('that repeats a member counts with the last, and __proto__ is plain data', async () => {
    const body = JSON.stringify(world.body('dids', { status: 'first' })).replace(
      /\}$/,
      ',"status":"last","__proto__":{"x":1}}',
    )
    const { status, json } = await post('/api/dids', body)
    assert.equal(status, 201)
    assert.equal(json.data.status, 'last')
    assert.equal(Reflect.get({}, 'x'), undefined)
  })

  it('is returned letter by letter, whatever its texts contain', async () => {
    const description = 'tab\tnewline\nquote"back\\slash \u0001 \u007f \u2028 </script> 📞 ж'
    const { json } = await post('/api/dids', JSON.stringify(world.body('dids', { description })))
    assert.equal(json.data.description, description)
    const shown = await world.get(`/api/dids/${json.data.id}`)
    assert.equal(shown.json.data.description, description)
  })
})

describe('every answer', () => {
  const expected = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
  }
  it('is JSON with a message and the security headers, errors too', async () => {
    const answers = await Promise.all([
      world.get('/api/tenants'),
      world.get('/'),
      world.get('/api'),
      world.get('/api/'),
      world.get('/api/unheard-of'),
      world.get('/api/unheard-of/1'),
      world.get('/api/sms-messages'),
      world.get('/api/devices'),
      world.get('/api/tenants/0'),
      world.get('/api/tenants/%E0%A4%A'),
      world.get('/api/%00/1'),
      world.get('/api/__proto__/1'),
      world.get('/api/constructor'),
      world.get('//'),
      world.get('/api/tenants?search=%E0%A4%A'),
      world.send('DELETE', '/api/tenants'),
      world.send('POST', '/api/tenants', {}),
      post('/api/tenants', '{'),
      world.service.request('GET', '/api/tenants'),
      world.service.request('GET', '/healthz'),
      world.service.request('GET', '/readyz'),
    ])
    for (const { status, headers, json } of answers) {
      assert.ok(status < 500, String(status))
      assert.equal(typeof json.message, 'string')
      for (const [name, value] of Object.entries(expected)) assert.equal(headers.get(name), value)
      assert.equal(headers.get('x-powered-by'), null)
      assert.match(headers.get('x-request-id') ?? '', /^\w+-\w+$/)
    }
  })

  it('to an unknown path or method says so', async () => {
    assert.deepEqual((await world.get('/api/unheard-of')).status, 404)
    const wrong = await world.service.request('GET', '/api/admin/login')
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'POST'])
    const receipt = await world.service.request('GET', '/webhooks/gateway/1/dlr')
    assert.deepEqual([receipt.status, receipt.headers.get('allow')], [405, 'POST'])
  })

  it('to HEAD is that of GET without a body', async () => {
    const { id } = await world.create('tenants')
    for (const path of ['/api/tenants', `/api/tenants/${id}`, '/healthz']) {
      const { status, text, headers } = await world.service.request('HEAD', path, { session: world.session })
      assert.equal(status, 200)
      assert.equal(text, '')
      assert.equal(headers.get('content-type'), expected['content-type'])
    }
    const missing = await world.service.request('HEAD', '/api/tenants/999999', { session: world.session })
    assert.deepEqual([missing.status, missing.text], [404, ''])
    assert.equal((await world.service.request('HEAD', '/api/tenants')).status, 401)
  })

  it('to anything but HTTP is a 400 in JSON', async () => {
    const { text } = await rawRequest(world.service.url, { bytes: 'BREW /pot COFFEE/1.0\r\n\r\n' })
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(text, /\r\n\r\n\{"message":"Bad Request\."\}$/)
    const huge = await rawRequest(world.service.url, { bytes: `GET /${'x'.repeat(40_000)} HTTP/1.1\r\n\r\n` })
    assert.match(huge.text, /^HTTP\/1\.1 431 /)
  })
})

describe('the health checks', () => {
  const lastBeat = () => world.service.trunkline.storage.maintenance.lastBeat()

  it('answer without a session', async () => {
    assert.deepEqual((await world.service.request('GET', '/healthz')).json, { message: 'Alive.' })
    const { message, data } = (await world.service.request('GET', '/readyz')).json
    assert.deepEqual([message, data], ['Ready.', { beaten_at: await lastBeat() }])
  })

  it('say when nothing can be written', async () => {
    const other = await startWorld()
    try {
      await execute(other.service.trunkline.storage, 'ALTER TABLE heartbeat RENAME TO gone')
      const { status, json } = await other.service.request('GET', '/readyz')
      assert.equal(status, 503)
      assert.equal(typeof json.message, 'string')
      assert.equal((await other.service.request('GET', '/healthz')).status, 200)
    } finally {
      await execute(other.service.trunkline.storage, 'ALTER TABLE gone RENAME TO heartbeat')
      await other.close()
    }
  })
})
