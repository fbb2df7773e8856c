import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { createServer as createTcp } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type HttpGatewayClient, httpGatewayClient } from '../../../adapters/gateway/client.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { submissionTo } from '../../support/messaging/submissions.ts'

const folder = temporaryFolder()
const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')]
const made = spawnSync(
  'openssl',
  ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'].concat([
    '-subj',
    '/CN=gateway.example',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-keyout',
    key,
    '-out',
    cert,
  ]),
  { encoding: 'utf8' },
)
const skip = made.status === 0 ? false : 'openssl is not there to make a certificate'

let server: Server
let client: HttpGatewayClient
let reached = 0
before(async () => {
  client = httpGatewayClient({ timeoutSeconds: 5 })
  if (skip) return
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
    reached++
    response.end('{"id":"1"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(async () => {
  await client.close()
  server?.closeAllConnections()
  server?.close()
  folder.remove()
})

const portOf = (listening: Pick<Server, 'address'>): number => {
  const address = listening.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const submit = (url: string) => client.submit(submissionTo(url))

describe('over TLS a gateway', { skip }, () => {
  it('with an untrusted certificate is a failure, and gets no credentials', async () => {
    const reply = await submit(`https://127.0.0.1:${portOf(server)}/send`)
    assert.match(reply.kind === 'failed' && !reply.isWritten ? reply.exception : '', /self-signed certificate/)
    assert.equal(reached, 0)
  })

  it('is trusted by the certificates that its own file or the settings name', async () => {
    const url = `https://127.0.0.1:${portOf(server)}/send`
    const answered = { kind: 'answered', status: 200, body: '{"id":"1"}' }
    assert.deepEqual(await client.submit(submissionTo(url, { caFile: cert })), answered)
    const usual = httpGatewayClient({ timeoutSeconds: 5, caFile: cert })
    assert.deepEqual(await usual.submit(submissionTo(url)), answered)
    await usual.close()
    const reply = await client.submit(submissionTo(url, { caFile: '/nowhere.pem' }))
    assert.deepEqual(reply, {
      kind: 'failed',
      isWritten: false,
      exception: 'The certificates in /nowhere.pem (ca_file) cannot be read.',
    })
    reached = 0
  })

  it('that speaks plain HTTP is a failure, reported in one line', async () => {
    const plain = createTcp(socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const reply = await submit(`https://127.0.0.1:${portOf(plain)}/send`)
    assert.match(
      reply.kind === 'failed' && !reply.isWritten ? reply.exception : '',
      /^The gateway does not speak TLS at/,
    )
    plain.close()
  })

  it('that gets a plain HTTP request is a failure', async () => {
    const reply = await submit(`http://127.0.0.1:${portOf(server)}/send`)
    assert.ok(reply.kind === 'failed' && reply.isWritten)
    assert.equal(reached, 0)
  })
})
