import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freeswitchSetup } from '../../adapters/freeswitch/setup/setup.ts'
import { openEventSocket } from '../../adapters/freeswitch/socket/event-socket.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { type Answering, type PhoneAt, type Place, type Telephones, telephones } from './telephones.ts'

/** A real FreeSWITCH that asks the built daemon, with telephones and a carrier. Needs `FREESWITCH_BIN` and sipp. */

const { FREESWITCH_BIN } = process.env
const skip = FREESWITCH_BIN === undefined ? 'FREESWITCH_BIN names no FreeSWITCH' : false
const ADDRESS = '127.0.43.1'
const PORTS = { telephones: 25560, carriers: 25580, eventSocket: 25521 }
const DAEMON_PORT = 25588
const CARRIER = { address: '127.0.43.99', port: 25560 }

const phone = (slug: string, user: string, host: number): PhoneAt => ({
  ...{ user, secret: `s-${slug}-${user}`, domain: `${slug}.example.com` },
  ...{ address: `127.0.43.${host}`, port: 25561 },
})
const desk = phone('acme', '101', 11)
const hall = phone('acme', '102', 12)
const other = phone('beta', '101', 21)

interface Lab {
  readonly folder: string
  readonly phones: Telephones
  /** Carriers have a port of their own. */
  readonly carriers: Telephones
  readonly freeswitch: ChildProcess
  daemon: DaemonProcess
  startDaemon(): Promise<void>
  /** Runs the command line; what it prints as JSON. */
  cli(...args: string[]): Promise<unknown>
  /** Asks the switch itself. */
  ask(command: string): Promise<string>
}

async function until<T>(what: string, look: () => Promise<T | null | false | undefined>, ms = 15_000): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`it never happened that ${what}`)
    await pause(20)
  }
}

const FOLDERS = [
  ...['conf', 'log', 'db', 'run', 'temp', 'storage', 'recordings', 'scripts', 'htdocs', 'certs', 'grammar', 'cache'],
]

function startFreeswitch(folder: string): ChildProcess {
  const root = dirname(dirname(FREESWITCH_BIN ?? ''))
  const places = FOLDERS.flatMap(name => [`-${name}`, join(folder, name)])
  const own = ['-mod', `${root}/lib/freeswitch/mod`, '-sounds', `${root}/share/freeswitch/sounds`]
  return spawn(FREESWITCH_BIN ?? '', ['-nf', '-nonat', '-nocal', ...places, ...own], { stdio: 'ignore' })
}

