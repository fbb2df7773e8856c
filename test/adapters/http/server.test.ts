import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import Koa from 'koa'
import { serveMetrics } from '../../../adapters/http/metrics.ts'
import { serve } from '../../../adapters/http/server.ts'
import { AppError } from '../../../core/errors.ts'
import { startService } from '../../support/http/app.ts'

/** So long that waiting for it would end the test instead. */
const NEVER = 3_600_000

describe('stopping', { timeout: 20_000 }, () => {
  it('does not wait for silent connections', async () => {
    const service = await startService()
    const { hostname, port } = new URL(service.url)
    const silent = connect(Number(port), hostname)
    await once(silent, 'connect')
    assert.equal((await service.request('GET', '/healthz')).status, 200)
    const closed = once(silent, 'close')
    await service.server.stop(NEVER)
    await closed
    await service.trunkline.close()
  })

  it('refuses new connections at once', async () => {
    const service = await startService()
    const { hostname, port } = new URL(service.url)
    await service.close()
    const [error] = await once(connect(Number(port), hostname), 'error')
    assert.equal(error.code, 'ECONNREFUSED')
  })

  it('aborts requests that do not finish in time', async () => {
    const service = await startService()
    const { hostname, port } = new URL(service.url)
    const slow = connect(Number(port), hostname)
    slow.on('error', () => undefined)
    await once(slow, 'connect')
    slow.write(
      `POST /api/admin/login HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{`,
    )
    const closed = once(slow, 'close')
    await service.server.stop(100)
    await closed
    await service.trunkline.close()
  })
})

describe('listening', () => {
  it('fails with a message that names the address when the port is taken', async () => {
    const service = await startService()
    const { hostname, port } = new URL(service.url)
    const unused = () => {
      throw new Error('No application is made for an address that is not available.')
    }
    await assert.rejects(serve(unused, { host: hostname, port: Number(port) }), error => {
      assert.ok(error instanceof AppError)
      assert.equal(error.code, 'configuration')
      assert.equal(
        error.message,
        `Cannot listen on ${hostname}:${port}: another program listens there; stop it, or set TRUNKLINE_PORT to a free port, or to 0 for any (EADDRINUSE).`,
      )
      return true
    })
    await service.close()
  })

  it('fails with the setting of the host when that is not an address of this machine', async () => {
    const app = () => new Koa()
    await assert.rejects(serve(app, { host: '192.0.2.1', port: 0 }), {
      message:
        'Cannot listen on 192.0.2.1:0: this machine does not have that address; set TRUNKLINE_HOST to one that it has (EADDRNOTAVAIL).',
    })
  })

  it('of the metrics fails with the setting of their port', async () => {
    const taken = await serve(() => new Koa(), { host: '127.0.0.1', port: 0 })
    await assert.rejects(
      serveMetrics({ text: async () => '' }, Number(new URL(taken.url).port)),
      /, or set TRUNKLINE_METRICS_PORT to/,
    )
    await taken.stop(0)
  })
})
