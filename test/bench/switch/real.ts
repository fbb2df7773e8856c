import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Lab, openLab, placesIn, skip, until } from '../../switch/lab/freeswitch.ts'
import type { PhoneAt } from '../../switch/telephones.ts'
import { FULL_SIZE } from '../dataset.ts'
import { milliseconds, whole } from '../figures.ts'
import { hasProgram } from '../load.ts'
import type { Bench } from '../rows/row.ts'
import { ADMIN, login } from '../servers.ts'
import type { Line } from '../table.ts'
import { domainOf, NET, numberOf, secretOf, slugOf } from './world.ts'

const { carrier, place } = placesIn(NET)
const REGISTRATIONS = 4_000
const REGISTRATIONS_PER_SECOND = 400
const CALLS_A_MINUTE = 50
const KILLS_AT_MS = [12_000, 30_000, 48_000]
const ROUNDS = 5

const missing = !hasProgram('sipp') ? 'sipp is not installed' : skip

const line = (what: string, ours: string, goal: string, met: boolean | null): Line => ({
  ...{ what, baseline: '', ours, ratio: '', goal, met },
})

/** Extensions of the first tenant, each on an address of its own. */
const phoneOf = (n: number): PhoneAt => ({
  ...{ user: numberOf(n * FULL_SIZE.tenants), secret: secretOf(n * FULL_SIZE.tenants), domain: domainOf(0) },
  ...{ address: place(11 + n).address, port: 25_561 },
})
const [desk, hall] = [phoneOf(0), phoneOf(1)]

/** The lab with a session that outlives its daemon. */
type SignedIn = Lab & { readonly cookie: string }

/** Changes a record over the API, or reads some. */
async function api(
  { daemon, cookie }: SignedIn,
  path: string,
  change?: { method: string; body: unknown },
): Promise<unknown> {
  const headers = { cookie, 'content-type': 'application/json' }
  const given = change ? { method: change.method, body: JSON.stringify(change.body) } : {}
  const response = await fetch(`${daemon.url}/api${path}`, { headers, ...given })
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  return response.json()
}

interface Played {
  readonly succeeded: number
  readonly failed: number
  readonly retransmitted: number
  readonly seconds: number
}

/** Runs sipp with many calls; returns its final statistics. */
async function played(folder: string, name: string, args: readonly string[]): Promise<Played> {
  const statistics = join(folder, `${name}.csv`)
  const child = spawn('sipp', [...args, '-nostdin', '-trace_stat', '-stf', statistics, '-fd', '1'], { stdio: 'ignore' })
  await once(child, 'close')
  const [head = '', ...rows] = readFileSync(statistics, 'utf8').trim().split('\n')
  const last = rows.at(-1)?.split(';') ?? []
  const value = (column: string): string => last[head.split(';').indexOf(column)] ?? ''
  const [hours = 0, minutes = 0, seconds = 0] = value('ElapsedTime(C)').split(':').map(Number)
  return {
    succeeded: Number(value('SuccessfulCall(C)')),
    failed: Number(value('FailedCall(C)')),
    retransmitted: Number(value('Retransmissions(C)')),
    seconds: hours * 3600 + minutes * 60 + seconds,
  }
}

async function registrations({ folder }: Lab, count: number): Promise<Line> {
  const scenario = readFileSync('test/switch/sipp/register.xml', 'utf8')
    .replaceAll('Contact: <sip:[service]@[contact]', 'Contact: <sip:[field0]-[field1]@[local_ip]:[local_port]')
    .replaceAll('[service]', '[field0]')
    .replaceAll('[domain]', '[field1]')
    .replaceAll('[authentication]', '[field2]')
  const users = Array.from({ length: count }, (_, i) => {
    const user = numberOf(i)
    return `${user};${domainOf(i)};[authentication username=${user} password=${secretOf(i)}]`
  })
  writeFileSync(join(folder, 'register-many.xml'), scenario)
  writeFileSync(join(folder, 'users.csv'), ['SEQUENTIAL', ...users, ''].join('\n'))
  const files = ['-sf', join(folder, 'register-many.xml'), '-inf', join(folder, 'users.csv'), '-key', 'expires', '3600']
  const rate = ['-r', String(REGISTRATIONS_PER_SECOND), '-m', String(count), '-l', '5000']
  const at = ['-i', place(200).address, '-p', '25561', '-timeout', '180']
  const { succeeded, failed, retransmitted, seconds } = await played(folder, 'register', [
    ...[`${place(1).address}:25560`, ...files, ...rate, ...at],
  ])
  const perSecond = succeeded / seconds
  return line(
    `${whole(count)} telephones register with FreeSWITCH (kept in memory)`,
    `${whole(perSecond)}/s, ${failed} failed, ${retransmitted} sent again`,
    `≥ ${REGISTRATIONS_PER_SECOND}/s offered, none fails`,
    failed === 0 && succeeded === count && perSecond > REGISTRATIONS_PER_SECOND * 0.9,
  )
}

