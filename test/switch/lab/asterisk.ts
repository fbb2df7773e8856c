import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setupFiles } from '../../../adapters/asterisk/setup.ts'
import { type DaemonProcess, startDaemon } from '../../support/daemon.ts'
import { type Answering, type PhoneAt, type Place, type Telephones, telephones } from '../telephones.ts'
import { until } from './freeswitch.ts'

/** A real Asterisk, managed by the built daemon, with telephones and a carrier. Needs `ASTERISK_BIN` and sipp. */

const { ASTERISK_BIN } = process.env
export const skip = ASTERISK_BIN === undefined ? 'ASTERISK_BIN names no Asterisk' : false
/** The addresses of one lab, in a net of the loopback of its own. */
export function placesIn(net: number) {
  const address = (host: number): string => `127.0.${net}.${host}`
  return {
    address: address(1),
    place: (host: number): Place => ({ address: address(host), port: PORT }),
    phone: (user: string, host: number): PhoneAt => ({
      ...{ user, secret: `s-${user}`, address: address(host), port: PORT + 1 },
    }),
    carrier: { address: address(99), port: PORT },
  }
}

const PORT = 25_460

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

export interface Lab {
  readonly folder: string
  readonly phones: Telephones
  readonly carrier: Place
  daemon: DaemonProcess
  readonly asterisk: ChildProcess
  api(method: string, path: string, body?: unknown): Promise<Reply>
  /** Runs the command line, and returns what it prints as JSON. */
  cli(...args: string[]): Promise<unknown>
  /** Returns the codes of what `switch check` finds. */
  findings(): Promise<readonly string[]>
  /** Starts it again; resolves once it has brought the switch in line with the database. */
  startDaemon(): Promise<void>
  /** Returns what a command of the switch's console prints. */
  ask(command: string): Promise<string>
  /** Answers all calls there. */
  answered(at: Place): Promise<Answering>
  /** Waits for that many records of calls to the number. */
  recorded(number: string, count?: number): Promise<CallRecord[]>
  close(): Promise<void>
}

export interface Reply {
  readonly status: number
  readonly data: unknown
}

const EMAIL = 'admin@example.com'
const PASSWORD = 'a password of the tests'

