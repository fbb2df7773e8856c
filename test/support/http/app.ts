import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Koa from 'koa'
import { pino } from 'pino'
import { httpApp } from '../../../adapters/http/app.ts'
import type { ConsoleFiles } from '../../../adapters/http/console/page-routes.ts'
import type { Metrics } from '../../../adapters/http/metrics.ts'
import { noting } from '../../../adapters/http/noting.ts'
import { limitsBehind, type RunningServer, serve } from '../../../adapters/http/server.ts'
import { answering, compose, type Opening, type Replacements, type Trunkline } from '../../../bin/compose.ts'
import { loadSettings } from '../../../config/load.ts'
import type { Settings } from '../../../config/settings.ts'
import type { Mount } from '../../../core/ports/switching/mounts.ts'
import { cheapPasswords } from '../passwords.ts'
import { emptyDatabase } from '../storages.ts'

export const ADMIN = { email: 'admin@example.com', password: 'correct horse' }

export interface TestService {
  readonly url: string
  readonly trunkline: Trunkline
  readonly server: RunningServer
  /** The log, a line each. */
  readonly logged: string[]
  /** Resolves with the first line, logged already or yet to come, that contains the text. */
  untilLogged(text: string): Promise<string>
  /** A request; `session` is a Cookie header's value. Members of `init` as in fetch, `json` is sent as JSON. */
  request(
    method: string,
    path: string,
    init?: { json?: unknown; body?: string; headers?: Record<string, string>; session?: string },
  ): Promise<Answer>
  /** Logs the first account in and returns its Cookie header. */
  login(): Promise<string>
  close(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined if it is not. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any
}

/** The real application on a real port, over an empty database unless `settings.db` names one. */
export async function startService(
  settings: Partial<Settings> = {},
  { surroundings, ...replacements }: Replacements & Pick<Opening, 'surroundings'> = {},
  metrics?: Metrics,
  console?: ConsoleFiles,
  mounts: readonly Mount[] = [],
): Promise<TestService> {
  const loaded = loadSettings({ flags: {}, environment: {}, file: undefined }).settings
  const own = settings.db === undefined ? emptyDatabase(':memory:') : null
  await own?.ready
  const complete: Settings = { ...loaded, ...(own ? { db: own.db } : {}), port: 0, gateway_timeout: 1, ...settings }
  let url = ''
  const trunkline = await compose(
    complete,
    () => complete.base_url ?? url,
    {
      ...{ create: true, migrate: true },
      ...(metrics ? { onCommit: metrics.onCommit } : {}),
      ...(surroundings ? { surroundings } : {}),
    },
    { passwords: cheapPasswords, ...replacements },
    metrics,
  )
  if ((await trunkline.storage.accounts.count()) === 0)
    await trunkline.accountKeeping.create({ ...ADMIN, name: 'Administrator' })
  const logged: string[] = []
  const onLine = new Set<(line: string) => void>()
  const write = (line: string): void => {
    logged.push(line)
    for (const listener of onLine) listener(line)
  }
  const log = pino({ base: null }, { write })
  const appAt = (taken: string): Koa => {
    url = taken
    return httpApp({
      ...answering(trunkline),
      log,
      baseUrl: complete.base_url ?? url,
      isBaseUrlSet: complete.base_url !== null,
      trustedProxies: complete.trusted_proxies,
      mounts,
      ...(metrics ? { metrics } : {}),
      ...(console ? { console } : {}),
    })
  }
  const server = await serve(appAt, complete, limitsBehind(complete.trusted_proxies), noting(log, metrics))
  const request: TestService['request'] = async (method, path, { json, body, headers, session } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(session === undefined ? {} : { cookie: session }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parsed(text) }
  }
  return {
    url,
    trunkline,
    server,
    logged,
    untilLogged: text =>
      new Promise(resolve => {
        const listener = (line: string): void => {
          if (!line.includes(text)) return
          onLine.delete(listener)
          resolve(line)
        }
        onLine.add(listener)
        logged.forEach(listener)
      }),
    request,
    login: async () => {
      const { headers } = await request('POST', '/api/admin/login', { json: ADMIN })
      return (headers.getSetCookie().at(-1) ?? '').split(';')[0] ?? ''
    },
    close: async () => {
      await server.stop(1_000)
      await trunkline.close()
      await own?.release()
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A separate folder for a test's files, and a function that removes it. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'trunkline-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
