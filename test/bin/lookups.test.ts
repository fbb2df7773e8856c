import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { compose, type Trunkline } from '../../bin/compose.ts'
import { serveFreeswitch } from '../../bin/freeswitch/freeswitch.ts'
import type { Served, Serving } from '../../bin/serving.ts'
import { loadSettings } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../core/errors.ts'
import type { MountedRequest } from '../../core/ports/switching/mounts.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { insert } from '../support/data/rows.ts'
import { until } from '../support/data/switch.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { databaseAt } from '../support/storages.ts'
import { heldSwitch, PASSWORD } from '../support/switching/event-socket.ts'
import { actionsIn, callForm, didForm, proofOf, registerForm, valuesIn } from '../support/switching/freeswitch.ts'

const TOKEN = 'a-token-of-the-tests'
const basic = (token: string): string => `Basic ${Buffer.from(`freeswitch:${token}`).toString('base64')}`
const bodyOf = (form: Readonly<Record<string, string>>): string => new URLSearchParams(form).toString()

/** Posts a form from a thread of its own, and puts the length of the answer and its text into shared memory. */
const CLIENT = `
  const { parentPort, workerData: { url, authorization, body, shared } } = require('node:worker_threads')
  parentPort.once('message', async () => {
    const response = await fetch(url, { method: 'POST', headers: { authorization }, body })
    const answer = Buffer.from(await response.text())
    Buffer.from(shared, 4).set(answer)
    Atomics.store(new Int32Array(shared, 0, 1), 0, answer.length)
    Atomics.notify(new Int32Array(shared, 0, 1), 0)
  })
  parentPort.postMessage('ready')
`

/** Posts a form to the URL while this thread does nothing else at all. */
async function answeredWhileBlocked(url: string, form: Readonly<Record<string, string>>): Promise<string> {
  const shared = new SharedArrayBuffer(64 * 1024)
  const workerData = { url, authorization: basic(TOKEN), body: bodyOf(form), shared }
  const client = new Worker(CLIENT, { eval: true, workerData })
  await once(client, 'message')
  client.postMessage('go')
  const length = new Int32Array(shared, 0, 1)
  // Not answered, the test fails after a minute.
  assert.equal(Atomics.wait(length, 0, 0, 60_000), 'ok')
  await client.terminate()
  return Buffer.from(shared, 4, length[0]).toString()
}

const LIMITED = JSON.stringify({ limits: { concurrent_calls: 1 } })

