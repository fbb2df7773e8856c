import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { argonPasswords } from '../../adapters/system/passwords.ts'
import { startDaemon } from '../support/daemon.ts'
import { ADMIN, startService, temporaryFolder } from '../support/http/app.ts'
import { addGateway, MESSAGE, startGateway } from '../support/messaging/gateway.ts'

const LOGINS = 200

describe('a flood of logins', { timeout: 60_000 }, () => {
  it('delays no other request: those are answered while most of the logins wait', async () => {
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

const MIB = 1024 * 1024
const SENDERS = 300

/** The start of a request that never ends, with the whole of a body that grows a thousandfold when decompressed. */
function endless(): Buffer {
  const packed = gzipSync(Buffer.alloc(MIB, '1,'), { level: 9 })
  const head = [
    'POST /webhooks/gateway/1/dlr HTTP/1.1',
    'Host: x',
    'Content-Encoding: gzip',
    `Content-Length: ${packed.length + 1}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), packed])
}

describe('a flood of packed bodies that never end', { timeout: 60_000 }, () => {
  it('takes little memory, and delays no other request', async () => {
    const folder = temporaryFolder()
    const daemon = await startDaemon({ TRUNKLINE_DB: join(folder.path, 'flood.db') })
    const alive = async (): Promise<void> => assert.equal((await fetch(`${daemon.url}/healthz`)).status, 200)
    await alive()
    const before = daemon.residentMiB() ?? 0
    const bytes = endless()
    const { hostname: host, port } = new URL(daemon.url)
    const senders: Socket[] = []
    for (let n = 0; n < SENDERS; n++) {
      const localAddress = `127.0.1.${1 + (n % 2)}`
      const sender = connect({ host, port: Number(port), localAddress }, () => void sender.write(bytes))
      senders.push(sender.on('error', () => undefined))
      await once(sender, 'connect')
    }
    let most = 0
    for (let n = 0; n < 200; n++) {
      await alive()
      most = Math.max(most, daemon.residentMiB() ?? 0)
    }
    assert.ok(most - before < 100, `${most - before} MiB more`)
    for (const sender of senders) sender.destroy()
    await daemon.stop()
    folder.remove()
  })
})
