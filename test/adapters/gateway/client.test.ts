import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTcp, type Server, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type HttpGatewayClient, httpGatewayClient } from '../../../adapters/gateway/client.ts'
import type { GatewayReply } from '../../../core/ports/messages.ts'
import { type FakeGateway, signal, startGateway } from '../../support/gateway.ts'

let gateway: FakeGateway
let client: HttpGatewayClient
let hasty: HttpGatewayClient
before(async () => {
  gateway = await startGateway()
  client = httpGatewayClient({ timeoutSeconds: 10 })
  hasty = httpGatewayClient({ timeoutSeconds: 0.2 })
})
after(async () => {
  await client.close()
  await hasty.close()
  await gateway.close()
})

const BODY = '{"to":"+380501234567","from":"ACME","content":"Hello"}'
const submission = { username: 'user', password: 'word', body: BODY }

const submit = (members: Partial<typeof submission> & { url?: string } = {}, through = client): Promise<GatewayReply> =>
  through.submit({ url: gateway.url, ...submission, ...members })

const failed = (exception: string): GatewayReply => ({ kind: 'failed', exception })

/** A server that speaks no HTTP of its own accord: `act` gets each connection once its request was begun. */
async function wire(act: (socket: Socket) => void): Promise<{ url: string; server: Server; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createTcp(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => act(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}/send`, server, close }
}

const exchanged = async (act: (socket: Socket) => void, through = client): Promise<GatewayReply> => {
  const { url, close } = await wire(act)
  const reply = await submit({ url }, through)
  await close()
  return reply
}

describe('a submission', () => {
  it('may take a time that is no whole number of milliseconds', async () => {
    gateway.answerWith(200, '{"id":"1"}')
    const odd = httpGatewayClient({ timeoutSeconds: 16.1 })
    assert.equal((await submit({}, odd)).kind, 'answered')
    await odd.close()
  })

  it('is one POST with the body as it is, Basic Auth, and a content type without a charset', async () => {
    gateway.answerWith(200, '{"id":"1"}')
    const before = gateway.requests.length
    assert.deepEqual(await submit(), { kind: 'answered', status: 200, body: '{"id":"1"}' })
    assert.equal(gateway.requests.length, before + 1)
    const { method, path, headers, text } = gateway.requests.at(-1) ?? assert.fail()
    assert.deepEqual([method, path, text], ['POST', '/send', BODY])
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['content-length'], String(BODY.length))
    assert.equal(headers.authorization, `Basic ${btoa('user:word')}`)
    assert.match(headers.accept ?? '', /^application\/json\b/)
    assert.equal(headers['transfer-encoding'], undefined)
  })

  it('carries credentials and content in UTF-8', async () => {
    gateway.answerWith(200, 'ok', 'text/plain')
    await submit({ username: 'Ünser', password: 'пароль:🔑', body: '{"content":"Привет 📞"}' })
    const { headers, text } = gateway.requests.at(-1) ?? assert.fail()
    assert.equal(headers.authorization, `Basic ${Buffer.from('Ünser:пароль:🔑').toString('base64')}`)
    assert.equal(text, '{"content":"Привет 📞"}')
  })

  it('may be answered without content', async () => {
    gateway.answer(response => void response.writeHead(204).end())
    assert.deepEqual(await submit(), { kind: 'answered', status: 204, body: '' })
  })

  it('is never sent a second time, however it fails', async () => {
    for (const status of [408, 409, 425, 429, 500, 502, 503, 504]) {
      gateway.answerWith(status, 'no')
      const before = gateway.requests.length
      await submit()
      assert.equal(gateway.requests.length, before + 1, String(status))
    }
    let connections = 0
    await exchanged(socket => {
      connections++
      socket.destroy()
    })
    assert.equal(connections, 1)
  })

  it('follows no redirect', async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      gateway.answer(response => void response.writeHead(status, { location: `${gateway.url}/elsewhere` }).end('moved'))
      const before = gateway.requests.length
      assert.deepEqual(await submit(), { kind: 'answered', status, body: 'moved' })
      assert.equal(gateway.requests.length, before + 1)
    }
  })

  it('to a port that fetch refuses is a failure, not an exception', async () => {
    assert.deepEqual(await submit({ url: 'http://127.0.0.1:6000/send' }), failed('bad port'))
  })

  it('is read up to 256 KiB, and the rest is left', async () => {
    const MIB = 1024 * 1024
    const hungUp = signal()
    gateway.answer(response => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.once('close', () => hungUp.resolve())
      response.end('x'.repeat(10 * MIB))
    })
    const reply = await submit()
    assert.equal(reply.kind === 'answered' && reply.body.length, MIB / 4)
    await hungUp.promise
  })

  it('is not unpacked into more than 256 KiB either', async () => {
    const { gzipSync } = await import('node:zlib')
    const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x'))
    gateway.answer(response => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    const reply = await submit()
    assert.ok(reply.kind === 'failed' || reply.body.length <= 256 * 1024)
  })
})

describe('a gateway that', { timeout: 30_000 }, () => {
  it('refuses connections is a failure that says so', async () => {
    const { url, close } = await wire(() => undefined)
    await close()
    assert.deepEqual(await submit({ url }), failed(`connect ECONNREFUSED ${new URL(url).host}`))
  })

  it('has no address is a failure that says so', async () => {
    const reply = await submit({ url: 'http://gateway.invalid/send' })
    assert.match(reply.kind === 'failed' ? reply.exception : '', /gateway\.invalid/)
  })

  const LATE = failed('The gateway did not answer within 0.2 s.')
  const silences: [string, (socket: Socket) => void][] = [
    ['hangs before its headers', () => undefined],
    ['stalls in its headers', socket => socket.write('HTTP/1.1 200 OK\r\nContent-Le')],
    ['stalls after its headers', socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n')],
    ['stalls in its body', socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345')],
    [
      'packs its body wrongly and hangs up',
      socket => socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nnot gzip'),
    ],
    [
      'drips without end',
      socket => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20)
        socket.once('close', () => clearInterval(drip))
      },
    ],
  ]
  for (const [fault, act] of silences)
    it(`${fault} fails when the time is over`, async () => {
      assert.deepEqual(await exchanged(act, hasty), LATE)
    })

  const breaks: [string, (socket: Socket) => void][] = [
    ['hangs up without a word', socket => socket.destroy()],
    ['resets the connection', socket => socket.resetAndDestroy()],
    ['is cut in its headers', socket => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    ['is cut in its body', socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345')],
    ['is cut between chunks', socket => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n')],
    ['speaks garbage', socket => socket.end('\u0000\u0001garbage\r\n\r\n')],
    ['speaks another protocol', socket => socket.end('220 smtp.example.com ESMTP\r\n')],
    [
      'packs its body wrongly',
      socket => socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip'),
    ],
  ]
  for (const [fault, act] of breaks)
    it(`${fault} is a failure with a reason`, async () => {
      const reply = await exchanged(act)
      assert.equal(reply.kind, 'failed', JSON.stringify(reply))
      assert.ok(reply.kind === 'failed' && reply.exception.length > 5 && reply.exception !== 'fetch failed')
      assert.ok(!JSON.stringify(reply).includes('word'))
    })

  it('answers in many small pieces is understood, also where a character is cut in two', async () => {
    const text = Buffer.from('{"note":"Привет 📞"}')
    const reply = await exchanged(socket => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n`)
      const next = (i: number): void => {
        if (i < text.length) socket.write(text.subarray(i, i + 1), () => setImmediate(next, i + 1))
      }
      next(0)
    })
    assert.deepEqual(reply, { kind: 'answered', status: 200, body: text.toString() })
  })
})
