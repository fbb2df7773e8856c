import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import Koa from 'koa'
import type { Cut } from '../../adapters/http/clients/connections.ts'
import { type Limits, type RunningServer, serve } from '../../adapters/http/server.ts'

/** More than a socket's buffers on both sides can hold. */
const LONG = 'x'.repeat(64 * 1024 * 1024)

/** Longer than the timeouts that the test is about. */
const SLOW_MS = 1_000

/** Limits short enough to wait for; those not under test are out of reach. */
const LIMITS: Limits = {
  headersMs: 600_000,
  requestMs: 600_000,
  idleMs: 600_000,
  stalledMs: 600_000,
  checkMs: 20,
  connections: 100,
  connectionsPerAddress: 100,
  pipelined: 16,
  pipelinedInAll: 100,
}

const servers: RunningServer[] = []
after(() => Promise.all(servers.map(server => server.stop(0))))

interface Served {
  /** Connects from that address of this machine, and sends the bytes unchanged. */
  open(bytes: string, from?: string): Socket
  /** Why connections were cut. */
  readonly cuts: readonly Cut[]
  /**
   * Emits `gone` whenever the server has closed a connection that it had answered on, and `held` when it works on a
   * request for /held, which is answered once `release` is emitted.
   */
  readonly events: EventEmitter
}

