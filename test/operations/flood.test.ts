import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { argonPasswords } from '../../adapters/system/passwords.ts'
import { ADMIN, startService } from '../support/app.ts'
import { addGateway, MESSAGE, startGateway } from '../support/gateway.ts'

const LOGINS = 200

describe('a flood of logins', { timeout: 60_000 }, () => {
  it('holds up no other request: those are answered while most of the logins wait', async () => {
    const passwords = argonPasswords()
    const service = await startService({ trusted_proxies: 1 }, { passwords })
    const gateway = await startGateway()
    const session = await service.login()
    // Looking a name up takes a thread of the same pool as a hash.
    const id = await addGateway(service, session, { host: 'localhost', port: gateway.port })
    let waiting = LOGINS
    const logins = Array.from({ length: LOGINS }, async (_, n) => {
      const json = { email: `nobody-${n}@example.com`, password: ADMIN.password }
      const headers = { 'x-forwarded-for': `192.0.2.${n}` }
      const { status } = await service.request('POST', '/api/admin/login', { json, headers })
      waiting--
      return status
    })
    await Promise.race(logins)
    for (const path of ['/api/admin/me', '/api/tenants', '/api/cdrs', '/readyz'])
      assert.equal((await service.request('GET', path, { session })).status, 200)
    const sent = await service.request('POST', `/api/sms-gateways/${id}/send`, { json: MESSAGE, session })
    assert.equal(sent.json.data.delivery_status, 'submitted')
    assert.ok(waiting > LOGINS / 2, `only ${waiting} logins were still waiting`)
    assert.deepEqual([...new Set(await Promise.all(logins))], [422])
    await gateway.close()
    await service.close()
  })
})
