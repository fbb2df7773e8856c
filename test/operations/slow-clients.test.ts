import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import Koa from 'koa'
import { type Limits, type RunningServer, serve } from '../../adapters/http/server.ts'

/** What a socket's buffers on both sides cannot hold. */
const LONG = 'x'.repeat(64 * 1024 * 1024)

/** Limits that a test can wait for; those that it is not about are out of reach. */
const LIMITS: Limits = {
  headersMs: 600_000,
  requestMs: 600_000,
  idleMs: 600_000,
  stalledMs: 600_000,
  checkMs: 20,
  connections: 100,
}

const servers: RunningServer[] = []
after(() => Promise.all(servers.map(server => server.stop(0))))

interface Served {
  /** Connects and sends the bytes as they are. */
  open(bytes: string): Socket
  /** Emits `gone` whenever the server has closed a connection that it had answered on. */
  readonly events: EventEmitter
}

async function serving(limits: Partial<Limits>): Promise<Served> {
  const events = new EventEmitter()
  const app = new Koa()
  app.on('error', () => undefined)
  app.use(async ctx => {
    ctx.socket.once('close', () => events.emit('gone'))
    if (ctx.path === '/slow') await once(ctx.socket, 'timeout')
    if (ctx.method === 'POST') await text(ctx.req)
    ctx.body = ctx.path === '/long' ? LONG : 'done'
  })
  const server = await serve(() => app, { host: '127.0.0.1', port: 0 }, { ...LIMITS, ...limits })
  servers.push(server)
  const port = Number(new URL(server.url).port)
  return {
    events,
    open: bytes => {
      const socket = connect(port, '127.0.0.1', () => void socket.write(bytes))
      return socket.on('error', () => undefined)
    },
  }
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const REFUSED = /^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n.*\r\n\r\n\{"message":"Request Timeout\."\}$/s

describe('a client', { timeout: 30_000 }, () => {
  it('whose headers do not come whole in time is told so and cut', async () => {
    const { open } = await serving({ headersMs: 200, requestMs: 400_000 })
    const slow = open('GET / HTTP/1.1\r\nHost: x\r\nFoo: ')
    const drip = setInterval(() => slow.write('a'), 20)
    assert.match(await text(slow), REFUSED)
    clearInterval(drip)
  })

  it('whose request does not come whole in time is told so and cut', async () => {
    const { open } = await serving({ headersMs: 200, requestMs: 300 })
    const slow = open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n')
    const drip = setInterval(() => slow.write('a'), 20)
    assert.match(await text(slow), REFUSED)
    clearInterval(drip)
  })

  it('that says nothing at all is cut', async () => {
    const { open } = await serving({ stalledMs: 200 })
    await once(open('').resume(), 'close')
  })

  it('that stops reading its response is cut', async () => {
    const { open, events } = await serving({ stalledMs: 300 })
    const stalled = open('GET /long HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(stalled, 'connect')
    stalled.pause()
    await once(events, 'gone')
    let length = 0
    for await (const piece of stalled) length += piece.length
    assert.ok(length < LONG.length)
  })

  it('that waits for its answer is not cut, however long that takes', async () => {
    const { open } = await serving({ stalledMs: 100 })
    const patient = open('GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    assert.match(await text(patient), /^HTTP\/1\.1 200 /)
  })

  it('finds no place when too many are there, and finds one when one of them has gone', async () => {
    const { open, events } = await serving({ connections: 2 })
    const [first, second] = [open(GET), open(GET)]
    await Promise.all([once(first, 'data'), once(second, 'data')])
    assert.equal(await text(open(GET)), '')
    const gone = once(events, 'gone')
    first.destroy()
    await gone
    const third = open(GET)
    const [answer] = await once(third, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 200 /)
    second.destroy()
    third.destroy()
  })
})