/** From the answer to the change until the tenant has no leg left. */
async function suspensions(lab: SignedIn): Promise<Line> {
  const times: number[] = []
  const tenant = { name: 'Tenant 0', slug: slugOf(0), domain: domainOf(0), timezone: 'Europe/Kyiv' }
  const status = (value: string) =>
    api(lab, '/tenants/1', { method: 'PUT', body: { ...tenant, max_extensions: 100_000, status: value } })
  for (let round = 0; round < ROUNDS; round++) {
    await lab.phones.register(desk)
    await lab.phones.register(hall)
    const answering = await lab.answered(hall)
    const calling = lab.phones.call(desk, hall.user, 20_000)
    await until('the call is up', async () => (await lab.channels()) === 2)
    await status('suspended')
    const suspended = performance.now()
    while ((await lab.channels()) > 0) await pause(2)
    times.push(performance.now() - suspended)
    answering.stop()
    await Promise.all([calling, answering.done])
    await status('active')
  }
  const most = Math.max(...times)
  return line('suspension until the calls have ended (most of 5)', milliseconds(most), '< 1 s', most < 1000)
}

const newest = async (lab: SignedIn): Promise<{ id: number; cost: string } | null> => {
  const answer = await api(lab, '/cdrs?limit=1')
  const [first] = (answer as { data: { id: number; cost: string }[] }).data
  return first ?? null
}

/** From the hang-up until the rated record is stored. */
async function records(lab: SignedIn): Promise<Line> {
  const times: number[] = []
  const taking = await lab.answered(carrier)
  for (let round = 0; round < ROUNDS; round++) {
    const before = (await newest(lab))?.id ?? 0
    const calling = lab.phones.call(desk, `+38050111${1000 + round}`, 20_000)
    await until('it is answered', async () => (await lab.ask('show channels')).split(',ACTIVE,').length === 3)
    await lab.ask(`hupall NORMAL_CLEARING accountcode ${slugOf(0)}`)
    const ended = performance.now()
    for (let last = await newest(lab); (last?.id ?? 0) <= before; last = await newest(lab)) await pause(2)
    times.push(performance.now() - ended)
    await calling
    await until('no leg is up', async () => (await lab.channels()) === 0)
  }
  taking.stop()
  const most = Math.max(...times)
  return line('hang-up until the rated record is there (most of 5)', milliseconds(most), '< 1 s', most < 1000)
}

/** Kills and restarts the daemon during calls; each answered call must have one record. */
async function restarts(lab: SignedIn): Promise<Line[]> {
  const registered = async (): Promise<number> =>
    Number(/(\d+) total/.exec(await lab.ask('show registrations count'))?.[1] ?? Number.NaN)
  const before = { id: (await newest(lab))?.id ?? 0, registered: await registered() }
  const taking = await lab.phones.answer(carrier, 1_000)
  const { domain = '', address, port, user, secret } = desk
  const keys = ['-key', 'domain', domain, '-key', 'dial', '+380501112222', '-s', user, '-au', user, '-ap', secret]
  const pace = ['-r', String(CALLS_A_MINUTE), '-rp', '60000', '-m', '55', '-d', '1500', '-timeout', '120']
  const playing = played(lab.folder, 'calls', [
    ...[`${place(1).address}:25560`, '-sf', 'test/switch/sipp/call.xml', ...keys, ...pace],
    ...['-i', address, '-p', String(port), '-mp', '28600'],
  ])
  const began = performance.now()
  for (const at of KILLS_AT_MS) {
    await pause(at - (performance.now() - began))
    await lab.daemon.stop('SIGKILL')
    await lab.startDaemon()
  }
  const { succeeded, failed } = await playing
  taking.stop()
  await until('no record waits', async () => lab.waiting() === 0)
  const answer = await api(lab, `/cdrs?limit=1000`)
  const all = (answer as { data: { id: number; disposition: string; destination_number: string }[] }).data
  const stored = all.filter(({ id, disposition }) => id > before.id && disposition === 'ANSWERED').length
  const after = await registered()
  return [
    line(
      `daemon killed 3 times under ${CALLS_A_MINUTE} calls a minute: records of answered calls`,
      `${stored} of ${succeeded} (${failed} calls refused meanwhile)`,
      'none lost or doubled',
      stored === succeeded && succeeded > 0,
    ),
    line(
      'the same: telephones that stay registered',
      `${whole(after)} of ${whole(before.registered)}`,
      'all',
      after === before.registered,
    ),
  ]
}

/** Needs a real FreeSWITCH and sipp; says so if they are missing. */
export async function measureReal(bench: Bench): Promise<Line[]> {
  if (missing) {
    console.error(`Registrations, suspensions, records and restarts are not measured: ${missing}.`)
    return []
  }
  const environment = { TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password }
  const opened = await openLab({ net: NET, database: bench.databases.ours, environment, registrations: 'memory' })
  const lab = Object.assign(opened, { cookie: await login(opened.daemon.url) })
  try {
    await until('the gateway is there', async () => (await lab.ask('sofia status')).includes('carrier-one-'))
    const memory = lab.daemon.residentMiB() ?? 0
    const lines = [await registrations(lab, REGISTRATIONS)]
    const grown = (lab.daemon.residentMiB() ?? 0) - memory
    lines.push(line('the same: what the daemon has grown by', `${Math.round(grown)} MiB`, '', null))
    lines.push(await suspensions(lab), await records(lab), ...(await restarts(lab)))
    return lines
  } finally {
    await lab.close()
  }
}
