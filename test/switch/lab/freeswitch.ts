import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freeswitch } from '../../../adapters/freeswitch/freeswitch.ts'
import { openEventSocket } from '../../../adapters/freeswitch/socket/event-socket.ts'
import { type DaemonProcess, startDaemon } from '../../support/daemon.ts'
import { type Answering, type PhoneAt, type Place, type Telephones, telephones, until } from '../telephones.ts'

/** A real FreeSWITCH that asks the built daemon, with telephones and a carrier. Needs `FREESWITCH_BIN` and sipp. */

const { FREESWITCH_BIN } = process.env
export const skip = FREESWITCH_BIN === undefined ? 'FREESWITCH_BIN names no FreeSWITCH' : false

export { until }
export const WENT = { code: 0, refusal: null }

export interface Lab {
  readonly folder: string
  readonly phones: Telephones
  /** Carriers have a separate port. */
  readonly carriers: Telephones
  readonly carrier: Place
  readonly password: string
  readonly token: string
  /** Where the daemon answers lookups. */
  readonly lookupUrl: string
  daemon: DaemonProcess
  startDaemon(): Promise<void>
  /** Runs the command line; returns its JSON. */
  cli(...args: string[]): Promise<unknown>
  /** Sends a command to the switch itself. */
  ask(command: string): Promise<string>
  /** How many legs are up. */
  channels(): Promise<number>
  /** Answers one call there. */
  answered(at: Place): Promise<Answering>
  /** The records of calls to that number. */
  recordsTo(number: string): Promise<CallRecord[]>
  /** The same, once there are this many. */
  recorded(number: string, count?: number): Promise<CallRecord[]>
  /** Does this while calls there are answered. */
  taken(at: Place, run: () => Promise<void>): Promise<void>
  /** How many records wait in the folder of those that could not be posted. */
  waiting(): number
  /** What `trunkline doctor` finds. */
  doctor(): Promise<unknown>
  close(): Promise<void>
}

export interface CallRecord {
  readonly caller_number: string
  readonly destination_number: string
  readonly direction: string
  readonly disposition: string
  readonly duration_seconds: number
  readonly cost: string
}

const isRecord = (value: unknown): value is CallRecord => typeof value === 'object' && value !== null && 'cost' in value

const FOLDERS = [...['conf', 'log', 'db', 'storage', 'recordings', 'scripts', 'htdocs', 'certs', 'grammar', 'cache']]

function startFreeswitch(folder: string, memory: string): ChildProcess {
  const root = dirname(dirname(FREESWITCH_BIN ?? ''))
  const places = FOLDERS.flatMap(name => [`-${name}`, join(folder, name)])
  const own = ['-mod', `${root}/lib/freeswitch/mod`, '-sounds', `${root}/share/freeswitch/sounds`]
  const args = ['-nf', '-nonat', '-nocal', '-temp', memory, '-run', memory, ...places, ...own]
  return spawn(FREESWITCH_BIN ?? '', args, { stdio: 'ignore' })
}

/** Runs the built command line; what it prints as JSON. */
async function commandLine(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  expected = 0,
): Promise<unknown> {
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
  assert.equal(code, expected, `${args.join(' ')}: ${errors}`)
  return printed.trim() === '' ? null : JSON.parse(printed)
}

/** The addresses and ports in a lab whose addresses are 127.0.net.x. */
export const placesIn = (net: number) => ({
  place: (host: number): Place => ({ address: `127.0.${net}.${host}`, port: 25_560 }),
  carrier: { address: `127.0.${net}.99`, port: 25_560 },
  phone: (slug: string, user: string, host: number): PhoneAt => ({
    ...{ user, secret: `s-${slug}-${user}`, domain: `${slug}.example.com` },
    ...{ address: `127.0.${net}.${host}`, port: 25_561 },
  }),
})

export interface LabOptions {
  /** Its ports depend on it too, so that two labs do not collide. */
  readonly net: number
  /** Of the switch; 127.0.net.1 unless it is given. */
  readonly address?: string
  /** Of the daemon; one of its own unless it is given. */
  readonly database?: string
  /** Of the daemon, beside what it needs. */
  readonly environment?: Readonly<Record<string, string>>
  readonly registrations?: 'disk' | 'memory'
  /** What the operator makes of the first configuration; `folder` is the lab's. */
  readonly configured?: (text: string, folder: string) => string
}

