import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isShown, MODULES, markerIn } from '../../../adapters/asterisk/marked.ts'
import { FILES } from '../../../adapters/asterisk/render/files.ts'
import { freePort, idOf, type Lab, openLab, placesIn, skip, until, upCalls } from '../../switch/lab/asterisk.ts'
import type { PhoneAt } from '../../switch/telephones.ts'
import { FULL_SIZE } from '../dataset.ts'
import { milliseconds, whole } from '../figures.ts'
import { hasProgram } from '../load.ts'
import type { Bench } from '../rows/row.ts'
import { ADMIN } from '../servers.ts'
import type { Line } from '../table.ts'
import { CARRIER as AT, domainOf, NET, numberOf, secretOf, slugOf } from './world.ts'

const { phone } = placesIn(NET)
const CARRIER = { address: AT.host, port: AT.port }
const missing = !hasProgram('sipp') ? 'sipp is not installed' : skip
const ROUNDS = 5
type Where = 'file' | 'database'
const WHERE: Readonly<Record<Where, string>> = { file: '', database: ', from a database' }
const CHANGED = 10
/** Beyond those that call. */
const FIRST_CHANGED = 20
/** A reload of many telephones takes seconds, and the next one rests ten times as long. */
const PATIENCE_MS = 180_000

const line = (what: string, baseline: number | null, ours: number, goal: number): Line => ({
  what,
  baseline: baseline === null ? '' : milliseconds(baseline),
  ours: milliseconds(ours),
  ratio: baseline === null ? '' : (ours / baseline).toFixed(2),
  goal: `< ${milliseconds(goal)}`,
  met: ours < goal,
})

const userOf = (n: number): string => `${slugOf(0)}-${numberOf(n * FULL_SIZE.tenants)}`
const phoneOf = (n: number): PhoneAt => ({
  ...phone(userOf(n), 11 + n),
  secret: secretOf(n * FULL_SIZE.tenants),
})
const [desk, hall] = [phoneOf(0), phoneOf(1)]

const fileOf = ({ folder }: Lab, name: string): string => join(folder, 'etc/trunkline', `${name}.conf`)

/** True once Asterisk shows the markers of the files as they are. */
async function isLoaded(lab: Lab): Promise<boolean> {
  for (const name of FILES) {
    const marker = markerIn(readFileSync(fileOf(lab, name), 'utf8'))
    if (marker === null || !isShown(await lab.ask(MODULES[name].show(marker)), marker)) return false
  }
  return true
}
/** Resolves once Asterisk shows the files, and no reload is under way. */
const loaded = async (lab: Lab, metricsPort: number): Promise<void> => {
  await until('every file is loaded', () => isLoaded(lab).catch(() => false), PATIENCE_MS)
  const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  await until('no reload is pending', async () => (await metrics()).includes(`${PENDING} 0\n`), PATIENCE_MS)
}
const PENDING = 'trunkline_switch_reloads_pending{switch="asterisk"}'

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await act()
  return performance.now() - began
}

/** New secrets, which do not rest after the reload before. From the answer to the last change until Asterisk shows it; beside it, what Asterisk alone takes to reload unchanged files. */
async function changes(lab: Lab, metricsPort: number, telephones: Where): Promise<Line> {
  const alone = await timed(() => lab.ask(`module reload ${MODULES.pjsip.module}`))
  const display_name = `Changed ${Date.now()}`
  const secret = `new-${Date.now()}`
  const changed = await Promise.all(
    Array.from({ length: CHANGED }, (_, n) => {
      const i = (FIRST_CHANGED + n) * FULL_SIZE.tenants
      const given = {
        tenant_id: 1,
        extension_number: numberOf(i),
        display_name,
        secret,
        status: 'active',
      }
      return lab.api('PUT', `/api/extensions/${i + 1}`, given)
    }),
  )
  changed.map(idOf)
  const last = userOf(FIRST_CHANGED + CHANGED - 1)
  const began = performance.now()
  const isInForce = async (): Promise<boolean> => (await lab.ask(`pjsip show endpoint ${last}`)).includes(display_name)
  await until('it is in force', isInForce, PATIENCE_MS)
  const shown = performance.now() - began
  await loaded(lab, metricsPort)
  const what = `${CHANGED} of ${whole(FULL_SIZE.extensions)} telephones changed until ${telephones === 'file' ? 'the reload is over' : 'the last file is loaded'}${WHERE[telephones]}`
  const found = line(what, alone, performance.now() - began, 1_500)
  return { ...found, ours: `${found.ours} (in force after ${milliseconds(shown)})` }
}

