import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Command } from 'commander'
import { AppError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { resources } from '../../core/resources/all.ts'
import { rates } from '../../core/resources/rates.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { smsGateways } from '../../core/resources/sms-gateways.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { gatewayOptions } from '../../core/sms/gateway-options.ts'
import { cell, objects } from './columns.ts'
import { quoted } from './command-line.ts'
import type { Context, Services } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import { example } from './help.ts'
import { raising } from './limits.ts'
import { printValue } from './output.ts'
import type { RunCommand, Wiring } from './program.ts'
import { labelOf, pluralOf } from './references.ts'
import { suggested } from './report.ts'
import { commandOf } from './resource-names.ts'
import { mayBeShared } from './same-key.ts'
import { daemonState, megabytes } from './service-commands.ts'
import { styled } from './styles.ts'

interface Finding {
  readonly [member: string]: string
  readonly finding: string
  /** The command that mends it. */
  readonly mend: string
}

/** What is looked into: the settings, and the database that they name. */
interface Patient {
  readonly settings: Readonly<Record<string, unknown>>
  readonly services: Services
}

type Examination = (patient: Patient) => Promise<Finding[]>

export async function doctorCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = example(
    new Command('doctor').description('find what is wrong, and the command that mends it'),
    'trunkline doctor',
  )
  return run(command, async context => {
    const found = await examine(context, wiring)
    const findings = found.map(({ finding, mend }) => ({ finding, mend: suggested(mend, context.options) }))
    await printValue(context, findings, () =>
      findings.length === 0
        ? `${styled(context, 'green', 'ok')}: nothing is wrong\n`
        : findings
            .map(({ finding, mend }) => `${styled(context, 'red', 'found')}: ${finding}\n mend: ${mend}\n`)
            .join(''),
    )
    return findings.length === 0 ? EXIT.ok : EXIT.negative
  })
}

async function examine(context: Context, wiring: Wiring): Promise<Finding[]> {
  const findings: Finding[] = []
  let path = ''
  try {
    const settings = wiring.settings(context.options).values
    path = context.options.db ?? String(settings['db'])
    findings.push(...examineFile(path))
    const patient = { settings, services: await context.open() }
    for (const examination of EXAMINATIONS) findings.push(...(await examination(patient)))
    const { state, url, serves_this } = await daemonState(wiring, context)
    if (serves_this === false)
      findings.push({ finding: `the daemon at ${url} serves another database`, mend: 'trunkline config show' })
    if (state === 'down') findings.push({ finding: `the daemon does not answer at ${url}`, mend: 'trunkline serve' })
  } catch (error) {
    // What keeps the database from being opened is a finding like the others, and the last.
    findings.push(openingFailure(error, path))
  }
  return findings
}

function openingFailure(error: unknown, path: string): Finding {
  if (!(error instanceof AppError || error instanceof CliError)) throw error
  const finding = error.message.replace(/\.$/, '')
  if (error instanceof AppError && error.code === 'read_only')
    return { finding, mend: `ls -ld ${quoted(dirname(path))} ${quoted(path)}` }
  const hint = error instanceof AppError ? error.details.hint : error.hint
  return { finding, mend: typeof hint === 'string' ? hint : 'trunkline config check' }
}

function examineFile(path: string): Finding[] {
  if (!existsSync(path)) return []
  const findings: Finding[] = []
  const folder = dirname(path)
  const { mode, uid, size } = statSync(path)
  const file = quoted(path)
  if ((mode & 0o077) !== 0) findings.push({ finding: `${path} can be read by others`, mend: `chmod 600 ${file}` })
  if (uid !== statSync(folder).uid)
    findings.push({
      finding: `${path} does not belong to the owner of its folder, so that the daemon may not be able to write it`,
      mend: `chown --reference=${quoted(folder)} ${[file, `${file}-wal`, `${file}-shm`].filter((name, i) => i === 0 || existsSync(name)).join(' ')}`,
    })
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < size + 64e6)
    findings.push({ finding: `${folder} has only ${megabytes(bavail * bsize)} left`, mend: `du -xh ${quoted(folder)}` })
  return findings
}

const LARGE_LOG = 256e6

const examineDatabase: Examination = async ({ services: { maintenance, accounts } }) => {
  const damages = (await maintenance.check()).map(finding => ({ finding, mend: 'trunkline db restore BACKUP' }))
  const { logBytes } = await maintenance.statistics()
  const usable = (await accounts.list()).filter(({ disabled }) => !disabled)
  return [
    ...damages,
    ...(logBytes > LARGE_LOG
      ? [{ finding: `the write-ahead log has grown to ${megabytes(logBytes)}`, mend: 'systemctl restart trunklined' }]
      : []),
    ...(usable.length === 0
      ? [{ finding: 'no account can log in', mend: 'trunkline admin create admin@example.com --random-password' }]
      : []),
  ]
}

async function* recordsOf(
  { services }: Pick<Patient, 'services'>,
  resource: Resource,
  view: 'plain' | 'list' = 'plain',
): AsyncIterable<JsonObject> {
  for await (const page of services.records.list(resource, { view })) yield* objects(`[${page.json}]`)
}

