import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../support/http/app.ts'
import { addGateway, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'

const LIMIT = 256

test('behind a proxy, a client has so many requests at a time, whichever of its addresses they come from', async () => {
  const service = await startService({ trusted_proxies: 1, gateway_timeout: 60 })
  const gateway = await startGateway()
  const session = await service.login()
  const id = await addGateway(service, session, gateway)
  const held: (() => void)[] = []
  const all = new Promise<void>(resolve =>
    gateway.answer(response => {
      held.push(() => response.end('{"id":"x"}'))
      if (held.length === LIMIT) resolve()
    }),
  )
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address }, session })
  const send = (n: number) =>
    service.request('POST', `/api/sms-gateways/${id}/send`, { ...from(`2001:db8::${n.toString(16)}`), json: MESSAGE })
  const sending = Array.from({ length: LIMIT }, (_, n) => send(n))
  await all
  const refused = await service.request('GET', '/api/admin/me', from('2001:db8::ffff'))
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  for (const other of ['2001:db8:0:1::1', '192.0.2.1'])
    assert.equal((await service.request('GET', '/api/admin/me', from(other))).status, 200)
  for (const release of held) release()
  for (const { status } of await Promise.all(sending)) assert.equal(status, 200)
  assert.equal((await service.request('GET', '/api/admin/me', from('2001:db8::1'))).status, 200)
  await gateway.close()
  await service.close()
})
