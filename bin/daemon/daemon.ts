import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type HttpOptions, http, type Metrics, type RunningServer } from '../../adapters/http/http.ts'
import type { Settings } from '../../config/settings.ts'
import { AppError } from '../../core/errors.ts'
import type { Claim } from '../../core/ports/storage.ts'
import type { Surroundings } from '../../core/ports/upkeep.ts'
import type { LimitName } from '../../core/switching/limits/limits.ts'
import type { LimitWatch } from '../../core/use-cases/calls/limit-watch.ts'
import { answering, compose, type Opening, type Trunkline } from '../compose.ts'
import { lookupPlace } from '../freeswitch/lookups-on-thread.ts'
import { urlAt } from '../own-address.ts'
import type { Served, Serving } from '../serving.ts'
import { databasePlace } from '../storage/database-place.ts'
import { servedOf } from '../switches.ts'
import { type Background, startBackground } from './background.ts'
import { consoleFiles } from './console-files.ts'
import { type FirstAccount, makeFirstAccount } from './first-account.ts'
import { createLog, type Log } from './log.ts'
import { surroundingsOf } from './surroundings.ts'
import { unreadLog } from './upkeep/unread-log.ts'
import { tellReady } from './upkeep/upkeep.ts'
import { addGauges, addSwitchGauges, watch } from './watch.ts'

/** How long requests in flight may continue after the daemon is asked to stop. */
const GRACE_MS = 20_000

export interface Daemon {
  readonly url: string
  /**
   * Goes on answering for `drain_seconds`, then stops accepting, finishes what is in flight, flushes the log and
   * closes the database.
   */
  stop(): Promise<void>
}

export interface Start {
  readonly first: FirstAccount
  /** True to serve a database that another daemon serves already. */
  readonly force: boolean
  /** Prints a line to standard output. */
  print(line: string): void
}

/** A start with what the service tells of itself. */
interface Starting extends Start, Pick<Serving, 'log' | 'writeLog' | 'onDeath'> {
  readonly metrics: Metrics
  readonly surroundings: Surroundings
  /** Aborts once the service is about to stop. */
  readonly leaving: AbortSignal
}

/** Starts the service. Throws AppError. */
export async function startDaemon(settings: Settings, start: Start): Promise<Daemon> {
  const { print } = start
  const { log, write: writeLog, flush } = createLog(settings.log_level)
  const metrics = http.metrics()
  let background: Background | null = null
  const surroundings = surroundingsOf(settings, () => background?.feeds ?? [])
  const leaving = new AbortController()
  const onDeath = ending({ log, flush })
  const service = await startService(settings, {
    ...{ ...start, metrics, log, writeLog, onDeath, surroundings, leaving: leaving.signal },
  })
  const { server, close } = service
  const behind = startBackground(service, settings, log)
  background = behind
  addGauges(metrics, service.trunkline, behind, settings)
  if (service.served.length > 0) addSwitchGauges(metrics, behind.switches)
  const metricsServer = await watch(metrics, settings, log)
  tellReady(log)
  print(`trunklined listening on ${server.url}`)
  return {
    url: server.url,
    stop: async () => {
      leaving.abort()
      await pause(settings.drain_seconds * 1000)
      await server.stop(GRACE_MS)
      await metricsServer?.stop(0)
      await behind.stop()
      await close()
      log.info('stopped')
      flush()
    },
  }
}

interface Opened {
  readonly trunkline: Trunkline
  /** The last entry of the audit trail before this start. */
  readonly securityFrom: number
  close(): Promise<void>
}

interface Service extends Opened {
  readonly server: RunningServer
  readonly served: readonly Served[]
}

/**
 * Serves the API on its port. A port in use is reported before a database is made. The port opens only once requests
 * can be answered: a balancer sends a refused connection on to another daemon, but not every answer of 503.
 */
async function startService(settings: Settings, start: Starting): Promise<Service> {
  for (const place of [settings, lookupPlace(settings)]) if (place) await http.assertFree(place)
  let ownUrl = ''
  const baseUrl = (): string => settings.base_url ?? ownUrl
  const opened = await openServing(settings, baseUrl, start)
  try {
    const parts = answering(opened.trunkline)
    if (settings.trusted_proxies > 0) await parts.notices.clear('untrusted_proxy')
    const mounts = opened.served.flatMap(each => each.mounts)
    const appAt = (url: string) => {
      ownUrl = urlAt(settings.host, Number(new URL(url).port || 80))
      return appOf({ ...parts, baseUrl: baseUrl(), mounts }, settings, start)
    }
    const urgent = mounts.map(({ path }) => path)
    const server = await http.serve(appAt, settings, { ...start, urgent })
    return { ...opened, server }
  } catch (error) {
    await opened.close()
    throw error
  }
}

