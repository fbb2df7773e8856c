import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../support/http/app.ts'
import { rawRequest } from '../../../support/http/raw.ts'

const LENGTH = 900_000

/** A request that has sent the start of an undecodable body. */
const undecodable = (path: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    'Content-Encoding: gzip',
    `Content-Length: ${LENGTH}`,
    '',
    'no gzip at all',
  ].join('\r\n')

test('a connection is closed when the rest of its body is not read, so that no later request waits behind it', {
  timeout: 10_000,
}, async () => {
  const service = await startService()
  for (const [path, status] of [['/api/admin/login', 415] as const, ['/api/sms-gateways/1/dlr', 200] as const]) {
    const answer = await rawRequest(service.url, { bytes: undecodable(path) })
    assert.equal(answer.status, status, path)
    assert.match(answer.text.split('\r\n\r\n')[0] ?? '', /^connection: close$/im, path)
  }
  await service.close()
})