/** Parents that have more records than they may. */
const examineLimits: Examination = async patient => {
  const findings: Finding[] = []
  for (const resource of resources) {
    const { limit } = resource
    const parent = resources.find(({ name }) => name === limit?.parent)
    const count = parent?.embeds.find(embed => embed.kind === 'count' && embed.of === resource.name)
    if (!parent || !limit || !count) continue
    for await (const row of recordsOf(patient, parent, 'list')) {
      const allowed = Number(cell(row[limit.max]))
      const stored = Number(cell(row[count.name]))
      if (stored <= allowed) continue
      const key = cell(row[parent.key[0] ?? 'id'])
      findings.push({
        finding: `${labelOf(parent)} ${key} has ${stored} ${pluralOf(resource)}, and may have ${allowed}`,
        mend: raising(limit, key, stored),
      })
    }
  }
  return findings
}

const AT_MOST = 10

interface Duplicate {
  readonly id: string
  readonly isInUse: boolean
}

/**
 * Which of two with the same key is to stay: the one in use. Of two alike it is the newer of rates, since that counts,
 * and the older of others, since the rest was set up with it.
 */
const staying = (newer: Duplicate, older: Duplicate, { name }: Resource): Duplicate => {
  const isNewer = newer.isInUse === older.isInUse ? name === rates.name : newer.isInUse
  return isNewer ? newer : older
}

/** Records with the same natural key, where the API allows that. */
const examineDuplicates: Examination = async patient => {
  const findings: Finding[] = []
  for (const resource of resources) {
    if (!mayBeShared(resource)) continue
    const kept = new Map<string, Duplicate>()
    let found = 0
    for await (const row of recordsOf(patient, resource)) {
      const key = JSON.stringify(resource.key.map(name => cell(row[name])))
      const older = { id: cell(row['id']), isInUse: row['status'] === 'active' }
      const newer = kept.get(key)
      const stays = newer ? staying(newer, older, resource) : older
      kept.set(key, stays)
      if (!newer || found++ >= AT_MOST) continue
      const goes = stays === newer ? older : newer
      findings.push({
        finding: `${pluralOf(resource)} ${newer.id} and ${older.id} have the same ${resource.key.join(' and ')} (${cell(row[resource.key.at(-1) ?? 'id'])})`,
        mend: `trunkline ${commandOf(resource)} delete id:${goes.id}`,
      })
    }
  }
  return findings
}

/** Receipts that are refused, not checked, or have no way back. */
const examineGateways: Examination = async patient => {
  const findings: Finding[] = []
  let reached = 0
  for await (const row of recordsOf(patient, smsGateways)) {
    const name = cell(row['name'])
    const meta = isJsonObject(row['meta']) ? row['meta'] : {}
    const { tokenIn } = gatewayOptions(row['meta'] === null ? null : cell(row['meta']))
    if (!/^(?:localhost|127\..*|::1|\[::1\])$/.test(cell(row['server_host']))) reached++
    if ((row['callback_token'] === null || tokenIn !== null) && tokenIn !== 'unreadable') continue
    const mended = JSON.stringify({ ...meta, dlr_token_in: 'query:token' })
    findings.push({
      finding:
        tokenIn === 'unreadable'
          ? `the dlr_token_in of gateway ${name} cannot be read, so that every receipt is refused`
          : `gateway ${name} has a callback token that nobody checks`,
      mend: `trunkline gateway update ${quoted(name)} --meta ${quoted(mended)}`,
    })
  }
  if (reached > 0 && patient.settings['base_url'] === null)
    findings.push({
      finding: 'gateways elsewhere cannot send receipts to this host, since base_url is not set',
      mend: 'export TRUNKLINE_BASE_URL=https://pbx.example.com',
    })
  return findings
}

/** Call records that are to be followed and cannot be. */
const examineFeeds: Examination = async ({ settings, services: { records } }) => {
  const findings: Finding[] = []
  const feeds: readonly unknown[] = Array.isArray(settings['feeds']) ? settings['feeds'] : []
  for (const feed of feeds.filter(isJsonObject)) {
    const path = cell(feed['path'])
    const tenant = cell(feed['tenant'])
    try {
      accessSync(path, constants.R_OK)
    } catch {
      findings.push({ finding: `the call records of ${path} cannot be read`, mend: `ls -l ${quoted(path)}` })
    }
    if (tenant !== '' && (await records.identify(tenants, { slug: tenant })).length === 0)
      findings.push({
        finding: `the feed of ${path} is for a tenant ${tenant} that is not there`,
        mend: `trunkline tenant create --slug ${quoted(tenant)}`,
      })
  }
  return findings
}

/** Calls that are not billed until somebody acts. */
const examineQuarantine: Examination = async ({ services: { calls } }) => {
  const count = await calls.quarantineCount()
  if (count === 0) return []
  const finding = `${count} ${count === 1 ? 'call record waits' : 'call records wait'} in quarantine`
  return [{ finding, mend: 'trunkline cdr quarantine list' }]
}

const EXAMINATIONS: readonly Examination[] = [
  examineDatabase,
  examineLimits,
  examineDuplicates,
  examineGateways,
  examineFeeds,
  examineQuarantine,
]
