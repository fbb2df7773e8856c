import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { GatewayReply } from '../../../core/sms/reply.ts'
import { clientPlace } from '../../support/messaging/clients.ts'
import { wire } from '../../support/messaging/wire.ts'

const place = clientPlace()
const { submit } = place

/** A failure before anything was written, and one after. */
const definite = (exception: string): GatewayReply => ({ kind: 'failed', isWritten: false, exception })
const unknown = (exception: string): GatewayReply => ({ kind: 'failed', isWritten: true, exception })

/** An address that neither accepts nor refuses connections: the system's queue for them is full. */
async function onFullBacklog(test: (url: string) => Promise<void>): Promise<void> {
  const held = new Int32Array(new SharedArrayBuffer(4))
  const listen = `const { parentPort, workerData } = require('node:worker_threads')
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      Atomics.wait(workerData, 0, 0)
    })`
  const worker = new Worker(listen, { eval: true, workerData: held })
  const [port] = await once(worker, 'message')
  const fill = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
  try {
    await test(`http://127.0.0.1:${port}/send`)
  } finally {
    for (const socket of fill) socket.destroy()
    Atomics.notify(held, 0)
    await worker.terminate()
  }
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

const exchanged = async (act: (socket: Socket) => void, through = place.client): Promise<GatewayReply> => {
  const { url, close } = await wire(act)
  const reply = await submit({ url }, through)
  await close()
  return reply
}

describe('a gateway that', { timeout: 30_000 }, () => {
  it('refuses connections is a definite failure that says so', async () => {
    const { url, close } = await wire(() => undefined)
    await close()
    assert.deepEqual(await submit({ url }), definite(`connect ECONNREFUSED ${new URL(url).host}`))
  })

  it('has no address is a definite failure that says so', async () => {
    const reply = await submit({ url: 'http://gateway.invalid/send' })
    assert.match(reply.kind === 'failed' && !reply.isWritten ? reply.exception : '', /gateway\.invalid/)
  })

  it('does not take the connection in time is a definite failure that says so', async () => {
    await onFullBacklog(async url => {
      assert.deepEqual(await submit({ url }, place.hasty), definite('The gateway could not be reached within 0.2 s.'))
    })
  })

  it('does not answer the TLS handshake is a definite failure that says so', async () => {
    const { url, close } = await wire(() => undefined)
    const reply = await submit({ url: url.replace('http:', 'https:') }, place.hasty)
    assert.deepEqual(reply, definite('The gateway could not be reached within 0.2 s.'))
    await close()
  })

  const LATE = unknown('The gateway did not answer within 0.2 s.')
  const silences: [string, (socket: Socket) => void][] = [
    ['hangs before its headers', () => undefined],
    ['hangs after a 100 Continue', socket => socket.write(CONTINUE)],
    ['stalls in its headers', socket => socket.write('HTTP/1.1 200 OK\r\nContent-Le')],
    ['stalls after its headers', socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n')],
    ['stalls in its body', socket => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345')],
    [
      'drips without end',
      socket => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20)
        socket.once('close', () => clearInterval(drip))
      },
    ],
    [
      'says that it goes on, without end',
      socket => {
        const drip = setInterval(() => socket.write(CONTINUE), 20)
        socket.once('close', () => clearInterval(drip))
      },
    ],
  ]
  for (const [fault, act] of silences)
    it(`${fault} leaves the outcome unknown when the time is over`, async () => {
      assert.deepEqual(await exchanged(act, place.hasty), LATE)
    })

  it('reads nothing of a request too large for its buffers leaves the outcome unknown', async () => {
    const { url, server, close } = await wire(() => undefined)
    server.on('connection', socket => socket.pause())
    assert.deepEqual(await submit({ url, body: 'x'.repeat(32 * 1024 * 1024) }, place.hasty), LATE)
    await close()
  })

  const breaks: [string, (socket: Socket) => void][] = [
    ['hangs up without a word', socket => socket.destroy()],
    ['resets the connection', socket => socket.resetAndDestroy()],
    ['is cut in its headers', socket => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    ['is cut after a 100 Continue', socket => socket.end(CONTINUE)],
    ['is cut in its body', socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345')],
    ['is cut between chunks', socket => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n')],
    ['speaks garbage', socket => socket.end('\u0000\u0001garbage\r\n\r\n')],
    ['speaks another protocol', socket => socket.end('220 smtp.example.com ESMTP\r\n')],
    ['switches protocols', socket => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n')],
    ['answers with a status that HTTP lacks', socket => socket.end('HTTP/1.1 999 Odd\r\n\r\n')],
    ...['', 'Content-Length: 8\r\n'].map((length): [string, (socket: Socket) => void] => [
      `packs its body wrongly ${length ? 'and stays' : 'and hangs up'}`,
      socket => socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n${length}\r\nnot gzip`),
    ]),
  ]
  for (const [fault, act] of breaks)
    it(`${fault} leaves the outcome unknown, with a reason`, async () => {
      const reply = await exchanged(act)
      assert.ok(reply.kind === 'failed' && reply.isWritten, JSON.stringify(reply))
      assert.ok(reply.exception.length > 5 && !reply.exception.startsWith('['), reply.exception)
      assert.ok(!JSON.stringify(reply).includes('word'))
    })

  for (const informational of ['100 Continue', '102 Processing', '103 Early Hints\r\nLink: </x>', '199 Other'])
    it(`says ${informational.slice(0, 3)} unasked before its answer has answered`, async () => {
      const passed = `HTTP/1.1 ${informational}\r\n\r\n`
      const reply = await exchanged(socket => {
        socket.write(passed)
        socket.end(`${passed}HTTP/1.1 202 Accepted\r\nContent-Length: 2\r\n\r\nok`)
      })
      assert.deepEqual(reply, { kind: 'answered', status: 202, body: 'ok' })
    })

  it('answers and resets has answered, where its length said so', async () => {
    const reply = await exchanged(socket =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', () => socket.resetAndDestroy()),
    )
    assert.deepEqual(reply, { kind: 'answered', status: 200, body: 'ok' })
  })

  it('answers with a body where there should be none has answered', async () => {
    for (const status of [205, 304]) {
      const reply = await exchanged(socket => socket.end(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\nok`))
      assert.deepEqual(reply, { kind: 'answered', status, body: '' })
    }
  })

  it('packs its answer is understood', async () => {
    const zlib = await import('node:zlib')
    const packed = [
      ['gzip', zlib.gzipSync('Успіх')],
      ['deflate', zlib.deflateSync('Успіх')],
      ['br', zlib.brotliCompressSync('Успіх')],
    ] as const
    for (const [encoding, body] of packed) {
      place.gateway.answer(response => void response.writeHead(200, { 'content-encoding': encoding }).end(body))
      assert.deepEqual(await submit(), { kind: 'answered', status: 200, body: 'Успіх' })
      assert.ok(place.gateway.requests.at(-1)?.headers['accept-encoding']?.includes(encoding))
    }
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
