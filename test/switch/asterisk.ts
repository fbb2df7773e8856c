import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { setupFiles } from '../../adapters/asterisk/setup.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { type PhoneAt, type Telephones, telephones } from './telephones.ts'

/** A real Asterisk, kept by the built daemon, with telephones and a carrier. Needs `ASTERISK_BIN` and sipp. */

const { ASTERISK_BIN } = process.env
const skip = ASTERISK_BIN === undefined ? 'ASTERISK_BIN names no Asterisk' : false
const ADDRESS = '127.0.41.1'
const CARRIER = { address: '127.0.41.99', port: 25460 }
const phone = (user: string, host: number): PhoneAt => ({
  ...{ user, secret: `s-${user}`, address: `127.0.41.${host}`, port: 25461 },
})
const desk = phone('acme-101', 11)
const hall = phone('acme-102', 12)
const back = phone('acme-103', 13)
const other = phone('beta-101', 21)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

interface Lab {
  readonly folder: string
  readonly phones: Telephones
  daemon: DaemonProcess
  readonly asterisk: ChildProcess
  api(method: string, path: string, body?: unknown): Promise<Reply>
  /** Runs the command line. */
  cli(...args: string[]): Promise<void>
  startDaemon(): Promise<void>
}

interface Reply {
  readonly status: number
  readonly data: unknown
}

const EMAIL = 'admin@example.com'
const PASSWORD = 'a password of the tests'

async function until<T>(what: string, look: () => Promise<T | null | false | undefined>, ms = 15_000): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`it never happened that ${what}`)
    await pause(20)
  }
}

function startAsterisk(folder: string, managerPort: number, managerPassword: string): ChildProcess {
  const etc = join(folder, 'etc')
  const setup = { address: ADDRESS, sipPort: 25460, managerPort, managerPassword }
  for (const { path, text } of setupFiles({ ...setup, rtpPorts: [20_400, 20_598] })) {
    mkdirSync(dirname(join(etc, path)), { recursive: true })
    writeFileSync(join(etc, path), text)
  }
  const root = dirname(dirname(ASTERISK_BIN ?? ''))
  const dirs = ['run', 'log/cdr-csv', 'db', 'spool/voicemail', 'keys', 'etc/trunkline']
  for (const dir of dirs) mkdirSync(join(folder, dir), { recursive: true })
  const places = [
    ...[`astetcdir => ${etc}`, `astmoddir => ${root}/lib/asterisk/modules`, `astvarlibdir => ${root}/var/lib/asterisk`],
    ...[`astdatadir => ${root}/var/lib/asterisk`, `astdbdir => ${folder}/db`, `astkeydir => ${folder}/keys`],
    ...[`astspooldir => ${folder}/spool`, `astrundir => ${folder}/run`, `astlogdir => ${folder}/log`],
  ]
  const configuration = join(folder, 'asterisk.conf')
  writeFileSync(configuration, ['[directories]', ...places, ''].join('\n'))
  return spawn(ASTERISK_BIN ?? '', ['-f', '-C', configuration], { stdio: 'ignore' })
}

