import type { Logger } from 'pino'
import { http, type Metrics, type RunningServer } from '../../adapters/http/http.ts'
import type { Settings } from '../../config/settings.ts'
import { indexBloat, type ServerFigures } from '../../core/ports/system.ts'
import type { Gauges } from '../../core/ports/upkeep.ts'
import { SUSPECT_AFTER } from '../../core/sms/health.ts'
import { overdueMessages, suspectGateways } from '../../core/use-cases/messaging/sms-health.ts'
import type { Trunkline } from '../compose.ts'
import type { Background } from './background.ts'
import { lastBackupAt } from './backups.ts'
import type { SwitchState } from './hold-switches.ts'
import { UPKEEP } from './upkeep/upkeep.ts'

interface GatewayCount {
  readonly gateway: number
  readonly count: number
}

/** Adds gauges that are computed on request: the state of the database, the feeds and the backups. */
export function addGauges(
  { gauge }: Metrics,
  { storage: { gauges, calls, smsReports }, clock }: Trunkline,
  background: Pick<Background, 'feeds' | 'duties'>,
  { backup_every, backup_dir }: Settings,
): void {
  const perGateway = (name: string, help: string, counts: () => Promise<readonly GatewayCount[]>): void =>
    gauge(
      name,
      help,
      async () =>
        (await counts()).map(({ gateway, count }) => ({ labels: { gateway: String(gateway) }, value: count })),
      ['gateway'],
    )
  gauge('trunkline_database_wal_bytes', "Size of the database's write-ahead log", gauges.logBytes)
  addServerGauges(gauge, gauges)
  perGateway('trunkline_sms_receipts_parked', 'Receipts that wait for their message', gauges.parkedReceipts)
  perGateway('trunkline_sms_gateway_suspect', `1 for a gateway whose last ${SUSPECT_AFTER} sends failed`, async () =>
    (await suspectGateways({ smsReports })).map(gateway => ({ gateway, count: 1 })),
  )
  perGateway(
    'trunkline_sms_overdue_messages',
    'Messages without a final status an hour after they were requested',
    () => overdueMessages({ smsReports, clock }),
  )
  gauge(
    'trunkline_feed_lag_bytes',
    'Bytes of call records that are not stored yet',
    () => background.feeds.map(feed => ({ labels: { feed: feed.state().name }, value: feed.state().lag })),
    ['feed'],
  )
  gauge(
    'trunkline_feed_failing',
    '1 for a feed of call records that cannot be read or stored; the log says why',
    () =>
      background.feeds.map(feed => ({ labels: { feed: feed.state().name }, value: Number(feed.state().isFailing) })),
    ['feed'],
  )
  gauge('trunkline_quarantine_records', 'Call records that could not be used', calls.quarantineCount)
  if (backup_every > 0)
    gauge('trunkline_last_backup_timestamp_seconds', "When the newest of the daemon's backups was begun", () =>
      background.duties.has(UPKEEP) ? lastBackupAt(backup_dir) : [],
    )
  gauge(
    'trunkline_duty_held',
    '1 for a duty that this daemon has, 0 for one that another has; over all daemons of a database, the sum is 1',
    () => background.duties.all().map(duty => ({ labels: { duty }, value: Number(background.duties.has(duty)) })),
    ['duty'],
  )
}

/** Adds the figures of a database server; none for a file. */
function addServerGauges(gauge: Metrics['gauge'], { server }: Gauges): void {
  let reading: Promise<ServerFigures | null> | null = null
  /** The gauges of one request are asked together. */
  const read = (): Promise<ServerFigures | null> => {
    reading ??= server().finally(() => {
      reading = null
    })
    return reading
  }
  const add = (name: string, help: string, value: (figures: ServerFigures) => number | null): void =>
    gauge(`trunkline_database_${name}`, help, async () => {
      const figures = await read()
      const measured = figures && value(figures)
      return measured === null ? [] : measured
    })
  add('connections', 'Connections to the database server', ({ connections }) => connections)
  add('connections_max', 'Connections that the database server allows', ({ maxConnections }) => maxConnections)
  add('lock_wait_seconds', 'The longest wait for a lock', ({ lockWaitSeconds }) => lockWaitSeconds)
  add('replicas', 'Connected replicas', ({ replicas }) => replicas)
  add('idle_slots', 'Replication slots without a connected replica', ({ idleSlots }) => idleSlots.length)
  add('replica_lag_bytes', 'What the replica furthest behind has not applied', each => each.replicaLagBytes)
  add('search_index_bytes', 'Size of the search indexes', ({ searchIndexBytes }) => searchIndexBytes)
  add('index_bloat_bytes', 'About what large indexes would take less if they were built again', indexBloat)
  add('dead_rows', 'Changed and deleted rows that still take space, in tables with many', ({ deadRows }) =>
    deadRows.reduce((sum, { dead }) => sum + dead, 0),
  )
}

/** Adds what the daemon alone knows of the switches; `trunkline switch status` reads it. */
export function addSwitchGauges({ gauge }: Metrics, switches: Background['switches']): void {
  const perSwitch = (name: string, help: string, value: (state: SwitchState) => number | null): void =>
    gauge(
      `trunkline_switch_${name}`,
      help,
      () =>
        switches().flatMap(state => {
          const measured = value(state)
          return measured === null ? [] : [{ labels: { switch: state.kind }, value: measured }]
        }),
      ['switch'],
    )
  perSwitch('connected', '1 while the daemon is connected to the switch', ({ isConnected }) => Number(isConnected))
  perSwitch(
    'reconciled_timestamp_seconds',
    'When the switch last agreed with the database',
    ({ reconciledAt }) => reconciledAt,
  )
  perSwitch('reloads_pending', 'Files that the switch has not loaded yet', ({ pending }) => pending.length)
}

/** Serves the metrics. The service must not fail because of them: a port in use only causes a warning. */
export async function watch(
  metrics: Metrics,
  { metrics_port: port }: Settings,
  log: Logger,
): Promise<RunningServer | null> {
  if (port === 0) return null
  try {
    const server = await http.serveMetrics(metrics, port)
    log.info(`metrics at ${server.url}/metrics`)
    return server
  } catch (error) {
    log.warn({ err: error }, 'no metrics are served')
    return null
  }
}