function appOf(
  parts: ReturnType<typeof answering> & Pick<HttpOptions, 'baseUrl' | 'mounts'>,
  { base_url, trusted_proxies: trustedProxies }: Settings,
  { log, metrics, leaving }: Starting,
): ReturnType<typeof http.app> {
  const console = consoleFiles()
  return http.app({
    ...{ ...parts, ...(console ? { console } : {}) },
    ...{ log, isBaseUrlSet: base_url !== null, trustedProxies, metrics, leaving },
  })
}

/** Opens the database, and begins to serve the switches. */
async function openServing(
  settings: Settings,
  baseUrl: () => string,
  start: Starting,
): Promise<Omit<Service, 'server'>> {
  const opened = await open(settings, baseUrl, start)
  try {
    const served = await switchesOf(settings, opened.trunkline, start)
    const close = async (): Promise<void> => {
      await Promise.all(served.map(each => each.close()))
      await opened.close()
    }
    return { ...opened, served, close }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** The switches that are served, with what they ask of the service. */
function switchesOf(
  settings: Settings,
  { limits, clock, storage }: Trunkline,
  { log, writeLog, metrics, onDeath }: Starting,
): Promise<readonly Served[]> {
  const { calls, switchDirectory, limitUsage: usage, ratedPrefixes: rates } = storage
  return servedOf(settings, {
    ...{ directory: switchDirectory(), usage, rates, calls, clock },
    ...{ log, writeLog, metrics, onDeath, onLimit: limitNoted(limits, log) },
  })
}

/** Opens the database: claims it for this process, updates and prepares it. */
async function open(settings: Settings, baseUrl: () => string, start: Starting): Promise<Opened> {
  const { first, force, print, metrics, log, surroundings } = start
  const opening: Opening = {
    create: true,
    migrate: true,
    keepsLoopFree: true,
    onCommit: metrics.onCommit,
    onLimit: limitsCounted(metrics),
    onUnread: unreadLog(log),
    onTrouble: error => log.error({ err: error }, 'a job failed'),
    surroundings,
    onUpgrade: upgrade => log.warn(upgrade, 'the database has an older schema: it is copied, then upgraded'),
  }
  const claim = await claimed(settings, log, force)
  let opened: Trunkline | null = null
  const close = async (): Promise<void> => {
    await opened?.close()
    await claim?.release()
  }
  try {
    const trunkline = await compose(settings, baseUrl, opening, {}, metrics)
    opened = trunkline
    const securityFrom = await trunkline.storage.audit.latest()
    if ((await makeFirstAccount(trunkline, first, print)) === 'none')
      log.warn({ command: 'trunkline init' }, 'nobody can log in: there is no account yet; the command creates one')
    await trunkline.messaging.sweep()
    await trunkline.tools.jobs.look()
    return { trunkline, securityFrom, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function claimed(settings: Settings, log: Logger, force: boolean): Promise<Claim | null> {
  const place = await databasePlace(settings)
  try {
    return await place.claim()
  } catch (error) {
    if (!force || !(error instanceof AppError && error.code === 'busy')) throw error
    log.warn(
      { db: place.name },
      'another daemon serves this database: both follow its feeds, make its backups and delete what is old',
    )
    return null
  }
}

/** Notes a limit that refused a call. */
const limitNoted =
  (limits: LimitWatch, log: Logger): Serving['onLimit'] =>
  (limited, use) =>
    limits.reached(limited, use).catch(error => log.error({ err: error }, 'a limit could not be noted'))

/** Ends the daemon, which whoever supervises it starts again, as after an error of its own. */
const ending =
  ({ log, flush }: Pick<Log, 'log' | 'flush'>): Serving['onDeath'] =>
  error => {
    log.fatal({ err: error }, 'the thread that answers the switch has ended, and the daemon ends with it')
    flush()
    process.exit(1)
  }

function limitsCounted({ counter }: Metrics): (name: LimitName) => void {
  const count = counter(
    'trunkline_limit_reached_total',
    'Limits on calls that were reached, each counted once an hour or day',
    ['limit'],
  )
  return limit => count({ limit })
}