async function openLab(): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-asterisk-'))
  const port = await freePort()
  const password = 'manager-of-the-tests'
  const asterisk = startAsterisk(folder, port, password)
  const settings = join(folder, 'trunkline.json')
  const manager = { port, password }
  const cdr_file = join(folder, 'log/cdr-csv/Master.csv')
  writeFileSync(settings, JSON.stringify({ asterisk: { dir: join(folder, 'etc/trunkline'), manager, cdr_file } }))
  const environment = {
    ...{ TRUNKLINE_CONFIG: settings, TRUNKLINE_DB: join(folder, 'test.db') },
    ...{ TRUNKLINE_ADMIN_EMAIL: EMAIL, TRUNKLINE_ADMIN_PASSWORD: PASSWORD },
  }
  let cookie = ''
  const lab: Lab = {
    folder,
    asterisk,
    phones: telephones({ address: ADDRESS, port: 25460 }, folder, 26_400),
    daemon: await startDaemon(environment),
    cli: async (...args) => {
      const child = spawn(process.execPath, ['dist/bin/trunkline.js', '--quiet', ...args], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let errors = ''
      child.stderr.setEncoding('utf8').on('data', text => {
        errors += text
      })
      const [code] = await once(child, 'close')
      assert.equal(code, 0, `${args.join(' ')}: ${errors}`)
    },
    startDaemon: async () => {
      lab.daemon = await startDaemon(environment)
    },
    api: async (method, path, body) => {
      const response = await fetch(`${lab.daemon.url}${path}`, {
        ...{ method, headers: { 'Content-Type': 'application/json', cookie } },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      cookie =
        response.headers
          .getSetCookie()
          .map(each => each.split(';')[0])
          .join('; ') || cookie
      const answer: unknown = await response.json()
      const data = typeof answer === 'object' && answer && 'data' in answer ? answer.data : answer
      return { status: response.status, data }
    },
  }
  return lab
}

const idOf = ({ status, data }: Reply): number => {
  if (status < 300 && typeof data === 'object' && data && 'id' in data && typeof data.id === 'number') return data.id
  return assert.fail(`${status}: ${JSON.stringify(data)}`)
}

const SETTINGS = { dialling: { country: 'UA', area_code: '44' } }
const tenantOf = (slug: string) => ({
  ...{ name: slug, slug, domain: `${slug}.example.com`, status: 'active', timezone: 'Europe/Kyiv' },
  ...{ max_extensions: 50, settings: SETTINGS },
})
const extensionOf = (tenant_id: number, number: string, slug: string) => ({
  ...{ tenant_id, extension_number: number, display_name: `Desk; "${number}"\n[x]`, status: 'active' },
  secret: `s-${slug}-${number}`,
})

interface World {
  readonly acme: number
  readonly desk: number
}

async function populate({ api, cli }: Lab): Promise<World> {
  assert.equal((await api('POST', '/api/admin/login', { email: EMAIL, password: PASSWORD })).status, 200)
  const acme = idOf(await api('POST', '/api/tenants', tenantOf('acme')))
  const beta = idOf(await api('POST', '/api/tenants', tenantOf('beta')))
  const desk = idOf(await api('POST', '/api/extensions', extensionOf(acme, '101', 'acme')))
  for (const number of ['102', '103']) idOf(await api('POST', '/api/extensions', extensionOf(acme, number, 'acme')))
  idOf(await api('POST', '/api/extensions', extensionOf(beta, '101', 'beta')))
  const rate = { prefix: '380', destination: 'Ukraine', cost_per_minute: 0.6, billing_increment: 1, status: 'active' }
  idOf(await api('POST', '/api/rates', { tenant_id: acme, ...rate }))
  const trunk = { name: 'carrier', host: CARRIER.address, port: CARRIER.port, transport: 'udp', status: 'active' }
  idOf(await api('POST', '/api/trunks', { ...trunk, registers: false, number_form: 'e164' }))
  await cli('trunk', 'route', 'set', 'carrier')
  const did = { number: '+380441234567', provider: 'carrier', status: 'active' }
  idOf(await api('POST', '/api/dids', { ...did, tenant_id: acme }))
  await cli('route', 'create', '--did', '+380441234567', '--target-type', 'extension', '--target', 'acme/102')
  const queue = { name: 'Sales', queue_number: '800', strategy: 'ringall', timeout: 20, status: 'active' }
  idOf(await api('POST', '/api/queues', { ...queue, tenant_id: acme }))
  for (const number of ['101', '102'])
    await cli('agent', 'create', '--queue', 'acme/800', '--extension', `acme/${number}`)
  return { acme, desk }
}

interface CallRecord {
  readonly extension_id: number | null
  readonly caller_number: string
  readonly destination_number: string
  readonly direction: string
  readonly disposition: string
  readonly duration_seconds: number
  readonly cost: string
}

const isRecord = (value: unknown): value is CallRecord => typeof value === 'object' && value !== null && 'cost' in value

async function records({ api }: Lab): Promise<CallRecord[]> {
  const { data } = await api('GET', '/api/cdrs')
  return Array.isArray(data) ? data.filter(isRecord) : []
}

const to = (found: readonly CallRecord[], number: string): CallRecord[] =>
  found.filter(({ destination_number }) => destination_number === number)

/** How many channels are up, by the switch itself. */
async function upCalls({ folder }: Lab): Promise<number> {
  const child = spawn(ASTERISK_BIN ?? '', ['-C', join(folder, 'asterisk.conf'), '-rx', 'core show channels count'])
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    printed += text
  })
  await once(child, 'close')
  return Number(/(\d+) active channel/.exec(printed)?.[1] ?? 0)
}

const WENT = { code: 0, refusal: null }

