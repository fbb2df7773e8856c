import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fromOwnHost } from '../../../../adapters/http/sessions/origins.ts'
import { startWorld, type World } from '../../../support/data/records.ts'
import { startService, type TestService } from '../../../support/http/app.ts'
import { rawRequest } from '../../../support/http/raw.ts'
import { serving } from '../../../support/http/sessions.ts'

let world: World
before(async () => {
  world = await startWorld()
})
after(() => world.close())

const create = (service: TestService, session: string, headers: Record<string, string>, json: unknown) =>
  service.request('POST', '/api/rates', { json, session, headers })

describe('a request that changes something', () => {
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'http://127.0.0.1' },
  ]
  it('is refused when it comes from a foreign origin', async () => {
    for (const headers of foreign) {
      const { status, json } = await create(world.service, world.session, headers, world.body('rates'))
      assert.equal(status, 403, JSON.stringify(headers))
      assert.equal(typeof json.message, 'string')
      for (const path of ['/api/admin/login', '/api/admin/logout']) {
        const answer = await world.service.request('POST', path, { json: {}, headers, session: world.session })
        assert.equal(answer.status, 403)
      }
    }
    assert.deepEqual((await world.get('/api/rates')).json.data, [])
    assert.equal((await world.get('/api/admin/me')).status, 200)
  })

  it('is accepted from its own origin, from the same site and from programs other than browsers', async () => {
    for (const headers of [{ origin: world.service.url }, { 'sec-fetch-site': 'same-origin' }, {}])
      assert.equal((await create(world.service, world.session, { ...headers }, world.body('rates'))).status, 201)
  })

  it('knows its own origin by the base URL', async () => {
    const service = await startService({ base_url: 'https://pbx.example.com/trunk' })
    const session = await service.login()
    const statusFrom = async (origin: string) => (await create(service, session, { origin }, {})).status
    assert.equal(await statusFrom('https://pbx.example.com'), 422)
    assert.equal(await statusFrom('http://pbx.example.com'), 403)
    assert.equal(await statusFrom(service.url), 403)
    await service.close()
  })
})

describe('without a base URL', () => {
  /** A browser that reached the service by this name and shows a page from `origin`. */
  const status = async (headers: Record<string, string>, method = 'POST', path = '/api/admin/logout') =>
    (await rawRequest(world.service.url, { method, path, headers })).status

  it('a page is trusted if it comes from the requested host', async () => {
    const names = ['localhost:8080', 'LOCALHOST:8080', 'localhost', '192.0.2.7:8080', '[2001:db8::7]:8080', '[::1]']
    for (const host of names) assert.equal(await status({ host, origin: `http://${host}` }), 200, host)
    assert.equal(await status({ host: '192.0.2.7:8080', 'sec-fetch-site': 'same-origin' }), 200)
    assert.equal(await status({ host: '192.0.2.7:8080', 'sec-fetch-site': 'none' }), 200)
    assert.equal(await status({ host: '192.0.2.7:8080' }), 200)
  })

  it('a page of another host, port or site changes nothing', async () => {
    const host = 'localhost:8080'
    for (const headers of [
      { origin: 'http://localhost:8081' },
      { origin: 'http://127.0.0.1:8080' },
      { origin: 'null' },
      { origin: 'localhost:8080' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: `http://${host}`, 'sec-fetch-site': 'cross-site' },
    ])
      assert.equal(await status({ host, ...headers }), 403, JSON.stringify(headers))
  })

  it('a name that anyone may point here is refused for any path, and the error names the setting', async () => {
    const host = 'rebound.example:8080'
    for (const [method, path] of [
      ['POST', '/api/admin/login'],
      ['GET', '/api/tenants'],
      ['GET', '/api/admin/me'],
    ] as const) {
      const answer = await rawRequest(world.service.url, { method, path, headers: { host } })
      assert.equal(answer.status, 403)
      assert.match(
        answer.text,
        /does not go by the name rebound\.example: set base_url .* http:\/\/rebound\.example:8080/,
      )
    }
    for (const odd of ['127.0.0.1.example', 'localhost.example', 'a b', 'x<script>'])
      assert.equal(await status({ host: odd }), 403, odd)
  })

  it('receipts and probes are answered by any name', async () => {
    const headers = { host: 'trunkline:8080' }
    assert.equal(await status(headers, 'POST', '/webhooks/gateway/1/dlr'), 200)
    assert.equal(await status(headers, 'GET', '/healthz'), 200)
  })

  it('the name that the service listens on is accepted', () => {
    const refuse = fromOwnHost('http://pbx.lan:8080')
    const asked = (host: string) => () => refuse({ method: 'POST', headers: { host, origin: `http://${host}` } })
    assert.doesNotThrow(asked('pbx.lan:8080'))
    assert.doesNotThrow(asked('pbx.lan.'))
    assert.throws(asked('pbx.example:8080'), { code: 'forbidden' })
  })
})

describe('with a base URL', () => {
  it(
    'requests for any host name are answered, and the own host is not a trusted origin',
    serving(
      async ({ url }) => {
        const logout = { method: 'POST', path: '/api/admin/logout' }
        const headers = { host: 'other.example' }
        assert.equal((await rawRequest(url, { ...logout, headers })).status, 200)
        const own = { ...headers, origin: 'http://other.example' }
        assert.equal((await rawRequest(url, { ...logout, headers: own })).status, 403)
      },
      { base_url: 'https://pbx.example.com' },
    ),
  )
})

describe('from a foreign origin', () => {
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  it('reading is allowed, but the page may not see the answer', async () => {
    const answer = await world.service.request('GET', '/api/rates', { session: world.session, headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
  })

  it('receipts are accepted', async () => {
    for (const path of ['/api/sms-gateways/1/dlr', '/webhooks/gateway/1/dlr']) {
      const { status, json } = await world.service.request('POST', path, { json: { id: 'x' }, headers })
      assert.deepEqual([status, json], [200, { message: 'DLR received' }])
    }
  })
})
