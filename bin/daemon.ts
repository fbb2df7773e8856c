import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { httpApp } from '../adapters/http/app.ts'
import { type RunningServer, serve } from '../adapters/http/server.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../core/errors.ts'
import { readCredentials } from '../core/use-cases/sign-in.ts'
import { compose, type Trunkline } from './compose.ts'

/** What a browser, a gateway or a client in flight may still take once the daemon is told to stop. */
const GRACE_MS = 20_000
const SWEEP_MS = 10_000

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
  const destination = pino.destination({ dest: 2, sync: false })
  const log = pino({ level: settings.log_level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  let server: RunningServer
  let listeningAt = `http://${settings.host}:${settings.port}`
  const baseUrl = (): string => settings.base_url ?? listeningAt
  const trunkline = compose(settings, baseUrl, { create: true, migrate: true })
  try {
    await makeFirstAccount(trunkline, first, print)
    await trunkline.messaging.sweep()
    const { administration, messaging, signIn, storage } = trunkline
    const beat = (): Promise<void> => storage.beat()
    const trustedProxies = settings.trusted_proxies
    server = await serve(url => {
      listeningAt = url
      return httpApp({ administration, messaging, signIn, beat, log, baseUrl: baseUrl(), trustedProxies })
    }, settings)
  } catch (error) {
    await trunkline.close()
    throw error
  }
  const background = new AbortController()
  const upkeep = trunkline.storage.followWrites(background.signal)
  const sweeping = setInterval(() => {
    sweep(trunkline).catch((error: unknown) => log.error({ err: error }, 'the sweep failed'))
  }, SWEEP_MS)
  sweeping.unref()
  print(`trunklined listening on ${server.url}`)
  return {
    url: server.url,
    stop: async () => {
      clearInterval(sweeping)
      await server.stop(GRACE_MS)
      background.abort()
      await upkeep
      await trunkline.close()
      log.info('stopped')
      destination.flushSync()
    },
  }
}

async function sweep({ messaging, storage, clock }: Trunkline): Promise<void> {
  await messaging.sweep()
  await storage.sessions.forgetExpired(clock.now())
}

/** An account to log in with, when there is none yet: the named one, or one with a random password that is printed. */
async function makeFirstAccount(
  { storage, passwords }: Trunkline,
  first: FirstAccount,
  print: (line: string) => void,
): Promise<void> {
  if ((await storage.accounts.count()) > 0) return
  const email = first.email ?? 'admin@localhost'
  const password = first.password ?? randomBytes(15).toString('base64url')
  try {
    readCredentials({ email, password })
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    throw new AppError('configuration', `TRUNKLINE_ADMIN_EMAIL and TRUNKLINE_ADMIN_PASSWORD: ${why}`)
  }
  const passwordHash = await passwords.hash(password)
  await storage.accounts.create({ name: 'Administrator', email, role: 'admin', passwordHash })
  if (first.password === undefined) print(`first account: ${email} with password ${password}`)
}
