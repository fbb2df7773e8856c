import { Command, Option } from 'commander'

import { indexBloat, type ServerFigures } from '../../../../core/ports/system.ts'
import { smsGateways } from '../../../../core/resources/sms-gateways.ts'
import type { SmsHealth } from '../../../../core/use-cases/messaging/sms-health.ts'
import { servedState, serviceStatus } from '../../../../core/use-cases/records/status.ts'
import { type Context, type Services, say } from '../../context.ts'
import { example } from '../../help.ts'
import { spelling } from '../../naming/references.ts'
import { suggests } from '../../naming/suggestions.ts'
import { type RunCommand, takesFields, type Wiring } from '../../program.ts'
import { printRows, printValue } from '../../terminal/output.ts'
import { suggested } from '../../terminal/report.ts'
import { writeJson } from '../../terminal/streams.ts'
import { coloured, printable, styled } from '../../terminal/styles.ts'

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

export async function serveCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = new Command('serve').description('run the daemon in the foreground, until a signal ends it')
  const flags = wiring.daemonFlags.filter(({ setting }) => setting !== 'db')
  for (const { flag, about, value, choices } of flags)
    command.addOption(suggests(new Option(`${flag} <${value}>`, about), choices))
  command.option('--force', 'serve the database even if another daemon serves it already')
  example(command, 'trunkline serve --port 0 --metrics-port 0')
  return run(command, async (context, _words, values) => {
    const settings = flags.flatMap(({ flag, setting }): [string, string][] => {
      const value = values[flag.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
      return typeof value === 'string' ? [[setting, value]] : []
    })
    await wiring.serve(context.options, Object.fromEntries(settings), values['force'] === true)
  })
}

export interface DaemonState {
  readonly url: string
  readonly state: 'up' | 'down'
  /** Whether the daemon serves the open database; null while it cannot tell. */
  readonly serves_this: boolean | null
  /** Whether a daemon serves the open database, whatever its address. */
  readonly is_served: boolean
}

const ANSWERS_WITHIN_MS = 1_000

/** Checks whether the daemon answers at the configured address, and whether it serves the open database. */
export async function daemonState(wiring: Wiring, context: Context): Promise<DaemonState> {
  const { host, port } = wiring.settings(context.options).values
  const name = String(host)
  const reached = name === '0.0.0.0' ? '127.0.0.1' : name === '::' ? '[::1]' : name.includes(':') ? `[${name}]` : name
  const url = `http://${reached}:${String(port)}`
  const answerOf = (path: string): Promise<Response | null> =>
    fetch(`${url}${path}`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) }).catch(() => null)
  const services = await context.open()
  const state = (await answerOf('/healthz'))?.ok ? 'up' : 'down'
  const readiness = state === 'up' ? await answerOf('/readyz') : null
  const beatenAt = readiness?.ok ? /"beaten_at":"([^"]+)"/.exec(await readiness.text())?.[1] : undefined
  const { isServed, isByThatOne } = await servedState(services, beatenAt)
  return { url, state, serves_this: isByThatOne, is_served: isServed }
}

/** Describes what is odd about the daemon, as the end of a line; empty if nothing is. */
function oddness({ state, serves_this, is_served }: DaemonState): string {
  if (serves_this === false) return ', but it serves another database'
  return state === 'down' && is_served ? ', but one serves this database at another address' : ''
}

const membersOf = (server: ServerFigures) => ({
  connections: server.connections,
  max_connections: server.maxConnections,
  lock_wait_seconds: server.lockWaitSeconds,
  replicas: server.replicas,
  idle_slots: server.idleSlots,
  replica_lag_bytes: server.replicaLagBytes,
  search_index_bytes: server.searchIndexBytes,
  index_bloat_bytes: indexBloat(server),
  dead_rows: server.deadRows,
})

function described(server: ServerFigures): string {
  const { connections, maxConnections, lockWaitSeconds, searchIndexBytes } = server
  const bloat = indexBloat(server)
  return [
    `${connections} of ${maxConnections} connections`,
    ...(lockWaitSeconds > 0 ? [`a statement waits ${lockWaitSeconds.toFixed(1)} s for a lock`] : []),
    ...ofReplicas(server),
    `search index ${megabytes(searchIndexBytes)}`,
    ...(bloat > 0 ? [`index bloat ${megabytes(bloat)}`] : []),
  ].join(', ')
}