/** Starts both. */
export async function openLab({
  net,
  address = `127.0.${net}.1`,
  database,
  environment: given = {},
  configured,
  registrations = 'disk',
}: LabOptions): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-freeswitch-'))
  for (const name of [...FOLDERS, 'cdr']) mkdirSync(join(folder, name))
  // In memory, as the documentation recommends.
  const memoryFolder = mkdtempSync('/dev/shm/trunkline-freeswitch-')
  const eventSocket = 25_000 + net * 10
  const ports = { telephones: 25_560, carriers: 25_580, eventSocket, lookups: eventSocket + 3 }
  const daemonPort = ports.eventSocket + 1
  const surroundings = { daemonUrl: `http://127.0.0.1:${daemonPort}`, ownPorts: [daemonPort], addresses: [] }
  const setup = freeswitch.setup({ out: folder, address, registrations }, surroundings, {
    ports,
    memoryFolder,
    cdrFolder: join(folder, 'cdr'),
  })
  for (const { path, text } of setup.files)
    writeFileSync(join(folder, 'conf', path), path === 'freeswitch.xml' ? (configured?.(text, folder) ?? text) : text)
  const { freeswitch: setting } = JSON.parse(setup.files.find(({ path }) => path === 'trunkline.json')?.text ?? '{}')
  const environment = {
    ...{ TRUNKLINE_CONFIG: join(folder, 'conf/trunkline.json'), TRUNKLINE_DB: database ?? join(folder, 'test.db') },
    ...{ TRUNKLINE_ADMIN_EMAIL: 'admin@example.com', TRUNKLINE_ADMIN_PASSWORD: 'a password of the tests' },
    TRUNKLINE_PORT: String(daemonPort),
    ...given,
  }
  const daemon = await startDaemon(environment)
  const child = startFreeswitch(folder, memoryFolder)
  const ask = async (command: string): Promise<string> => {
    const socket = await openEventSocket(setting.event_socket)
    try {
      return await socket.api(command)
    } finally {
      socket.close()
    }
  }
  const cli = (...args: string[]): Promise<unknown> => commandLine(environment, args)
  const phones = telephones({ address, port: ports.telephones }, folder, 26_600)
  const carriers = telephones({ address, port: ports.carriers }, folder, 27_600)
  const lab: Lab = {
    ...{ folder, daemon, phones, carriers, ask, cli, carrier: placesIn(net).carrier },
    ...{ password: setting.event_socket.password, token: setting.token },
    lookupUrl: `http://127.0.0.1:${ports.lookups}`,
    startDaemon: async () => {
      lab.daemon = await startDaemon(environment)
    },
    channels: async () => Number.parseInt((await ask('show channels count')).trim(), 10),
    // The switch may notify a telephone of its mailbox first, which counts as a call.
    answered: at => phones.answer(at, 100),
    taken: async (at, run) => {
      const taking = await lab.answered(at)
      try {
        await run()
      } finally {
        taking.stop()
        await taking.done
      }
    },
    recordsTo: async number => {
      const all = await cli('cdr', 'list')
      return (Array.isArray(all) ? all.filter(isRecord) : []).filter(each => each.destination_number === number)
    },
    recorded: (number, count = 1) =>
      until(`${count} calls to ${number} are recorded`, async () => {
        const found = await lab.recordsTo(number)
        return found.length >= count && found
      }),
    waiting: () => readdirSync(join(folder, 'cdr')).length,
    // It ends with 1 if it finds something.
    doctor: () => commandLine(environment, ['doctor'], 1),
    close: async () => {
      await Promise.all([phones.close(), carriers.close()])
      await lab.daemon.stop()
      child.kill('SIGKILL')
      rmSync(memoryFolder, { recursive: true, force: true })
      if (process.env['KEEP_LAB'] === undefined) return rmSync(folder, { recursive: true, force: true })
      writeFileSync(join(folder, 'log/trunklined.log'), lab.daemon.logged.join('\n'))
      console.log(folder)
    },
  }
  await until('FreeSWITCH answers', () => ask('status').catch(() => null), 30_000)
  await until('it has its profiles', async () => (await ask('sofia status')).includes(`:${ports.carriers}`))
  return lab
}

export const ACTIVE = ['--status', 'active']

/**
 * Two tenants with the extensions 101 and 102; acme calls out through a carrier that brings calls for its DID, and has
 * a queue.
 */
export async function populate({ cli, folder, carrier, ask }: Lab): Promise<void> {
  const secretFile = join(folder, 'secret')
  for (const slug of ['acme', 'beta']) {
    const zone = ['--timezone', 'Europe/Kyiv', '--max-extensions', '50', '--settings-set', 'dialling.country=UA']
    const named = ['--name', slug, '--slug', slug, '--domain', `${slug}.example.com`]
    await cli('tenant', 'create', ...named, ...zone, ...ACTIVE)
    for (const number of ['101', '102']) {
      writeFileSync(secretFile, `s-${slug}-${number}`)
      const given = ['--extension-number', number, '--display-name', 'Front "desk" $${x}', '--secret-file', secretFile]
      await cli('extension', 'create', '--tenant', slug, ...given, ...ACTIVE)
    }
  }
  const rate = ['--destination', 'Ukraine', '--cost-per-minute', '0.6', '--billing-increment', '1']
  await cli('rate', 'create', '--tenant', 'acme', '--prefix', '380', ...rate, ...ACTIVE)
  const host = ['--host', carrier.address, '--port', String(carrier.port)]
  await cli('trunk', 'create', '--name', 'carrier-one', ...host, ...ACTIVE)
  await cli('trunk', 'route', 'set', 'carrier-one')
  await cli('did', 'create', '--tenant', 'acme', '--number', '+380441234567', '--provider', 'carrier-one', ...ACTIVE)
  await cli('route', 'add', '--did', '+380441234567', '--target-type', 'extension', '--target', 'acme/102')
  const queue = ['--name', 'Support', '--queue-number', '800', '--strategy', 'ringall', '--timeout', '20']
  await cli('queue', 'create', '--tenant', 'acme', ...queue, ...ACTIVE)
  await cli('agent', 'add', '--queue', 'acme/800', '--extension', 'acme/102')
  await until('the gateway is there', async () => (await ask('sofia profile external gwlist')).includes('carrier-one'))
}