/** Once only: the tenant's telephones are back after a reload, which may rest for minutes. */
async function suspension(lab: Lab): Promise<Line> {
  const tenant = { name: 'Tenant 0', slug: slugOf(0), domain: domainOf(0), timezone: 'Europe/Kyiv' }
  const answering = await lab.answered(hall)
  const calling = lab.phones.call(desk, numberOf(FULL_SIZE.tenants), 20_000)
  await until('the call is up', async () => (await upCalls(lab)) === 2)
  idOf(await lab.api('PUT', '/api/tenants/1', { ...tenant, max_extensions: 100_000, status: 'suspended' }))
  const ms = await timed(() => until('no channel is left', async () => (await upCalls(lab)) === 0, PATIENCE_MS))
  answering.stop()
  await Promise.all([calling, answering.done])
  return line('suspension until the call has ended, on Asterisk', null, ms, 1_000)
}

async function newest(lab: Lab): Promise<number> {
  const { data } = await lab.api('GET', '/api/cdrs?limit=1')
  const [first] = Array.isArray(data) ? data : []
  return Number(first?.id ?? 0)
}

/** From the hang-up until the rated record is there; beside it, until Asterisk has written its row. */
async function records(lab: Lab): Promise<Line> {
  const path = join(lab.folder, 'log/cdr-csv/Master.csv')
  const size = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const [rows, rated]: [number[], number[]] = [[], []]
  const taking = await lab.answered(CARRIER)
  for (let round = 0; round < ROUNDS; round++) {
    const before = { id: await newest(lab), size: size() }
    const { code } = await lab.phones.call(desk, `+38050111${1000 + round}`, 1_000)
    if (code !== 0) throw new Error('A call through the carrier was not connected.')
    const ended = performance.now()
    const since = async (isThere: () => Promise<boolean>): Promise<number> => {
      while (!(await isThere())) await pause(1)
      return performance.now() - ended
    }
    rows.push(await since(async () => size() > before.size))
    rated.push(await since(async () => (await newest(lab)) > before.id))
  }
  taking.stop()
  return line(
    `hang-up until the rated record is there, on Asterisk (most of ${ROUNDS})`,
    Math.max(...rows),
    Math.max(...rated),
    1_000,
  )
}

interface Started {
  readonly lab: Lab
  readonly metricsPort: number
  readonly start: Line
}

/** Runs `measure` on a newly started daemon and Asterisk. */
async function started(
  bench: Bench,
  telephones: Where,
  measure: (started: Started) => Promise<Line[]>,
): Promise<Line[]> {
  const metricsPort = await freePort()
  const environment = {
    ...{ TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password },
    TRUNKLINE_METRICS_PORT: String(metricsPort),
  }
  const began = performance.now()
  const lab = await openLab(NET, { database: bench.databases.ours, environment, telephones })
  try {
    await until('the files are written', async () => FILES.every(name => existsSync(fileOf(lab, name))), PATIENCE_MS)
    const written = performance.now() - began
    await loaded(lab, metricsPort)
    const ms = performance.now() - began
    await lab.api('POST', '/api/admin/login', ADMIN)
    const memory = Math.round(lab.daemon.residentMiB() ?? 0)
    for (const each of [desk, hall])
      await until('it registers', async () => (await lab.phones.register(each)).code === 0)
    const what = `start of the daemon until Asterisk has loaded ${whole(FULL_SIZE.extensions)} telephones${WHERE[telephones]}`
    const start = line(what, null, ms, 10_000)
    const ours = `${start.ours} (files written after ${milliseconds(written)}), ${memory} MiB`
    return await measure({ lab, metricsPort, start: { ...start, ours } })
  } finally {
    await lab.close()
  }
}

/** Needs a real Asterisk and sipp; says so if they are missing. */
export async function measureAsterisk(bench: Bench): Promise<Line[]> {
  if (missing) {
    console.error(`Asterisk is not measured: ${missing}.`)
    return []
  }
  const inDatabase = await started(bench, 'database', async ({ lab, metricsPort, start }) => [
    start,
    await changes(lab, metricsPort, 'database'),
  ])
  const inFile = await started(bench, 'file', async ({ lab, metricsPort, start }) => {
    const [hungUp, changed] = [await records(lab), await changes(lab, metricsPort, 'file')]
    return [start, changed, await suspension(lab), hungUp]
  })
  return [...inFile, ...inDatabase]
}