function ofReplicas({ replicas, idleSlots, replicaLagBytes }: ServerFigures): string[] {
  if (replicas + idleSlots.length === 0) return []
  const connected = `${replicas} ${replicas === 1 ? 'replica' : 'replicas'} connected`
  const missing = idleSlots.length === 0 ? '' : `, ${idleSlots.length} not`
  return [
    `${connected}${missing}, ${replicaLagBytes === null ? 'lag unknown' : `${megabytes(replicaLagBytes)} behind`}`,
  ]
}

const plain = (what: string, count: number): string => `${what.padEnd(14)}${String(count).padStart(10)}`

/** Says how much waits for somebody, and which command shows it. */
function waiting(context: Context, what: string, count: number, command: string): string {
  const number = String(count).padStart(10)
  return `${what.padEnd(14)}${count > 0 ? `${styled(context, 'yellow', number)}  ${suggested(command, context.options)}` : number}`
}

type SmsState = Omit<SmsHealth, 'suspects'> & {
  /** Names of gateways. */
  readonly suspect_gateways: readonly string[]
}

async function smsState({ records }: Services, { pending, overdue, suspects, routes }: SmsHealth): Promise<SmsState> {
  const suspect_gateways = await Promise.all(suspects.map(id => spelling(records, smsGateways, id)))
  return { pending, overdue, suspect_gateways, routes }
}

function linesOfSms(context: Context, { pending, overdue, suspect_gateways: suspects, routes }: SmsState): string[] {
  return [
    plain('SMS pending', pending),
    waiting(context, 'SMS overdue', overdue, 'trunkline sms list --stuck'),
    waiting(context, 'SMS suspect', suspects.length, 'trunkline doctor'),
    ...suspects.map(name => `${' '.repeat(24)}  ${printable(name)}`),
    plain('SMS routes', routes),
  ]
}

export async function statusCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const command = example(
    new Command('status').description(
      'how many records there are, when each kind was last written (by the newest record and the audit trail), how many calls are unrated or in quarantine, how SMS messages and gateways fare, and whether the daemon is up and serves this database',
    ),
    'trunkline status',
  )
  return run(command, async context => {
    const services = await context.open()
    const { database, unrated, quarantined, sms: health } = await serviceStatus(services)
    const { path, bytes, logBytes, schema, server, counts, lastWrites } = database
    const sms = await smsState(services, health)
    const daemon = await daemonState(wiring, context)
    const records = Object.entries(counts).map(([name, count]) => ({ name, count, last: lastWrites[name] ?? '' }))
    await printValue(
      context,
      {
        ...{ path, bytes, log_bytes: logBytes, schema, ...(server ? { server: membersOf(server) } : {}) },
        ...{ counts, last_writes: lastWrites, unrated, quarantined, sms, daemon },
      },
      () => [
        `database  ${path} (${megabytes(bytes)}, log ${megabytes(logBytes)}, schema ${schema})`,
        ...(server ? [`server    ${described(server)}`] : []),
        `daemon    ${coloured(context, daemon.state)} (${daemon.url})${oddness(daemon)}`,
        '',
        ...records.map(({ name, count, last }) =>
          `${name.padEnd(14)}${String(count).padStart(10)}  ${last && `last written ${last}`}`.trimEnd(),
        ),
        '',
        waiting(context, 'unrated calls', unrated, 'trunkline cdr list --unrated'),
        waiting(context, 'in quarantine', quarantined, 'trunkline cdr quarantine list'),
        ...linesOfSms(context, sms),
      ],
    )
  })
}

export async function configCommand(run: RunCommand, wiring: Wiring): Promise<Command> {
  const group = new Command('config').description('the settings in force')
  const show = example(
    new Command('show').description('every setting, its value and where it comes from'),
    'trunkline config show',
  )
  group.addCommand(
    run(takesFields(show), async context => {
      const { values, sources } = wiring.settings(context.options)
      const rows = Object.entries(values).map(([setting, value]) => ({
        setting,
        value,
        source: sources[setting] ?? '',
      }))
      await printRows(context, { setting: 'text', value: 'json', source: 'text' }, rows)
    }),
  )
  const check = example(
    new Command('check').description('check the settings, and fail if one is wrong'),
    'trunkline config check',
  )
  group.addCommand(
    run(check, async context => {
      const { file } = wiring.settings(context.options)
      if (context.options.output === 'table') return say(context, `The settings are right${file ? ` (${file})` : ''}.`)
      await writeJson(context.io, `${JSON.stringify({ right: true, file })}\n`)
    }),
  )
  return group
}