describe('the lookups of FreeSWITCH', { timeout: 120_000 }, () => {
  const folder = temporaryFolder()
  const noted: string[] = []
  const lines: string[] = []
  let trunkline: Trunkline
  let settings: Settings
  let held: Awaited<ReturnType<typeof heldSwitch>>
  let served: Served
  let url = ''

  const serving = (): Serving => ({
    directory: trunkline.storage.switchDirectory(),
    usage: trunkline.storage.limitUsage,
    rates: trunkline.storage.ratedPrefixes,
    calls: trunkline.storage.calls,
    clock: trunkline.clock,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
    writeLog: line => lines.push(line),
    metrics: {
      counter: () => () => undefined,
      request: (method, route, _, status) => noted.push(`${method} ${route} ${status}`),
      refusal: () => undefined,
      cut: () => undefined,
    },
    decided: ({ what, refusal }) => noted.push(`${what}: ${refusal}`),
    onLimit: async ({ tenant, extension }, { name, limit }) => {
      noted.push(`limit of ${tenant.slug} ${extension?.number ?? ''}: ${name} ${limit}`)
    },
    onDeath: error => noted.push(`died: ${error}`),
  })
  const begin = async (lookup_port = 0): Promise<Served> => {
    const event_socket = { port: held.place.port, password: PASSWORD }
    const begun = await serveFreeswitch(
      { ...settings, freeswitch: { token: TOKEN, lookup_port, event_socket } },
      serving(),
    )
    return begun ?? assert.fail('nothing is served')
  }

  before(async () => {
    const loaded = loadSettings({ flags: {}, environment: {}, file: undefined })
    settings = { ...loaded.settings, log_level: 'debug', db: await databaseAt(folder.path, 'lookups.db') }
    trunkline = await compose(settings, () => '', { create: true, migrate: true })
    const { records } = trunkline.storage
    const tenant = { slug: 'acme', domain: 'acme.example.com' }
    const { id: tenant_id } = await insert(records, 'tenants', { ...tenant, settings: LIMITED })
    for (const extension_number of ['101', '102'])
      await insert(records, 'extensions', { tenant_id, extension_number, secret: `s3cret-${extension_number}` })
    held = await heldSwitch({
      answer: () =>
        JSON.stringify({
          row_count: 1,
          rows: [
            { uuid: 'up', call_uuid: 'up', presence_data: 'trunkline:acme:internal:102::101', created_epoch: '1' },
          ],
        }),
    })
    served = await begin()
    url = /http:[^"]*/.exec(lines.find(line => line.includes('lookups of FreeSWITCH at')) ?? '')?.[0] ?? ''
  })
  after(async () => {
    await served?.close()
    await held?.close()
    await trunkline?.close()
    folder.remove()
  })

  const post = (form: Readonly<Record<string, string>>, token = TOKEN): Promise<Response> =>
    fetch(`${url}/freeswitch/xml`, { method: 'POST', headers: { authorization: basic(token) }, body: bodyOf(form) })
  /** The same at the daemon's own port. */
  const mounted = async (form: Readonly<Record<string, string>>, of = served): Promise<string> => {
    const header = (name: string): string | undefined => (name === 'authorization' ? basic(TOKEN) : undefined)
    const request: MountedRequest = { address: '127.0.0.1', header, body: async () => bodyOf(form) }
    return (await of.mounts[0]?.answer(request))?.body ?? ''
  }
  const isConnected = (answer: string): boolean => actionsIn(answer).some(each => each.startsWith('bridge '))
  const call = (id: string): Record<string, string> => callForm({ 'Unique-ID': id })

  test('run before the other threads of the daemon, if Linux allows it, and the log says so', {
    skip: process.platform !== 'linux',
  }, async () => {
    const nice = (thread: string): number => {
      const [, fields = ''] = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')
      return Number(fields.split(' ')[16])
    }
    const logged = (): string => lines.find(line => line.includes('a thread of their own')) ?? ''
    await until('it is logged', () => logged() !== '')
    const preferred = readdirSync('/proc/self/task').filter(thread => nice(thread) === -7)
    assert.equal(preferred.length, JSON.parse(logged()).preferred ? 1 : 0)
  })

  test('are answered while the thread of the daemon is blocked', async () => {
    const answer = await answeredWhileBlocked(`${url}/freeswitch/xml`, registerForm())
    assert.equal(valuesIn(answer)['a1-hash'], proofOf('101', 'acme.example.com', 's3cret-101'))
    await until('it is noted', () => noted.includes('POST /freeswitch/xml 200'))
  })

  test('are counted and logged as if the daemon had answered them itself', async () => {
    noted.length = 0
    lines.length = 0
    assert.equal((await post(registerForm())).status, 200)
    assert.equal((await post(registerForm(), 'another-token-of-tests')).status, 401)
    assert.equal((await post(registerForm({ user: '999', sip_to_user: '999' }))).status, 200)
    await until('all is noted', () => noted.length >= 6)
    assert.deepEqual(
      new Set(noted),
      new Set([
        ...['register: none', 'request: token', 'register: unknown extension'],
        ...['POST /freeswitch/xml 200', 'POST /freeswitch/xml 401'],
      ]),
    )
    const logged = lines.map(line => JSON.parse(line))
    assert.ok(logged.some(({ msg, why }) => msg === 'a request of FreeSWITCH was refused' && why === 'token'))
    assert.ok(logged.some(({ msg, refusal }) => msg === 'refused on the switch' && refusal === 'unknown extension'))
    assert.equal(logged.filter(({ msg }) => msg === 'request').length, 3)
    assert.doesNotMatch(lines.join(), /s3cret|another-token/)
  })

  test('are logged with who was refused, so that an operator finds the telephone or the carrier', async () => {
    lines.length = 0
    await post(registerForm({ user: '999', sip_to_user: '999' }))
    await post(didForm({ 'Hunt-Destination-Number': '380449999999', variable_sip_network_ip: '203.0.113.9' }))
    await post(callForm({ 'Hunt-Destination-Number': '999' }))
    const refused = () => lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'refused on the switch')
    await until('all are logged', () => refused().length === 3)
    const [register, fromCarrier, fromPhone] = refused()
    assert.equal(register.user, '999@acme.example.com')
    assert.deepEqual([fromCarrier.dialled, fromCarrier.address], ['380449999999', '203.0.113.9'])
    assert.ok(fromCarrier.from)
    assert.deepEqual([fromPhone.from, fromPhone.dialled, fromPhone.address], ['101@acme', '999', undefined])
  })

  test('share the calls in progress, whichever port they come to, so that limits hold', async () => {
    noted.length = 0
    const answers = await Promise.all([
      ...['1', '2', '3'].map(id => mounted(call(id))),
      ...['4', '5', '6'].map(async id => (await post(call(id))).text()),
    ])
    assert.equal(answers.filter(isConnected).length, 1)
    await until('the limit is noted', () => noted.filter(each => each.startsWith('limit')).length === 5)
    assert.ok(noted.includes('limit of acme : concurrent_calls 1'))
  })

  test('count the calls that the switch shows', async () => {
    const another = await begin()
    const ask = async (): Promise<boolean> => isConnected(await mounted(call('7'), another))
    assert.ok(await ask())
    const stopping = new AbortController()
    const running = another.follower.run(() => undefined, stopping.signal)
    await until('the call counts', async () => !(await ask()))
    stopping.abort()
    await running
    await another.close()
  })

  test('keep the daemon from starting where another program has their port', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    assert.ok(address !== null && typeof address === 'object')
    const isNamed = (error: unknown): boolean =>
      error instanceof AppError &&
      error.code === 'configuration' &&
      /stop it, or set freeswitch\.lookup_port to a free port, and gateway-url .* to the same port \(/.test(
        error.message,
      )
    await assert.rejects(begin(address.port), isNamed)
    other.close()
  })

  test('see a tenant as it was stored a moment ago', async () => {
    const { records } = trunkline.storage
    const tenant = { slug: 'brief', domain: 'brief.example.com' }
    const { id: tenant_id } = await insert(records, 'tenants', tenant)
    await insert(records, 'extensions', { tenant_id, extension_number: '101', secret: 's3cret-101' })
    const form = registerForm({ domain: tenant.domain, sip_to_host: tenant.domain })
    const answers = async (): Promise<boolean[]> => {
      const both = [await mounted(form), await (await post(form)).text()]
      return both.map(answer => valuesIn(answer)['a1-hash'] !== undefined)
    }
    for (let round = 0; round < 10; round++) {
      await records.update(tenants, tenant_id, { status: 'suspended' })
      assert.deepEqual(await answers(), [false, false])
      await records.update(tenants, tenant_id, { status: 'active' })
      assert.deepEqual(await answers(), [true, true])
    }
  })

  test('end with the daemon', async () => {
    const another = await begin()
    const port = /at (http:[^"]*)/.exec(lines.findLast(line => line.includes('lookups of FreeSWITCH')) ?? '')?.[1] ?? ''
    assert.equal((await fetch(`${port}/freeswitch/xml`, { method: 'POST' })).status, 401)
    await another.close()
    await assert.rejects(fetch(`${port}/freeswitch/xml`, { method: 'POST' }))
    assert.ok(!noted.some(each => each.startsWith('died')))
  })
})