describe('a real Asterisk', { skip, timeout: 300_000 }, () => {
  let lab: Lab
  let world: World

  before(async () => {
    lab = await openLab()
    world = await populate(lab)
  })
  after(async () => {
    await lab?.phones.close()
    await lab?.daemon.stop()
    lab?.asterisk.kill('SIGKILL')
    if (process.env['KEEP_LAB'] === undefined) rmSync(lab?.folder ?? '', { recursive: true, force: true })
    else console.log(lab?.folder)
  })

  /** The records of calls to a number, once there are some; a second after the call is late. */
  const recorded = async (number: string): Promise<CallRecord[]> => {
    const ended = performance.now()
    const found = await until(`a call to ${number} is recorded`, async () => {
      const all = to(await records(lab), number)
      return all.length > 0 && all
    })
    const ms = performance.now() - ended
    assert.ok(ms < 1_000, `recorded after ${ms} ms`)
    return found
  }
  const setTenant = async (changes: object): Promise<unknown> =>
    idOf(await lab.api('PUT', `/api/tenants/${world.acme}`, { ...tenantOf('acme'), ...changes }))

  test('registers the telephones of two tenants with one number, by their own secrets', async () => {
    await until('the desk registers', async () => (await lab.phones.register(desk)).code === 0)
    assert.equal((await lab.phones.register(hall)).code, 0)
    assert.equal((await lab.phones.register(back)).code, 0)
    assert.equal((await lab.phones.register(other)).code, 0)
    assert.equal((await lab.phones.register({ ...other, secret: desk.secret })).refusal, 401)
  })

  test('has a call inside, and the record of it within a second', async () => {
    const answering = lab.phones.answer(hall, 1)
    assert.deepEqual(await lab.phones.call(desk, '102', 1_200), WENT)
    const [record] = await recorded('102')
    assert.deepEqual([record?.caller_number, record?.direction, record?.disposition], ['101', 'inbound', 'ANSWERED'])
    await answering.done
  })

  test('sends a call out through the trunk of the route, and it is billed to who called', async () => {
    const carrier = lab.phones.answer(CARRIER, 1)
    assert.deepEqual(await lab.phones.call(desk, '0501234567', 1_200), WENT)
    const [record] = await recorded('+380501234567')
    assert.deepEqual([record?.caller_number, record?.direction, record?.extension_id], ['101', 'outbound', world.desk])
    assert.ok(Number(record?.cost) > 0, JSON.stringify(record))
    await carrier.done
  })

  test('refuses an invalid number, and a call without permission', async () => {
    assert.equal((await lab.phones.call(desk, '999', 100)).refusal, 404)
    await setTenant({ settings: { ...SETTINGS, limits: { blocked_prefixes: ['380'] } } })
    await until('it is refused', async () => (await lab.phones.call(desk, '0501234567', 100)).refusal === 403, 2_000)
    await setTenant({})
  })

  test('puts a call for a DID through to the extension of its route', async () => {
    const answering = lab.phones.answer(hall, 1)
    await until(
      'it comes in',
      async () => (await lab.phones.callIn(CARRIER, '380671234567', '380441234567', 1_200)).code === 0,
    )
    const [record] = await recorded('+380441234567')
    assert.deepEqual([record?.direction, record?.disposition, record?.cost], ['inbound', 'ANSWERED', '0.0000'])
    assert.equal((await lab.phones.callIn(CARRIER, '380671234567', '380440000000', 100)).refusal, 404)
    await answering.done
  })

  test('has a queue call answered, as one record though another agent rang', async () => {
    const answering = lab.phones.answer(hall, 1)
    assert.deepEqual(await lab.phones.call(back, '800', 1_200), WENT)
    await answering.done
    assert.deepEqual(
      (await recorded('800')).map(({ disposition }) => disposition),
      ['ANSWERED'],
    )
  })

  test('accepts a new secret within a second, and then refuses the old one', async () => {
    const id = world.desk
    idOf(
      await lab.api('PUT', `/api/extensions/${id}`, { ...extensionOf(world.acme, '101', 'acme'), secret: 'another' }),
    )
    const changed = performance.now()
    await until('the old one is refused', async () => (await lab.phones.register(desk)).refusal === 401)
    assert.ok(performance.now() - changed < 1_500, `after ${performance.now() - changed} ms`)
    assert.equal((await lab.phones.register({ ...desk, secret: 'another' })).code, 0)
    idOf(await lab.api('PUT', `/api/extensions/${id}`, extensionOf(world.acme, '101', 'acme')))
    await until('the first one is right again', async () => (await lab.phones.register(desk)).code === 0)
  })

  test('keeps working without the daemon, which stores the records once it is back', async () => {
    await lab.daemon.stop()
    assert.equal((await lab.phones.register(desk)).code, 0)
    const answering = lab.phones.answer(hall, 1)
    const before = performance.now()
    assert.deepEqual(await lab.phones.call(desk, '102', 1_200), WENT)
    assert.ok(performance.now() - before < 5_000)
    await answering.done
    await lab.startDaemon()
    await until('both calls are recorded', async () => to(await records(lab), '102').length === 2)
  })

  test('ends the calls of a tenant that is suspended within a second, and takes no more', async () => {
    const answering = lab.phones.answer(hall, 1)
    const calling = lab.phones.call(desk, '102', 60_000)
    await until('the call is up', async () => (await upCalls(lab)) > 0)
    await setTenant({ status: 'suspended' })
    const suspended = performance.now()
    await until('the call has ended', async () => (await upCalls(lab)) === 0)
    const ms = performance.now() - suspended
    assert.ok(ms < 1_000, `after ${ms} ms`)
    await Promise.all([calling, answering.done])
    await until('it registers no longer', async () => (await lab.phones.register(desk)).refusal === 401)
    assert.equal((await lab.phones.register(other)).code, 0, 'the other tenant goes on')
    await setTenant({})
    await until('it registers again', async () => (await lab.phones.register(desk)).code === 0)
  })
})
