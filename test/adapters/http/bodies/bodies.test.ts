import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { createMetrics, type Metrics } from '../../../../adapters/http/metrics.ts'
import { Sqlite as Database } from '../../../../adapters/sqlite/database/driver.ts'
import { longestHold } from '../../../support/event-loop.ts'
import { ADMIN, startService, type TestService, temporaryFolder } from '../../../support/http/app.ts'
import { rawRequest } from '../../../support/http/raw.ts'
import { addGateway, type FakeGateway, MESSAGE, startGateway } from '../../../support/messaging/gateway.ts'

const KIB = 1024
const NOWHERE = { host: '127.0.0.1', port: 9 }
const RECEIVED = { message: 'DLR received' }
const JSON_TYPE = { 'content-type': 'application/json' }

let service: TestService
let metrics: Metrics
let session: string
let sms: FakeGateway
let gateway: number
before(async () => {
  sms = await startGateway()
  metrics = createMetrics()
  service = await startService({}, {}, metrics)
  session = await service.login()
})
beforeEach(async () => {
  gateway = await addGateway(service, session, sms)
})
after(async () => {
  await service.close()
  await sms.close()
})

/** A message of the gateway whose id is m. */
const sent = async (): Promise<void> => {
  sms.answerWith(200, '{"id":"m"}')
  await service.request('POST', `/api/sms-gateways/${gateway}/send`, { json: MESSAGE, session })
}

const receipts = (id = gateway): string => `/api/sms-gateways/${id}/dlr`

const counted = async (result: string, id = gateway): Promise<number> => {
  const line = new RegExp(`^trunkline_sms_receipts_total\\{gateway="${id}",result="${result}"\\} (\\d+)$`, 'm')
  return Number(line.exec(await metrics.text())?.[1] ?? 0)
}

const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  rawRequest(service.url, { method: 'POST', path, headers: { ...JSON_TYPE, ...headers }, body })

/** A connection that has sent these bytes. */
async function sending(bytes: string | Buffer): Promise<Socket> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

/** The start of a request without its body. */
const head = (path: string, ...lines: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines, '', ''].join('\r\n')

const statusOf = async (socket: Socket): Promise<number> =>
  Number(/^HTTP\/1\.1 (\d+)/.exec(String(await once(socket, 'data')))?.[1])

/** A body that one more byte makes too long. */
const padded = (length: number): string => {
  const text = '{"id":"m","pad":""}'
  return text.replace('""', `"${'x'.repeat(length - text.length)}"`)
}

describe('a receipt', { timeout: 30_000 }, () => {
  it('is taken up to 64 KiB; a longer one is answered with 200, counted and not read', async () => {
    await sent()
    const exact = padded(64 * KIB)
    assert.equal(Buffer.byteLength(exact), 64 * KIB)
    for (const [body, headers] of [
      [exact, {}],
      [gzipSync(exact), { 'content-encoding': 'gzip' }],
    ] as const) {
      const { status, text } = await post(receipts(), body, headers)
      assert.deepEqual([status, JSON.parse(text)], [200, RECEIVED])
    }
    assert.deepEqual([await counted('matched'), await counted('unreadable')], [2, 0])
    for (const [body, headers] of [
      [`${exact} `, {}],
      [gzipSync(`${exact} `), { 'content-encoding': 'gzip' }],
      [brotliCompressSync(`${exact} `), { 'content-encoding': 'br' }],
    ] as const) {
      const { status, text } = await post(receipts(), body, headers)
      assert.deepEqual([status, JSON.parse(text)], [200, RECEIVED])
    }
    assert.deepEqual([await counted('matched'), await counted('unreadable')], [2, 3])
  })

  it('that announces too long a body, or never ends, is answered at once and its connection closed', async () => {
    const endless = `${head(receipts(), 'Transfer-Encoding: chunked')}10000\r\n${'x'.repeat(64 * KIB)}\r\n1\r\nx\r\n`
    for (const bytes of [head(receipts(), `Content-Length: ${64 * KIB + 1}`), endless]) {
      const socket = await sending(bytes)
      assert.equal(await statusOf(socket), 200)
      await once(socket, 'close')
    }
  })

  it('is not read when it lacks the token', async () => {
    const token = { callback_token: 'tok-1', meta: { dlr_token_in: 'query:token' } }
    const id = await addGateway(service, session, NOWHERE, token)
    const socket = await sending(head(receipts(id), 'Content-Length: 100'))
    assert.equal(await statusOf(socket), 403)
    socket.destroy()
  })

  it('that unpacks to a million numbers holds the event loop for moments only', async () => {
    const numbers = gzipSync(`{"id":"m","a":[${'1,'.repeat(500_000)}1]}`)
    assert.ok(numbers.length < 2 * KIB)
    const longest = await longestHold(() => post(receipts(), numbers, { 'content-encoding': 'gzip' }))
    assert.ok(longest < 100, `${longest} ms`)
  })

  it('with too many fields is counted but not parsed', async () => {
    await sent()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const fields = (count: number): string => Array.from({ length: count }, (_, i) => `f${i}=${i}`).join('&')
    for (const [body, headers] of [
      [`id=m&${fields(1_000)}`, form],
      [`{"id":"m","a":[${'1,'.repeat(1_000)}1]}`, JSON_TYPE],
    ] as const)
      assert.equal((await post(receipts(), body, headers)).status, 200)
    assert.deepEqual([await counted('matched'), await counted('unreadable')], [0, 2])
    assert.equal((await post(receipts(), `id=m&${fields(999)}`, form)).status, 200)
    assert.equal(await counted('matched'), 1)
  })

  it('that comes byte by byte is aborted before it takes much', async () => {
    const pieces = '1\r\nx\r\n'.repeat(30_000)
    const before = process.memoryUsage().arrayBuffers
    const socket = await sending(`${head(receipts(), 'Transfer-Encoding: chunked')}${pieces}`)
    assert.equal(await statusOf(socket), 200)
    assert.ok(process.memoryUsage().arrayBuffers - before < 8 * KIB * KIB)
    await once(socket, 'close')
    assert.equal(await counted('unreadable'), 1)
  })
})