async function serving(limits: Partial<Limits>): Promise<Served> {
  const events = new EventEmitter()
  const cuts: Cut[] = []
  const app = new Koa()
  app.on('error', () => undefined)
  app.use(async ctx => {
    ctx.socket.once('close', () => events.emit('gone'))
    ctx.res.once('close', () => events.emit('over'))
    if (ctx.path === '/slow') await pause(SLOW_MS)
    if (ctx.path === '/held') {
      setImmediate(() => events.emit('held'))
      await once(events, 'release')
    }
    if (ctx.method === 'POST') await text(ctx.req)
    ctx.body = ctx.path === '/long' ? LONG : 'done'
  })
  const watching = { onCut: (reason: Cut) => void cuts.push(reason) }
  const server = await serve(() => app, { host: '127.0.0.1', port: 0 }, { ...LIMITS, ...limits }, watching)
  servers.push(server)
  const port = Number(new URL(server.url).port)
  return {
    events,
    cuts,
    open: (bytes, from) => {
      const to = { port, host: '127.0.0.1', ...(from === undefined ? {} : { localAddress: from }) }
      const socket = connect(to, () => void socket.write(bytes))
      return socket.on('error', () => undefined)
    },
  }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const getAndClose = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
const post = (length: number): string => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`
const OK = /^HTTP\/1\.1 200 /
const REFUSED = /^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n.*\r\n\r\n\{"message":"Request Timeout\."\}$/s

/** Sends the bytes repeatedly until the act ends. */
async function dripping(socket: Socket, bytes: string, act: () => Promise<unknown>): Promise<void> {
  if (socket.connecting) await once(socket, 'connect')
  const drip = setInterval(() => socket.write(bytes), 20)
  await act()
  clearInterval(drip)
  socket.destroy()
}

describe('a client', { timeout: 30_000 }, () => {
  it('whose headers are incomplete after the timeout gets an error and is disconnected', async () => {
    const { open } = await serving({ headersMs: 200, requestMs: 400_000 })
    const slow = open('GET / HTTP/1.1\r\nHost: x\r\nFoo: ')
    await dripping(slow, 'a', async () => assert.match(await text(slow), REFUSED))
  })

  it('whose request is incomplete after the timeout gets an error and is disconnected', async () => {
    const { open } = await serving({ headersMs: 200, requestMs: 300 })
    const slow = open(post(100_000))
    await dripping(slow, 'a', async () => assert.match(await text(slow), REFUSED))
  })

  it('that sends nothing at all is disconnected', async () => {
    const { open } = await serving({ headersMs: 200, requestMs: 400_000 })
    await once(open('').resume(), 'close')
  })

  it('that sends only empty lines after its request is disconnected', async () => {
    const { open, events } = await serving({ headersMs: 100, requestMs: 400_000, idleMs: 200 })
    await dripping(open(get('/')), '\r\n', () => once(events, 'gone'))
  })

  it('that stops reading its response is disconnected', async () => {
    const { open, events } = await serving({ stalledMs: 300 })
    const stalled = open(get('/long'))
    await once(stalled, 'connect')
    stalled.pause()
    await once(events, 'gone')
    let length = 0
    for await (const piece of stalled) length += piece.length
    assert.ok(length < LONG.length)
  })

  for (const [what, bytes] of Object.entries({
    'empty lines': '\r\n',
    requests: get('/'),
    'half a header': 'a',
    'half a body': post(100_000),
  }))
    it(`that stops reading its response is cut though it goes on sending ${what}`, async () => {
      const { open, events } = await serving({ stalledMs: 300 })
      const stalled = open(get('/long'))
      await once(stalled, 'connect')
      stalled.pause()
      await dripping(stalled, bytes, () => once(events, 'gone'))
    })

  it('that waits for its answer stays connected, however long that takes', async () => {
    const { open } = await serving({ stalledMs: 100, idleMs: 100 })
    assert.match(await text(open(getAndClose('/slow'))), OK)
  })

  it('that sends many requests at once gets answers to as many as may wait, and no more', async () => {
    const { open, cuts } = await serving({ pipelined: 4 })
    const answers = await text(open(get('/').repeat(40)))
    assert.equal(answers.split('HTTP/1.1 200 ').length - 1, 4)
    assert.deepEqual(cuts, ['pipelined'])
  })

  it('that disconnects leaves none of its requests behind', async () => {
    const { open, events } = await serving({})
    const over: string[] = []
    events.on('over', () => over.push('over'))
    const client = open(get('/held').repeat(3))
    for (let n = 0; n < 3; n++) await once(events, 'held')
    client.destroy()
    while (over.length < 3) await once(events, 'over')
  })
})

describe('clients that send many requests at once', { timeout: 30_000 }, () => {
  it('have a limited number waiting together, besides one for each of them', async () => {
    const { open, events, cuts } = await serving({ pipelinedInAll: 3 })
    const clients: Socket[] = []
    for (const count of [3, 2, 1]) {
      clients.push(open(get('/held').repeat(count)))
      for (let n = 0; n < count; n++) await once(events, 'held')
    }
    const [late, alone] = [open(get('/held').repeat(2)), open(get('/held'))]
    for (let n = 0; n < 2; n++) await once(events, 'held')
    assert.deepEqual(cuts, ['pipelined'])
    events.emit('release')
    for (const client of [...clients, late, alone]) await isAnswered(client)
    const next = open(get('/').repeat(3))
    assert.equal((await answersOf(next, 3)).length, 3)
    for (const client of [...clients, late, alone, next]) client.destroy()
  })
})

/** So many of its answers. */
async function answersOf(client: Socket, count: number): Promise<string[]> {
  let heard = ''
  const answers = (): string[] => heard.match(/HTTP\/1\.1 200 /g) ?? []
  while (answers().length < count) heard += String((await once(client, 'data'))[0])
  return answers()
}

/** This many paused connections that have sent these bytes, each established before the next one. */
async function taking({ open }: Served, bytes: string, count: number, until = 'connect'): Promise<Socket[]> {
  const taken: Socket[] = []
  for (let i = 0; i < count; i++) {
    const socket = open(bytes)
    await once(socket, until)
    taken.push(socket.pause())
  }
  return taken
}

async function isClosed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket.resume(), 'close')
}

const isAnswered = async (socket: Socket): Promise<void> => assert.match(String((await once(socket, 'data'))[0]), OK)

describe('when all places are taken, a client', { timeout: 30_000 }, () => {
  for (const [whose, bytes, until] of [
    ['is silent', '', 'connect'],
    ['waits before its next request', get('/'), 'data'],
    ['does not end its headers', 'GET / HTTP/1.1\r\nHost: x\r\n', 'connect'],
    ['does not end its body', `${post(9)}x`, 'connect'],
    ['reads none of its responses', get('/long').repeat(3), 'data'],
  ] as const)
    it(`gets the place of one who ${whose}, for longer than the others`, async () => {
      const served = await serving({ connections: 4 })
      const [first, ...others] = await taking(served, bytes, 4, until)
      assert.ok(first)
      await isAnswered(served.open(get('/')))
      await isClosed(first)
      assert.ok(others.every(other => !other.destroyed))
      assert.deepEqual(served.cuts, ['crowded'])
    })

  it('gets none when all others are being served', async () => {
    const { open, events, cuts } = await serving({ connections: 2 })
    const slow: Promise<string>[] = []
    for (let i = 0; i < 2; i++) {
      const held = once(events, 'held')
      slow.push(text(open(getAndClose('/held'))))
      await held
    }
    assert.equal(await text(open(get('/'))), '')
    assert.deepEqual(cuts, ['full'])
    events.emit('release')
    for (const answer of await Promise.all(slow)) assert.match(answer, OK)
  })

  it('gets a place from an address that has its share, not from one that has few', async () => {
    const served = await serving({ connections: 4 })
    const lone = served.open('', '127.0.0.2')
    await once(lone, 'connect')
    const [greedy] = await taking(served, '', 3)
    assert.ok(greedy)
    await isAnswered(served.open(get('/'), '127.0.0.3'))
    await isClosed(greedy)
    assert.ok(!lone.destroyed)
  })

  it('gets a place from its own address when that has as many as an address may have', async () => {
    const served = await serving({ connectionsPerAddress: 2 })
    const other = served.open('', '127.0.0.2')
    await once(other, 'connect')
    const [first, second] = await taking(served, '', 2)
    assert.ok(first && second)
    await isAnswered(served.open(get('/')))
    await isClosed(first)
    assert.ok(!other.destroyed && !second.destroyed)
  })
})
