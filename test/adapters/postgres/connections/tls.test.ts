import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { inspect } from 'node:util'
import { Client } from 'pg'
import { clientConfig, withPasswordFile } from '../../../../adapters/postgres/database/options.ts'
import { openStorage } from '../../../../adapters/postgres/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/http/app.ts'
import { NOBODY, type OwnServer, startOwnServer } from '../../../support/postgres/server.ts'

const PASSWORD = 'päss:word/of@tests'

const folder = temporaryFolder()
const path = (name: string): string => join(folder.path, name)
let server: OwnServer
let port: number

const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder.path, stdio: 'pipe' })

/** Makes a root certificate, and a certificate for `localhost` that it has signed. */
function makeCertificates(): void {
  for (const root of ['root', 'other'])
    openssl(
      ...`req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${root} -keyout ${root}.key -out ${root}.crt`.split(' '),
    )
  openssl(...'req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr'.split(' '))
  writeFileSync(path('names'), 'subjectAltName=DNS:localhost')
  openssl(
    ...'x509 -req -in server.csr -CA root.crt -CAkey root.key -CAcreateserial -days 2 -extfile names -out server.crt'.split(
      ' ',
    ),
  )
}

async function freePort(): Promise<number> {
  const held = createServer()
  await new Promise<void>(resolve => held.listen(0, '127.0.0.1', resolve))
  const address = held.address()
  await new Promise(resolve => held.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

before(async () => {
  makeCertificates()
  port = await freePort()
  server = await startOwnServer({
    port,
    settings: ['fsync=on', 'listen_addresses=localhost', 'ssl=on', 'password_encryption=scram-sha-256'],
    prepare: data => {
      for (const name of ['server.key', 'server.crt']) {
        copyFileSync(path(name), join(data, name))
        if (process.getuid?.() === 0) chownSync(join(data, name), NOBODY, NOBODY)
        chmodSync(join(data, name), 0o600)
      }
      writeFileSync(join(data, 'pg_hba.conf'), 'local all all trust\nhostssl all all all scram-sha-256\n')
    },
  })
  const client = new Client(clientConfig(server.address('postgres')))
  await client.connect()
  await client.query(`CREATE USER caller PASSWORD ${client.escapeLiteral(PASSWORD)}`)
  await client.query(`CREATE DATABASE calls OWNER caller TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
  await client.end()
})
after(async () => {
  await server.stop()
  folder.remove()
})

interface Way {
  readonly host?: string
  readonly mode?: string
  readonly root?: string
  readonly password?: string
}

/** Opens the database of the server that way. */
async function open({
  host = 'localhost',
  mode = 'verify-full',
  root = 'root',
  password = PASSWORD,
}: Way): Promise<void> {
  writeFileSync(path('password'), `${password}\n`)
  const certificate = root === '' ? '' : `&sslrootcert=${path(`${root}.crt`)}`
  const address = `postgres://caller@${host}:${port}/calls?sslmode=${mode}${certificate}`
  const storage = await openStorage(withPasswordFile(address, path('password')), { clock: manualClock(), create: true })
  try {
    assert.equal(await storage.accounts.count(), 0)
  } finally {
    await storage.close()
  }
}

const refused = (code: string, reason: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Error && 'code' in error)
  assert.equal(error.code, code, error.message)
  assert.match(error.message, reason)
  assert.ok(!inspect(error, { depth: 10 }).includes(PASSWORD.slice(0, 4)))
  return true
}

test('a server that asks for TLS and a password is opened with its root certificate and the password file', async () => {
  await open({})
  await open({ mode: 'verify-ca', host: '127.0.0.1' })
  await open({ mode: 'require', root: '' })
})

test('a server whose certificate is signed by another, or for another name, gets no password', async () => {
  await assert.rejects(
    open({ root: 'other' }),
    refused('configuration', /certificate is signed by nobody who is known/),
  )
  await assert.rejects(open({ mode: 'verify-ca', root: 'other' }), refused('configuration', /signed by nobody/))
  await assert.rejects(open({ host: '127.0.0.1' }), refused('configuration', /certificate is for another host/))
})

test('a wrong password, and no TLS, are refused with what to do', async () => {
  await assert.rejects(open({ password: 'wrong' }), refused('configuration', /the password is wrong/))
  await assert.rejects(open({ mode: 'disable', root: '' }), refused('configuration', /may not connect from here/))
})

test('the password may be changed while programs run', async () => {
  writeFileSync(path('password'), 'wrong\n')
  const address = `postgres://caller@localhost:${port}/calls?sslmode=verify-full&sslrootcert=${path('root.crt')}`
  const config = clientConfig(withPasswordFile(address, path('password')))
  await assert.rejects(new Client(config).connect(), { code: '28P01' })
  writeFileSync(path('password'), PASSWORD)
  const client = new Client(config)
  await client.connect()
  await client.end()
})
