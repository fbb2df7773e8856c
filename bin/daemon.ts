import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { httpApp } from '../adapters/http/app.ts'
import { createMetrics, type Metrics, serveMetrics } from '../adapters/http/metrics.ts'
import { type RunningServer, serve } from '../adapters/http/server.ts'
import type { Follower } from '../adapters/pbx/follow.ts'
import { figures } from '../adapters/sqlite/figures.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../core/errors.ts'
import { readCredentials } from '../core/use-cases/sign-in.ts'
import { lastBackupAt } from './backups.ts'
import { compose, type Opening, type Trunkline } from './compose.ts'
import { startFeeds } from './feeds.ts'
import { createLog } from './log.ts'
import { startUpkeep, tellReady } from './upkeep.ts'

/** What a browser, a gateway or a client in flight may still take once the daemon is told to stop. */
const GRACE_MS = 20_000

export interface Daemon {
  readonly url: string
  /** Stops accepting, finishes what is in flight, puts the log away and closes the database. */
  stop(): Promise<void>
}

export interface FirstAccount {
  readonly email?: string | undefined
  readonly password?: string | undefined
}

/** Starts the service. `print` gets the lines for standard output. Throws AppError. */
export async function startDaemon(
  settings: Settings,
  first: FirstAccount,
  print: (line: string) => void,
): Promise<Daemon> {
  const { log, flush } = createLog(settings.log_level)
  let server: RunningServer
  let listeningAt = `http://${settings.host}:${settings.port}`
  const baseUrl = (): string => settings.base_url ?? listeningAt
  const metrics = createMetrics()
  const opening: Opening = {
    create: true,
    migrate: true,
    onCommit: metrics.onCommit,
    onUpgrade: upgrade => log.warn(upgrade, 'the database has an older schema: it is copied, then upgraded'),
  }
  const trunkline = compose(settings, baseUrl, opening, {}, metrics)
  try {
    await makeFirstAccount(trunkline, first, print)
    await trunkline.messaging.sweep()
    const { administration, messaging, signIn, storage } = trunkline
    const beat = (): Promise<void> => storage.beat()
    const trustedProxies = settings.trusted_proxies
    server = await serve(url => {
      listeningAt = url
      return httpApp({ administration, messaging, signIn, beat, log, baseUrl: baseUrl(), trustedProxies, metrics })
    }, settings)
  } catch (error) {
    await trunkline.close()
    throw error
  }
  const metricsServer = await watch(trunkline, metrics, settings, log)
  const background = new AbortController()
  const upkeep = startUpkeep(trunkline, settings, log, background.signal)
  const feeds = startFeeds(settings.feeds, trunkline.storage.calls, background.signal, log)
  watchFeeds(metrics, feeds, trunkline)
  tellReady(log)
  print(`trunklined listening on ${server.url}`)
  return {
    url: server.url,
    stop: async () => {
      await server.stop(GRACE_MS)
      await metricsServer?.stop(0)
      background.abort()
      await Promise.all([upkeep, ...feeds.map(({ done }) => done)])
      await trunkline.close()
      log.info('stopped')
      flush()
    },
  }
}

/** Serves the metrics. What is watched must not fail for its watcher: a port that is taken costs a warning. */
async function watch(
  { storage }: Trunkline,
  metrics: Metrics,
  { metrics_port: port, backup_every, backup_dir }: Settings,
  log: Logger,
): Promise<RunningServer | null> {
  if (port === 0) return null
  const { walBytes, parkedReceipts } = figures(storage.connection)
  metrics.gauge('trunkline_database_wal_bytes', "Size of the database's write-ahead log", walBytes)
  metrics.gauge(
    'trunkline_sms_receipts_parked',
    'Receipts that wait for their message',
    () => parkedReceipts().map(({ gateway, count }) => ({ labels: { gateway: String(gateway) }, value: count })),
    ['gateway'],
  )
  if (backup_every > 0)
    metrics.gauge('trunkline_last_backup_timestamp_seconds', "When the newest of the daemon's backups was begun", () =>
      lastBackupAt(backup_dir),
    )
  try {
    const server = await serveMetrics(metrics, port)
    log.info(`metrics at ${server.url}/metrics`)
    return server
  } catch (error) {
    log.warn({ err: error }, 'no metrics are served; set TRUNKLINE_METRICS_PORT to a free port, or to 0 for none')
    return null
  }
}

function watchFeeds(metrics: Metrics, feeds: readonly Follower[], { storage }: Trunkline): void {
  metrics.gauge(
    'trunkline_feed_lag_bytes',
    'Bytes of call records that are not stored yet',
    () => feeds.map(feed => ({ labels: { feed: feed.state().name }, value: feed.state().lag })),
    ['feed'],
  )
  metrics.gauge('trunkline_quarantine_records', 'Call records that could not be used', () =>
    storage.calls.quarantineCount(),
  )
}

/** An account to log in with, when there is none yet: the named one, or one with a random password that is printed. */
async function makeFirstAccount(
  { storage, passwords }: Trunkline,
  first: FirstAccount,
  print: (line: string) => void,
): Promise<void> {
  if ((await storage.accounts.count()) > 0) return
  const { email, password } = firstCredentials(first)
  const passwordHash = await passwords.hash(password)
  await storage.accounts.create({ name: 'Administrator', email, role: 'admin', passwordHash })
  if (first.password === undefined) print(`first account: ${email} with password ${password}`)
}

/** Throws `configuration`. */
function firstCredentials({
  email = 'admin@localhost',
  password = randomBytes(15).toString('base64url'),
}: FirstAccount) {
  try {
    return readCredentials({ email, password })
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new AppError('configuration', `TRUNKLINE_ADMIN_EMAIL and TRUNKLINE_ADMIN_PASSWORD: ${why}`)
  }
}