describe('a login', { timeout: 30_000 }, () => {
  const path = '/api/admin/login'

  it('is read up to 4 KiB', async () => {
    const credentials = JSON.stringify(ADMIN)
    const exact = credentials.padEnd(4 * KIB)
    assert.equal((await post(path, exact)).status, 200)
    const { status, text } = await post(path, `${exact} `)
    assert.deepEqual([status, JSON.parse(text)], [413, { message: 'The request body is larger than 4 KiB.' }])
  })

  it('that announces a longer body is answered before it arrives', async () => {
    const socket = await sending(head(path, `Content-Length: ${4 * KIB + 1}`))
    assert.equal(await statusOf(socket), 413)
    socket.destroy()
  })

  it('is not unpacked', async () => {
    for (const encoding of ['gzip', 'br', 'deflate']) {
      const answer = await post(path, gzipSync(JSON.stringify(ADMIN)), { 'content-encoding': encoding })
      assert.equal(answer.status, 415, encoding)
    }
  })
})

describe('a body that is packed', { timeout: 30_000 }, () => {
  const send = (body: Buffer, encoding: string) =>
    post('/api/tenants', body, { cookie: session, 'content-encoding': encoding })

  it('badly, in whatever way, is a 400', async () => {
    const whole = { gzip: gzipSync('{}'), GZIP: gzipSync('{}'), deflate: gzipSync('{}'), br: brotliCompressSync('{}') }
    for (const [encoding, packed] of Object.entries(whole)) {
      assert.equal((await send(packed, encoding)).status, 422, encoding)
      for (const broken of [packed.subarray(0, -1), Buffer.from('{"a":1}'), Buffer.from([0xff, 0xff, 0xff])]) {
        const { status, text } = await send(broken, encoding)
        assert.deepEqual(
          [status, JSON.parse(text)],
          [400, { message: 'The request body could not be read.' }],
          encoding,
        )
      }
    }
  })
})

describe('bodies that wait', { timeout: 30_000 }, () => {
  it('are so many bytes at most: then receipts are asked to come again later, with 503', async () => {
    const folder = temporaryFolder()
    const db = join(folder.path, 'waiting.db')
    const waiting = await startService({ db })
    const id = await addGateway(waiting, await waiting.login(), NOWHERE)
    const other = new Database(db)
    other.exec('BEGIN IMMEDIATE')
    const send = (): Promise<Response> =>
      fetch(`${waiting.url}${receipts(id)}`, { method: 'POST', headers: JSON_TYPE, body: padded(64 * KIB) })
    const answers = Array.from({ length: 130 }, send)
    const first = await Promise.race(answers)
    assert.equal(first.status, 503)
    assert.ok(Number(first.headers.get('retry-after')) > 0)
    other.exec('COMMIT')
    const statuses = (await Promise.all(answers)).map(({ status }) => status).sort()
    assert.deepEqual(statuses, [...Array(128).fill(200), 503, 503])
    assert.equal((await send()).status, 200)
    other.close()
    await waiting.close()
    folder.remove()
  })

  it('are released when their client disconnects, even for bodies that waited behind others', async () => {
    const folder = temporaryFolder()
    const db = join(folder.path, 'gone.db')
    const waiting = await startService({ db })
    const id = await addGateway(waiting, await waiting.login(), NOWHERE)
    const other = new Database(db)
    const body = padded(64 * KIB)
    const send = (): Promise<{ status: number }> =>
      rawRequest(waiting.url, { method: 'POST', path: receipts(id), headers: JSON_TYPE, body })
    other.exec('BEGIN IMMEDIATE')
    const { hostname, port } = new URL(waiting.url)
    const sockets = Array.from({ length: 13 }, () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined)
      socket.write(`${head(receipts(id), `Content-Length: ${64 * KIB}`)}${body}`.repeat(10))
      return socket
    })
    await waiting.untilLogged('"status":503')
    for (const socket of sockets) socket.destroy()
    other.exec('COMMIT')
    while ((await send()).status === 503);
    other.close()
    await waiting.close()
    folder.remove()
  })
})
