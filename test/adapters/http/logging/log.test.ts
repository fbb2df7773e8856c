import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startWorld } from '../../../support/data/records.ts'
import { columnOf, execute } from '../../../support/data/stored.ts'
import { ADMIN } from '../../../support/http/app.ts'
import { rawRequest } from '../../../support/http/raw.ts'
import { addGateway, MESSAGE, signal } from '../../../support/messaging/gateway.ts'
import { gatewayPlace } from '../../../support/messaging/gateway-place.ts'

const place = gatewayPlace()

const lines = () => place.world.service.logged.map(line => JSON.parse(line))

describe('the log', () => {
  it('has one line for each request, with its id, route, status and time', async () => {
    const answers = [
      [await place.world.get('/api/tenants/1?search=x'), 'GET', '/api/:resource/:id', 200],
      [await place.world.send('DELETE', '/api/tenants/999999'), 'DELETE', '/api/:resource/:id', 404],
      [await place.world.service.request('GET', '/api/tenants'), 'GET', '/api/:resource', 401],
      [await place.world.service.request('GET', '/nowhere'), 'GET', null, 404],
    ] as const
    for (const [{ headers }, method, route, status] of answers) {
      const found = lines().filter(({ id }) => id === headers.get('x-request-id'))
      assert.equal(found.length, 1)
      const [line] = found
      assert.deepEqual([line.method, line.route, line.status, line.msg], [method, route, status, 'request'])
      assert.ok(typeof line.ms === 'number' && line.ms >= 0)
    }
  })

  it('has a line for a request refused before it was read, with the reason and none of its content', async () => {
    const { service } = place.world
    await rawRequest(service.url, { bytes: 'BREW /hush-4711 COFFEE/1.0\r\n\r\n' })
    await rawRequest(service.url, { bytes: `GET /${'hush-4711'.repeat(4_000)} HTTP/1.1\r\n\r\n` })
    await rawRequest(service.url, { bytes: 'GET /hush-4711 HTTP/1.1\r\n\r\n' })
    const refused = lines().filter(({ msg }) => msg === 'request refused')
    assert.deepEqual(
      refused.map(({ level, status, reason }) => [level, status, reason]),
      [
        [30, 400, 'HPE_INVALID_METHOD'],
        [30, 431, 'HPE_HEADER_OVERFLOW'],
        [30, 400, 'HOST'],
      ],
    )
    assert.doesNotMatch(service.logged.join(''), /hush-4711/)
  })

  it('has one line, with the status, for a request whose body was refused while it was read', async () => {
    const { service } = place.world
    const head = 'POST /webhooks/gateway/1/dlr HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
    const seen = service.logged.length
    assert.equal((await rawRequest(service.url, { bytes: `${head}zz\r\n` })).status, 400)
    const line = JSON.parse(await service.untilLogged('request cut off'))
    assert.deepEqual([line.route, line.status], ['/webhooks/gateway/:id/dlr', 400])
    assert.equal(service.logged.length, seen + 1)
  })

  it('names the account of each request', async () => {
    const { headers } = await place.world.get('/api/admin/me')
    const line = lines().find(({ id }) => id === headers.get('x-request-id'))
    assert.equal(line.account, 1)
  })

  it('never holds a password, a secret, a token or a cookie', async () => {
    const { service, session } = place.world
    const secrets = {
      wrongPassword: 'wrong-password-4711',
      sipSecret: 'sip-secret-4711',
      gatewayPassword: 'gateway-password-4711',
      callbackToken: 'callback-token-4711',
    }
    await service.request('POST', '/api/admin/login', { json: { ...ADMIN, password: secrets.wrongPassword } })
    const fresh = await service.login()
    await place.world.create('extensions', { secret: secrets.sipSecret })
    await place.world.send('POST', '/api/extensions', { secret: secrets.sipSecret })
    await service.request('POST', '/api/tenants', {
      body: `{"secret":"${secrets.sipSecret}"`,
      headers: { 'content-type': 'application/json' },
      session,
    })
    const id = await addGateway(service, session, place.gateway, {
      password: secrets.gatewayPassword,
      callback_token: secrets.callbackToken,
      meta: { dlr_token_in: 'query:token' },
    })
    place.gateway.answerWith(500, `{"message":"bad password ${secrets.gatewayPassword}"}`)
    await place.world.send('POST', `/api/sms-gateways/${id}/send`, MESSAGE)
    await place.world.send('POST', `/api/sms-gateways/${id}/send`, { password: secrets.gatewayPassword })
    await service.request('POST', `/api/sms-gateways/${id}/dlr?token=${secrets.callbackToken}`, { json: { id: 'x' } })
    await service.request('POST', `/api/sms-gateways/${id}/dlr?token=${secrets.callbackToken}x`, { json: { id: 'x' } })
    const { storage } = service.trunkline
    await execute(storage, 'ALTER TABLE extensions RENAME COLUMN display_name TO broken')
    const broken = await place.world.send(
      'POST',
      '/api/extensions',
      place.world.body('extensions', { secret: secrets.sipSecret }),
    )
    await execute(storage, 'ALTER TABLE extensions RENAME COLUMN broken TO display_name')
    assert.deepEqual([broken.status, broken.json], [500, { message: 'Server Error.' }])
    const all = service.logged.join('')
    assert.ok(all.includes('a request failed'))
    const tokens = [session, fresh].map(cookie => cookie.split('=')[1] ?? '')
    for (const secret of [...Object.values(secrets), ...tokens, ADMIN.password]) {
      assert.ok(secret.length > 8)
      assert.ok(!all.includes(secret), secret)
    }
  })

  it('has a line, but no error, for a client that went away; its request is finished', async () => {
    const own = await startWorld()
    const { service, session } = own
    const id = await addGateway(service, session, place.gateway)
    const held = signal<() => void>()
    place.gateway.answer(response => held.resolve(() => response.end('{"id":"late"}')))
    const abort = new AbortController()
    const sending = fetch(`${service.url}/api/sms-gateways/${id}/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: session },
      body: JSON.stringify(MESSAGE),
      signal: abort.signal,
    })
    const release = await held.promise
    abort.abort()
    await assert.rejects(sending)
    const line = JSON.parse(await service.untilLogged('request cut off'))
    assert.deepEqual([line.level, line.route], [30, '/api/sms-gateways/:id/send'])
    const stopped = service.server.stop(10_000)
    // No connection is left to wait for by now, and nothing else shows that the service still waits.
    setTimeout(release, 300)
    await stopped
    const statuses = await columnOf(service.trunkline.storage, 'SELECT delivery_status FROM sms_messages')
    assert.equal(statuses[0], 'submitted')
    await service.trunkline.close()
    assert.ok(service.logged.every(logged => JSON.parse(logged).level < 50))
  })
})
