import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startWorld, type World } from '../../../support/data/records.ts'
import { startService, type TestService } from '../../../support/http/app.ts'

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

  it('is taken from the own origin, from the same site and from what is not a browser', async () => {
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

describe('from a foreign origin', () => {
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  it('reading is let through, but without leave for the page to see it', async () => {
    const answer = await world.service.request('GET', '/api/rates', { session: world.session, headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('access-control-allow-origin'), null)
  })

  it('receipts are taken', async () => {
    for (const path of ['/api/sms-gateways/1/dlr', '/webhooks/gateway/1/dlr']) {
      const { status, json } = await world.service.request('POST', path, { json: { id: 'x' }, headers })
      assert.deepEqual([status, json], [200, { message: 'DLR received' }])
    }
  })
})
