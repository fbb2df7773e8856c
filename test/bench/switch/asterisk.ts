import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isShown, MODULES, markerIn } from '../../../adapters/asterisk/marked.ts'
import { FILES } from '../../../adapters/asterisk/render/files.ts'
import { idOf, type Lab, openLab, placesIn, skip, until, upCalls } from '../../switch/lab/asterisk.ts'
import type { PhoneAt } from '../../switch/telephones.ts'
import { FULL_SIZE } from '../dataset.ts'
import { milliseconds, whole } from '../figures.ts'
import { hasProgram } from '../load.ts'
import type { Bench } from '../rows/row.ts'
import { ADMIN } from '../servers.ts'
import type { Line } from '../table.ts'
import { domainOf, NET, numberOf, secretOf, slugOf } from './world.ts'

const { carrier, phone } = placesIn(NET)
const missing = !hasProgram('sipp') ? 'sipp is not installed' : skip
const ROUNDS = 5
const SUSPENSIONS = 2
const CHANGED = 10
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

/** True once Asterisk shows the markers of the files as they are. */
async function isLoaded(lab: Lab): Promise<boolean> {
  for (const name of FILES) {
    const marker = markerIn(readFileSync(join(lab.folder, 'etc/trunkline', `${name}.conf`), 'utf8'))
    if (marker === null || !isShown(await lab.ask(MODULES[name].show(marker)), marker)) return false
  }
  return true
}
const loaded = (lab: Lab): Promise<boolean> =>
  until('every file is loaded', () => isLoaded(lab).catch(() => false), PATIENCE_MS)

async function timed(act: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await act()
  return performance.now() - began
}

/** From the answer to the last change until Asterisk shows it; beside it, what a reload of unchanged files takes. */
async function changes(lab: Lab): Promise<Line> {
  const alone = await timed(() => lab.ask(`module reload ${MODULES.pjsip.module}`))
  const display_name = `Changed ${Date.now()}`
  for (let n = 0; n < CHANGED; n++) {
    const i = n * FULL_SIZE.tenants
    const given = { tenant_id: 1, extension_number: numberOf(i), display_name, secret: secretOf(i), status: 'active' }
    idOf(await lab.api('PUT', `/api/extensions/${i + 1}`, given))
  }
  const last = userOf(CHANGED - 1)
  const ms = await timed(() =>
    until(
      'it is shown',
      async () => (await lab.ask(`pjsip show endpoint ${last}`)).includes(display_name),
      PATIENCE_MS,
    ),
  )
  return line(
    `${CHANGED} of ${whole(FULL_SIZE.extensions)} telephones changed until Asterisk has them`,
    alone,
    ms,
    1_500,
  )
}

async function suspensions(lab: Lab): Promise<Line> {
  const tenant = { name: 'Tenant 0', slug: slugOf(0), domain: domainOf(0), timezone: 'Europe/Kyiv' }
  const status = (value: string) =>
    lab.api('PUT', '/api/tenants/1', { ...tenant, max_extensions: 100_000, status: value }).then(idOf)
  const times: number[] = []
  for (let round = 0; round < SUSPENSIONS; round++) {
    for (const each of [desk, hall])
      await until('it registers', async () => (await lab.phones.register(each)).code === 0)
    const answering = await lab.answered(hall)
    const calling = lab.phones.call(desk, numberOf(FULL_SIZE.tenants), 20_000)
    await until('the call is up', async () => (await upCalls(lab)) === 2)
    await status('suspended')
    times.push(await timed(() => until('no channel is left', async () => (await upCalls(lab)) === 0)))
    answering.stop()
    await Promise.all([calling, answering.done])
    await status('active')
    await loaded(lab)
  }
  return line(
    `suspension until the calls have ended, on Asterisk (most of ${SUSPENSIONS})`,
    null,
    Math.max(...times),
    1_000,
  )
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
  const taking = await lab.answered(carrier)
  for (let round = 0; round < ROUNDS; round++) {
    const before = { id: await newest(lab), size: size() }
    const calling = lab.phones.call(desk, `+38050111${1000 + round}`, 1_000)
    await until('it is answered', async () => (await upCalls(lab)) === 2)
    await calling
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

/** Needs a real Asterisk and sipp; says so if they are missing. */
export async function measureAsterisk(bench: Bench): Promise<Line[]> {
  if (missing) {
    console.error(`Asterisk is not measured: ${missing}.`)
    return []
  }
  const environment = { TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password }
  const began = performance.now()
  const lab = await openLab(NET, { database: bench.databases.ours, environment })
  try {
    await loaded(lab)
    const start = performance.now() - began
    await lab.api('POST', '/api/admin/login', ADMIN)
    const memory = lab.daemon.residentMiB() ?? 0
    for (const each of [desk, hall])
      await until('it registers', async () => (await lab.phones.register(each)).code === 0)
    const [hungUp, changed, suspended] = [await records(lab), await changes(lab), await suspensions(lab)]
    const started = line(
      `start of the daemon until Asterisk has loaded ${whole(FULL_SIZE.extensions)} telephones`,
      ...([null, start, 10_000] as const),
    )
    const ours = `${started.ours}, ${Math.round(memory)} MiB`
    return [{ ...started, ours }, changed, suspended, hungUp]
  } finally {
    await lab.close()
  }
}
