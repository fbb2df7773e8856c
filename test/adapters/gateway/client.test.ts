import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { httpGatewayClient } from '../../../adapters/gateway/client.ts'
import type { GatewayReply } from '../../../core/sms/reply.ts'
import { clientPlace, MESSAGE_BODY } from '../../support/messaging/clients.ts'
import { signal } from '../../support/messaging/gateway.ts'
import { wire } from '../../support/messaging/wire.ts'

const place = clientPlace()
const { submit } = place

const exchanged = async (act: (socket: Socket) => void, through = place.client): Promise<GatewayReply> => {
  const { url, close } = await wire(act)
  const reply = await submit({ url }, through)
  await close()
  return reply
}

describe('a submission', () => {
  it('accepts a timeout that is not a whole number of milliseconds', async () => {
    place.gateway.answerWith(200, '{"id":"1"}')
    const odd = httpGatewayClient({ timeoutSeconds: 16.1 })
    assert.equal((await submit({}, odd)).kind, 'answered')
    await odd.close()
  })

  it('is one POST with the body as it is, Basic Auth, and a content type without a charset', async () => {
    place.gateway.answerWith(200, '{"id":"1"}')
    const before = place.gateway.requests.length
    assert.deepEqual(await submit(), { kind: 'answered', status: 200, body: '{"id":"1"}' })
    assert.equal(place.gateway.requests.length, before + 1)
    const { method, path, headers, text } = place.gateway.requests.at(-1) ?? assert.fail()
    assert.deepEqual([method, path, text], ['POST', '/send', MESSAGE_BODY])
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['content-length'], String(MESSAGE_BODY.length))
    assert.equal(headers.authorization, `Basic ${btoa('user:word')}`)
    assert.match(headers.accept ?? '', /^application\/json\b/)
    assert.equal(headers['transfer-encoding'], undefined)
  })

  it('carries credentials and content in UTF-8', async () => {
    place.gateway.answerWith(200, 'ok', 'text/plain')
    await submit({ basic: { username: 'Ünser', password: 'пароль:🔑' }, body: '{"content":"Привет 📞"}' })
    const { headers, text } = place.gateway.requests.at(-1) ?? assert.fail()
    assert.equal(headers.authorization, `Basic ${Buffer.from('Ünser:пароль:🔑').toString('base64')}`)
    assert.equal(text, '{"content":"Привет 📞"}')
  })

  it('may be answered without content', async () => {
    place.gateway.answer(response => void response.writeHead(204).end())
    assert.deepEqual(await submit(), { kind: 'answered', status: 204, body: '' })
  })

  it('is never sent twice, however it fails', async () => {
    for (const status of [408, 409, 425, 429, 500, 502, 503, 504]) {
      place.gateway.answerWith(status, 'no')
      const before = place.gateway.requests.length
      await submit()
      assert.equal(place.gateway.requests.length, before + 1, String(status))
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
      place.gateway.answer(
        response => void response.writeHead(status, { location: `${place.gateway.url}/elsewhere` }).end('moved'),
      )
      const before = place.gateway.requests.length
      assert.deepEqual(await submit(), { kind: 'answered', status, body: 'moved' })
      assert.equal(place.gateway.requests.length, before + 1)
    }
  })

  it('goes to any port, also one that browsers refuse', async () => {
    const { url, close } = await wire(socket => socket.end('HTTP/1.1 200 OK\r\n\r\nSuccess "sip"'), 5060)
    assert.deepEqual(await submit({ url }), { kind: 'answered', status: 200, body: 'Success "sip"' })
    await close()
  })

  it('is read up to 256 KiB, and the rest is left', async () => {
    const MIB = 1024 * 1024
    const hungUp = signal()
    place.gateway.answer(response => {
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
    place.gateway.answer(response => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    const reply = await submit()
    assert.ok(reply.kind === 'failed' || reply.body.length <= 256 * 1024)
  })
})