function startAsterisk(
  address: string,
  folder: string,
  manager: { readonly managerPort: number; readonly managerPassword: string },
  {
    configured = text => text,
    telephonesDb = null,
  }: Pick<LabOptions, 'configured'> & { readonly telephonesDb: string | null },
): ChildProcess {
  const etc = join(folder, 'etc')
  const setup = { address, sipPort: PORT, ...manager }
  for (const { path, text } of setupFiles({ ...setup, rtpPorts: [20_400, 20_598], telephonesDb })) {
    mkdirSync(dirname(join(etc, path)), { recursive: true })
    writeFileSync(join(etc, path), path === 'pjsip.conf' ? configured(text, folder) : text)
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

export { until }

export interface LabOptions {
  /** Of the daemon; one of its own unless it is given. */
  readonly database?: string
  /** Of the daemon, beside what it needs. */
  readonly environment?: Readonly<Record<string, string>>
  /** Where Asterisk reads telephones; from a file unless it is given. */
  readonly telephones?: 'file' | 'database'
  /** What the operator makes of the first pjsip.conf; `folder` is the lab's. */
  readonly configured?: (text: string, folder: string) => string
}

/** As the steps of the setup make it. */
function databaseIn(folder: string): string {
  const own = join(folder, 'telephones')
  mkdirSync(own)
  chmodSync(own, 0o770)
  const path = join(own, 'telephones.db')
  writeFileSync(path, '')
  chmodSync(path, 0o660)
  return path
}

export async function openLab(net: number, options: LabOptions = {}): Promise<Lab> {
  const { database, environment: given = {}, telephones: where = 'file' } = options
  const { address } = placesIn(net)
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-asterisk-'))
  const port = await freePort()
  const password = 'manager-of-the-tests'
  const telephonesDb = where === 'file' ? null : databaseIn(folder)
  const asterisk = startAsterisk(
    address,
    folder,
    { managerPort: port, managerPassword: password },
    { ...options, telephonesDb },
  )
  const settings = join(folder, 'trunkline.json')
  const manager = { port, password }
  const cdr_file = join(folder, 'log/cdr-csv/Master.csv')
  const telephones_db = telephonesDb ?? undefined
  const setting = { dir: join(folder, 'etc/trunkline'), manager, cdr_file, telephones_db }
  writeFileSync(settings, JSON.stringify({ asterisk: setting }))
  const environment = {
    ...{ TRUNKLINE_CONFIG: settings, TRUNKLINE_DB: database ?? join(folder, 'test.db') },
    ...{ TRUNKLINE_ADMIN_EMAIL: EMAIL, TRUNKLINE_ADMIN_PASSWORD: PASSWORD },
    TRUNKLINE_METRICS_PORT: String(await freePort()),
    ...given,
  }
  const run = async (args: readonly string[]) => {
    const child = spawn(process.execPath, ['dist/bin/trunkline.js', '--output', 'json', '--no-input', ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [text, errors] = [textOf(child.stdout), textOf(child.stderr)]
    const [code] = await once(child, 'close')
    return { code, printed: (await text) === '' ? null : JSON.parse(await text), errors: await errors }
  }
  let cookie = ''
  const lab: Lab = {
    folder,
    asterisk,
    carrier: placesIn(net).carrier,
    phones: telephones({ address, port: PORT }, folder, 26_400),
    daemon: await startDaemon(environment),
    cli: async (...args) => {
      const { code, printed, errors } = await run(args)
      assert.equal(code, 0, `${args.join(' ')}: ${errors}`)
      return printed
    },
    findings: async () => {
      const { printed } = await run(['switch', 'check'])
      return Array.isArray(printed) ? printed.map(each => String(each.kind)) : assert.fail(JSON.stringify(printed))
    },
    ask: async command => {
      const child = spawn(ASTERISK_BIN ?? '', ['-C', join(folder, 'asterisk.conf'), '-rx', command])
      return textOf(child.stdout)
    },
    answered: at => lab.phones.answer(at, 100),
    recorded: (number, count = 1) =>
      until(`${count} calls to ${number} are recorded`, async () => {
        const found = to(await records(lab), number)
        return found.length >= count && found
      }),
    close: async () => {
      await lab.phones.close()
      await lab.daemon.stop()
      asterisk.kill('SIGKILL')
      if (process.env['KEEP_LAB'] === undefined) return rmSync(folder, { recursive: true, force: true })
      writeFileSync(join(folder, 'log/trunklined.log'), lab.daemon.logged.join('\n'))
      console.log(folder)
    },
    startDaemon: async () => {
      lab.daemon = await startDaemon(environment)
      const follows = async (): Promise<boolean> => {
        const { printed } = await run(['switch', 'status'])
        return Array.isArray(printed) && printed.some(each => each.reconciled_at !== null)
      }
      await until('it follows the switch', follows, 60_000)
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

export const idOf = ({ status, data }: Reply): number => {
  if (status < 300 && typeof data === 'object' && data && 'id' in data && typeof data.id === 'number') return data.id
  return assert.fail(`${status}: ${JSON.stringify(data)}`)
}

export const SETTINGS = { dialling: { country: 'UA', area_code: '44' } }
export const tenantOf = (slug: string) => ({
  ...{ name: slug, slug, domain: `${slug}.example.com`, status: 'active', timezone: 'Europe/Kyiv' },
  ...{ max_extensions: 50, settings: SETTINGS },
})
export const extensionOf = (tenant_id: number, number: string, slug: string) => ({
  ...{ tenant_id, extension_number: number, display_name: `Desk; "${number}"\n[x]`, status: 'active' },
  secret: `s-${slug}-${number}`,
})

export interface World {
  readonly acme: number
  readonly desk: number
}

export async function populate({ api, cli, carrier }: Lab): Promise<World> {
  assert.equal((await api('POST', '/api/admin/login', { email: EMAIL, password: PASSWORD })).status, 200)
  const acme = idOf(await api('POST', '/api/tenants', tenantOf('acme')))
  const beta = idOf(await api('POST', '/api/tenants', tenantOf('beta')))
  const desk = idOf(await api('POST', '/api/extensions', extensionOf(acme, '101', 'acme')))
  for (const number of ['102', '103']) idOf(await api('POST', '/api/extensions', extensionOf(acme, number, 'acme')))
  idOf(await api('POST', '/api/extensions', extensionOf(beta, '101', 'beta')))
  const rate = { prefix: '380', destination: 'Ukraine', cost_per_minute: 0.6, billing_increment: 1, status: 'active' }
  idOf(await api('POST', '/api/rates', { tenant_id: acme, ...rate }))
  const trunk = { name: 'carrier', host: carrier.address, port: carrier.port, transport: 'udp', status: 'active' }
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

export interface CallRecord {
  readonly extension_id: number | null
  readonly caller_number: string
  readonly destination_number: string
  readonly direction: string
  readonly disposition: string
  readonly duration_seconds: number
  readonly cost: string
}

const isRecord = (value: unknown): value is CallRecord => typeof value === 'object' && value !== null && 'cost' in value

export async function records({ api }: Lab): Promise<CallRecord[]> {
  const { data } = await api('GET', '/api/cdrs')
  return Array.isArray(data) ? data.filter(isRecord) : []
}

export const to = (found: readonly CallRecord[], number: string): CallRecord[] =>
  found.filter(({ destination_number }) => destination_number === number)

/** How many channels are up, according to the switch. */
export const upCalls = async ({ ask }: Pick<Lab, 'ask'>): Promise<number> =>
  Number(/(\d+) active channel/.exec(await ask('core show channels count'))?.[1] ?? 0)

export const WENT = { code: 0, refusal: null }
