import type Koa from 'koa'
import type { Logger } from 'pino'
import { httpApp } from '../adapters/http/app.ts'
import { createMetrics, type Metrics } from '../adapters/http/metrics.ts'
import { noting } from '../adapters/http/noting.ts'
import { limitsBehind, type RunningServer, serve } from '../adapters/http/server.ts'
import { isLocked } from '../adapters/sqlite/locks.ts'
import type { Settings } from '../config/settings.ts'
import { startBackground } from './background.ts'
import { compose, type Opening, type Trunkline } from './compose.ts'
import { type FirstAccount, makeFirstAccount } from './first-account.ts'
import { createLog } from './log.ts'
import { unreadLog } from './unread-log.ts'
import { tellReady } from './upkeep.ts'
import { gauges, watch } from './watch.ts'

/** What a browser, a gateway or a client in flight may still take once the daemon is told to stop. */
const GRACE_MS = 20_000

export interface Daemon {
  readonly url: string
  /** Stops accepting, finishes what is in flight, puts the log away and closes the database. */
  stop(): Promise<void>
}

/** Starts the service. `print` gets the lines for standard output. Throws AppError. */
export async function startDaemon(
  settings: Settings,
  first: FirstAccount,
  print: (line: string) => void,
): Promise<Daemon> {
  const { log, flush } = createLog(settings.log_level)
  const metrics = createMetrics()
  const { trunkline, server } = await startService(settings, metrics, log, trunkline =>
    makeFirstAccount(trunkline, first, print),
  )
  const background = startBackground(trunkline, settings, log)
  gauges(metrics, trunkline, background.feeds, settings)
  const metricsServer = await watch(metrics, settings, log)
  tellReady(log)
  print(`trunklined listening on ${server.url}`)
  return {
    url: server.url,
    stop: async () => {
      await server.stop(GRACE_MS)
      await metricsServer?.stop(0)
      await background.stop()
      await trunkline.close()
      log.info('stopped')
      flush()
    },
  }
}

interface Service {
  readonly trunkline: Trunkline
  readonly server: RunningServer
}

/** The API on its port, over a database that is up to date and prepared. What fails leaves neither open. */
async function startService(
  settings: Settings,
  metrics: Metrics,
  log: Logger,
  prepare: (trunkline: Trunkline) => Promise<void>,
): Promise<Service> {
  let listeningAt = `http://${settings.host}:${settings.port}`
  const baseUrl = (): string => settings.base_url ?? listeningAt
  const opening: Opening = {
    create: true,
    migrate: true,
    keepsLoopFree: true,
    onCommit: metrics.onCommit,
    onUnread: unreadLog(log),
    onUpgrade: upgrade => log.warn(upgrade, 'the database has an older schema: it is copied, then upgraded'),
  }
  const isShared = isLocked(settings.db)
  const trunkline = compose(settings, baseUrl, opening, {}, metrics)
  if (isShared)
    log.warn({ db: settings.db }, 'another process has the database open: a second daemon would do the same work twice')
  try {
    await prepare(trunkline)
    await trunkline.messaging.sweep()
    const { administration, messaging, signIn, storage } = trunkline
    const trustedProxies = settings.trusted_proxies
    if (trustedProxies > 0) await storage.notices.clear('untrusted_proxy')
    const appAt = (url: string): Koa => {
      listeningAt = url
      return httpApp({
        administration,
        messaging,
        signIn,
        serverKeys: storage.serverKeys,
        notices: storage.notices,
        beat: storage.beat,
        log,
        baseUrl: baseUrl(),
        trustedProxies,
        metrics,
      })
    }
    const server = await serve(appAt, settings, limitsBehind(trustedProxies), noting(log, metrics))
    return { trunkline, server }
  } catch (error) {
    await trunkline.close()
    throw error
  }
}
