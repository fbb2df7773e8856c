import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startWorld, type World } from '../support/data/records.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { addGateway, MESSAGE } from '../support/messaging/gateway.ts'

/** Debian's packages kannel and kannel-extras. */
const PROGRAMS = ['/usr/sbin/bearerbox', '/usr/sbin/smsbox', '/usr/lib/kannel/test/fakesmsc']
const lacking = PROGRAMS.filter(path => !existsSync(path))
const skip = lacking.length > 0 ? `Kannel is not installed: there is no ${lacking.join(', ')}` : false

const folder = temporaryFolder()
const children: ChildProcess[] = []
let world: World

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

const configuration = (ports: Record<'admin' | 'boxes' | 'smsc' | 'http', number>): string => `
group = core
admin-port = ${ports.admin}
smsbox-port = ${ports.boxes}
admin-password = admin
box-allow-ip = "127.0.0.1"
dlr-storage = internal

group = smsc
smsc = fake
smsc-id = FAKE
port = ${ports.smsc}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.http}
http-request-retry = 3
http-queue-delay = 1

group = sendsms-user
username = tester
password = f00b&r
concatenation = true
max-messages = 10

group = sms-service
keyword = default
text = "none"
`

/** Starts a program, and resolves once it has printed that much. Passes its output on, a line at a time. */
function start(path: string, args: readonly string[], ready: string, onLine: (line: string) => void): Promise<void> {
  const child = spawn(path, args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  return new Promise((resolve, reject) => {
    let rest = ''
    const take = (piece: Buffer): void => {
      const lines = (rest + piece.toString('utf8')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.includes(ready)) resolve()
        onLine(line)
      }
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('exit', code => reject(new Error(`${path} ended with ${code}`)))
    setTimeout(() => reject(new Error(`${path} did not say: ${ready}`)), 10_000).unref()
  })
}

const arrived: { text: string }[] = []

/** A line of the SMSC with what reached it, as `text` or in UTF-16, URL-encoded except for ASCII. */
function note(line: string): void {
  const [, kind = '', coded = ''] = /Got message \d+: <\S+ \S+ (\S+) (.*)>$/.exec(line) ?? []
  if (kind === 'text') arrived.push({ text: coded })
  if (kind !== 'ucs-2') return
  const bytes = coded.replaceAll('+', ' ').match(/%[0-9A-Fa-f]{2}|[^%]/g) ?? []
  const codes = bytes.map(each => (each.startsWith('%') ? Number.parseInt(each.slice(1), 16) : each.charCodeAt(0)))
  arrived.push({ text: Buffer.from(codes).swap16().toString('utf16le') })
}

let port = 0
before(async () => {
  if (skip) return
  world = await startWorld({ gateway_timeout: 5 })
  const ports = { admin: await freePort(), boxes: await freePort(), smsc: await freePort(), http: await freePort() }
  port = ports.http
  writeFileSync(join(folder.path, 'kannel.conf'), configuration(ports))
  await start('/usr/sbin/bearerbox', ['-v', '0', 'kannel.conf'], 'MAIN: Start-up done', () => {}).catch(fail)
  await start('/usr/sbin/smsbox', ['-v', '0', 'kannel.conf'], 'Connected to bearerbox', () => {}).catch(fail)
  const smsc = ['-H', '127.0.0.1', '-r', String(ports.smsc), '-m', '0', '1 2 text none']
  await start('/usr/lib/kannel/test/fakesmsc', smsc, 'Connecting to', note).catch(fail)
})
after(async () => {
  for (const child of children.toReversed()) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await world?.close()
  folder.remove()
})

const fail = (error: unknown): never => {
  throw error
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 200; i++) {
    const found = await look()
    if (found !== undefined) return found
    await pause(50)
  }
  throw new Error('It did not happen within 10 s.')
}

const TEXTS = {
  Latin: 'Tabla 3 {ok} @ 19:30 € ñ é Ø',
  Cyrillic: 'Ваш столик чекає о 19:30',
  Greek: 'Το τραπέζι σας στις 19:30',
  Chinese: '您的桌位已预订',
  'Hebrew and an emoji': 'השולחן שלך מוזמן 😀',
}

describe('a real Kannel', { skip }, () => {
  for (const [name, text] of Object.entries(TEXTS))
    it(`carries ${name} as it was written, and its receipts find the message`, async () => {
      const meta = { profile: 'kannel', max_parts: 10 }
      const account = { username: 'tester', password: 'f00b&r', callback_token: 'тайна %d/of receipts' }
      const gateway = await addGateway(world.service, world.session, { host: '127.0.0.1', port }, { ...account, meta })
      const { data } = (await world.send('POST', `/api/sms-gateways/${gateway}/send`, { ...MESSAGE, message: text }))
        .json
      assert.equal(data.error_message, null)
      await until(async () => arrived.find(each => each.text === text))
      const message = await until(async () => {
        const [stored] = (await world.get(`/api/sms-gateways/${gateway}/messages`)).json.data
        return stored.delivery_status === '1' ? stored : undefined
      })
      assert.ok(message.delivered_at)
      assert.equal(message.external_message_id, data.external_message_id)
    })

  it('refuses a wrong password, and the message says so', async () => {
    const members = { username: 'tester', password: 'wrong-one', meta: { profile: 'kannel' } }
    const gateway = await addGateway(world.service, world.session, { host: '127.0.0.1', port }, members)
    const { data } = (await world.send('POST', `/api/sms-gateways/${gateway}/send`, MESSAGE)).json
    assert.deepEqual([data.delivery_status, data.error_message.slice(0, 8)], ['failed', 'HTTP 403'])
  })
})