async function openLab(): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-freeswitch-'))
  for (const name of [...FOLDERS, 'cdr']) mkdirSync(join(folder, name))
  const surroundings = { daemonUrl: `http://127.0.0.1:${DAEMON_PORT}` }
  const given = { ports: PORTS, cdrFolder: join(folder, 'cdr') }
  const setup = freeswitchSetup({ out: folder, address: ADDRESS }, surroundings, given)
  for (const { path, text } of setup.files) writeFileSync(join(folder, 'conf', path), text)
  const environment = {
    ...{ TRUNKLINE_CONFIG: join(folder, 'conf/trunkline.json'), TRUNKLINE_DB: join(folder, 'test.db') },
    ...{ TRUNKLINE_ADMIN_EMAIL: 'admin@example.com', TRUNKLINE_ADMIN_PASSWORD: 'a password of the tests' },
    TRUNKLINE_PORT: String(DAEMON_PORT),
  }
  const { freeswitch: setting } = JSON.parse(setup.files[1]?.text ?? '{}')
  const daemon = await startDaemon(environment)
  const lab: Lab = {
    ...{ folder, daemon, freeswitch: startFreeswitch(folder) },
    phones: telephones({ address: ADDRESS, port: PORTS.telephones }, folder, 26_600),
    carriers: telephones({ address: ADDRESS, port: PORTS.carriers }, folder, 27_600),
    startDaemon: async () => {
      lab.daemon = await startDaemon(environment)
    },
    cli: async (...args) => {
      const child = spawn(process.execPath, ['dist/bin/trunkline.js', '--output', 'json', '--no-input', ...args], {
        env: { ...process.env, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let [printed, errors] = ['', '']
      child.stdout.setEncoding('utf8').on('data', text => {
        printed += text
      })
      child.stderr.setEncoding('utf8').on('data', text => {
        errors += text
      })
      const [code] = await once(child, 'close')
      assert.equal(code, 0, `${args.join(' ')}: ${errors}`)
      return printed.trim() === '' ? null : JSON.parse(printed)
    },
    ask: async command => {
      const socket = await openEventSocket(setting.event_socket)
      try {
        return await socket.api(command)
      } finally {
        socket.close()
      }
    },
  }
  await until('FreeSWITCH answers', () => lab.ask('status').catch(() => null), 30_000)
  await until('it has its profiles', async () => (await lab.ask('sofia status')).includes(`:${PORTS.carriers}`))
  return lab
}

async function populate({ cli, folder }: Lab): Promise<void> {
  const active = ['--status', 'active']
  const secretFile = join(folder, 'secret')
  for (const slug of ['acme', 'beta']) {
    const zone = ['--timezone', 'Europe/Kyiv', '--max-extensions', '50', '--settings-set', 'dialling.country=UA']
    const named = ['--name', slug, '--slug', slug, '--domain', `${slug}.example.com`]
    await cli('tenant', 'create', ...named, ...zone, ...active)
    for (const number of ['101', '102']) {
      writeFileSync(secretFile, `s-${slug}-${number}`)
      const given = ['--extension-number', number, '--display-name', 'Front "desk" $${x}', '--secret-file', secretFile]
      await cli('extension', 'create', '--tenant', slug, ...given, ...active)
    }
  }
  const rate = ['--destination', 'Ukraine', '--cost-per-minute', '0.6', '--billing-increment', '1']
  await cli('rate', 'create', '--tenant', 'acme', '--prefix', '380', ...rate, ...active)
  const host = ['--host', CARRIER.address, '--port', String(CARRIER.port)]
  await cli('trunk', 'create', '--name', 'carrier-one', ...host, ...active)
  await cli('trunk', 'route', 'set', 'carrier-one')
  await cli('did', 'create', '--tenant', 'acme', '--number', '+380441234567', '--provider', 'carrier-one', ...active)
  await cli('route', 'add', '--did', '+380441234567', '--target-type', 'extension', '--target', 'acme/102')
  const queue = ['--name', 'Support', '--queue-number', '800', '--strategy', 'ringall', '--timeout', '20']
  await cli('queue', 'create', '--tenant', 'acme', ...queue, ...active)
  await cli('agent', 'add', '--queue', 'acme/800', '--extension', 'acme/102')
}

interface CallRecord {
  readonly caller_number: string
  readonly destination_number: string
  readonly direction: string
  readonly disposition: string
  readonly duration_seconds: number
  readonly cost: string
}

const isRecord = (value: unknown): value is CallRecord => typeof value === 'object' && value !== null && 'cost' in value

/** Who plays a telephone must listen before it is called: FreeSWITCH tries but once where nobody does. */
async function listens({ address, port }: Place): Promise<void> {
  const bytes = address.split('.').map(each => Number(each).toString(16).padStart(2, '0'))
  const socket = `${bytes.reverse().join('')}:${port.toString(16).padStart(4, '0')}`.toUpperCase()
  await until(`${address}:${port} listens`, async () => readFileSync('/proc/net/udp', 'utf8').includes(` ${socket} `))
}

const WENT = { code: 0, refusal: null }

describe('a real FreeSWITCH', { skip, timeout: 300_000 }, () => {
  let lab: Lab

  before(async () => {
    lab = await openLab()
    await populate(lab)
  })
  after(async () => {
    await Promise.all([lab?.phones.close(), lab?.carriers.close()])
    await lab?.daemon.stop()
    lab?.freeswitch.kill('SIGKILL')
    if (process.env['KEEP_LAB'] === undefined) rmSync(lab?.folder ?? '', { recursive: true, force: true })
    else console.log(lab?.folder)
  })

  const recordsTo = async (number: string): Promise<CallRecord[]> => {
    const all = await lab.cli('cdr', 'list')
    return (Array.isArray(all) ? all.filter(isRecord) : []).filter(each => each.destination_number === number)
  }
  const recorded = (number: string, count = 1): Promise<CallRecord[]> =>
    until(`${count} calls to ${number} are recorded`, async () => {
      const found = await recordsTo(number)
      return found.length >= count && found
    })
  const answered = async (at: Place): Promise<Answering> => {
    // The switch tells it of its mailbox first, which counts as a call.
    const answering = lab.phones.answer(at, 100)
    await listens(at)
    return answering
  }
  const channels = async (): Promise<number> => Number.parseInt((await lab.ask('show channels count')).trim(), 10)

  test('registers the telephones of two tenants with one number, by their own secrets', async () => {
    for (const each of [desk, hall, other]) assert.deepEqual(await lab.phones.register(each), WENT)
    const wrong = phone('acme', '101', 31)
    assert.equal((await lab.phones.register({ ...wrong, secret: other.secret })).refusal, 403)
    assert.equal((await lab.phones.register({ ...wrong, domain: 'ACME.example.com' })).refusal, 403)
  })

  test('has a call inside, and one record of it, which costs nothing', async () => {
    const answering = await answered(hall)
    assert.deepEqual(await lab.phones.call(desk, '102', 700), WENT)
    answering.stop()
    await answering.done
    const [record, ...others] = await recorded('102')
    assert.deepEqual(
      [record?.caller_number, record?.direction, record?.disposition, record?.duration_seconds, record?.cost],
      ['101', 'inbound', 'ANSWERED', 1, '0.0000'],
    )
    assert.equal(others.length, 0)
  })

  test('sends a call out through the trunk of the route, and bills its seconds rounded up', async () => {
    const carrier = await answered(CARRIER)
    assert.deepEqual(await lab.phones.call(desk, '0501234567', 1_300), WENT)
    carrier.stop()
    await carrier.done
    const [record, ...others] = await recorded('+380501234567')
    assert.deepEqual(
      [record?.caller_number, record?.direction, record?.duration_seconds, record?.cost],
      ['101', 'outbound', 2, '0.0200'],
    )
    assert.equal(others.length, 0)
  })

  test('puts a call for a DID through from its carrier, and from nowhere else', async () => {
    const answering = await answered(hall)
    assert.deepEqual(await lab.carriers.callIn(CARRIER, '380671234567', '380441234567', 700), WENT)
    answering.stop()
    await answering.done
    const [record] = await recorded('380441234567')
    assert.deepEqual([record?.caller_number, record?.direction, record?.cost], ['380671234567', 'inbound', '0.0000'])
    const stranger = { address: '127.0.43.98', port: 25560 }
    assert.equal((await lab.carriers.callIn(stranger, '380671234567', '380441234567', 100)).refusal, 403)
    assert.equal((await lab.carriers.callIn(CARRIER, '380671234567', '380449999999', 100)).refusal, 404)
  })

  test('has a call to a queue answered by its agent, as one record', async () => {
    const answering = await answered(hall)
    assert.deepEqual(await lab.phones.call(desk, '800', 3_000), WENT)
    answering.stop()
    await answering.done
    assert.deepEqual(
      (await recorded('800')).map(({ direction, disposition }) => [direction, disposition]),
      [['inbound', 'ANSWERED']],
    )
  })

  test('keeps the records of calls that end while the daemon is away', async () => {
    const answering = await answered(hall)
    const calling = lab.phones.call(desk, '102', 3_000)
    await until('the call is up', async () => (await channels()) === 2)
    await lab.daemon.stop()
    assert.deepEqual(await calling, WENT)
    answering.stop()
    await answering.done
    await until('the record waits', async () => readdirSync(join(lab.folder, 'cdr')).length === 1)
    await lab.startDaemon()
    assert.equal((await recorded('102', 2)).length, 2)
    await until('its file is gone', async () => readdirSync(join(lab.folder, 'cdr')).length === 0)
  })

  test('ends the calls of a tenant that is suspended within a second, and registers its telephones no longer', async () => {
    const answering = await answered(hall)
    const calling = lab.phones.call(desk, '102', 30_000)
    await until('the call is up', async () => (await channels()) === 2)
    await lab.cli('tenant', 'update', 'acme', '--status', 'suspended')
    const suspended = performance.now()
    await until('it has ended', async () => (await channels()) === 0)
    const ms = performance.now() - suspended
    assert.ok(ms < 1_000, `${ms} ms`)
    await calling
    answering.stop()
    await answering.done
    assert.equal((await lab.phones.register(desk)).refusal, 403)
    const registered = (): Promise<string> => lab.ask('sofia status profile internal reg')
    await until('its telephones are forgotten', async () => !/User:\s+10\d@acme/.test(await registered()))
    assert.match(await registered(), /User:\s+101@beta/)
    await lab.cli('tenant', 'update', 'acme', '--status', 'active')
    for (const each of [desk, hall]) assert.deepEqual(await lab.phones.register(each), WENT)
  })

  test('wants a new secret from the next request on', async () => {
    writeFileSync(join(lab.folder, 'secret'), 'another-secret')
    await lab.cli('extension', 'update', 'acme/101', '--secret-file', join(lab.folder, 'secret'))
    assert.equal((await lab.phones.register(desk)).refusal, 403)
    assert.deepEqual(await lab.phones.register({ ...desk, secret: 'another-secret' }), WENT)
  })
})
