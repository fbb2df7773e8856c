import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { type HttpGatewayClient, httpGatewayClient } from '../../../adapters/gateway/client.ts'
import { submissionTo } from '../../support/messaging/submissions.ts'

const server = setupServer()
let client: HttpGatewayClient
before(() => {
  server.listen({ onUnhandledRequest: 'error' })
  client = httpGatewayClient({ timeoutSeconds: 5 })
})
after(async () => {
  await client.close()
  server.close()
})

const URL = 'https://gateway.example/secure/send'

const REPLIES = [
  [200, '{"message_id":"1"}', 'application/json'],
  [200, '{"message_id":"1"}', 'application/problem+json; charset=utf-8'],
  [200, '{"data":"Success \\"898aa385"}', 'text/plain'],
  [201, 'Success "abc"', 'text/plain'],
  [202, '0: Accepted for delivery', 'text/html'],
  [200, '<ok/>', 'application/xml'],
  [200, 'bytes', 'application/octet-stream'],
  [200, 'bytes', 'image/png'],
  [200, 'x', 'nonsense'],
  [200, '', 'application/json'],
  [200, '{"cut":', 'application/json'],
  [200, 'ключ', 'text/plain; charset=utf-8'],
  [400, '{"message":"no"}', 'application/json'],
  [401, '', 'text/plain'],
  [403, 'Error "Authentication failure"', 'text/plain'],
  [404, 'nothing', 'text/plain'],
  [429, 'slow down', 'text/plain'],
  [500, 'broken', 'text/plain'],
  [503, '', 'text/plain'],
] as const

describe('a reply', () => {
  for (const [status, body, type] of REPLIES)
    it(`of ${status} ${type} is handed on as text: ${body || '(nothing)'}`, async () => {
      let posted = 0
      server.use(
        http.post(URL, () => {
          posted++
          return new HttpResponse(body, { status, headers: { 'content-type': type } })
        }),
      )
      const reply = await client.submit(submissionTo(URL))
      assert.deepEqual(reply, { kind: 'answered', status, body })
      assert.equal(posted, 1)
    })

  it('that begins with a byte order mark is returned without it', async () => {
    server.use(http.post(URL, () => new HttpResponse('\ufeff{"id":"1"}')))
    const reply = await client.submit(submissionTo(URL))
    assert.deepEqual(reply, { kind: 'answered', status: 200, body: '{"id":"1"}' })
  })

  it('that never comes, since the network fails, is a value and not an exception', async () => {
    server.use(http.post(URL, () => HttpResponse.error()))
    const reply = await client.submit(submissionTo(URL))
    assert.equal(reply.kind, 'failed')
  })
})
