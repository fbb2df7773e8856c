import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { residentMiB } from '../support/memory.ts'
import { TYPESCRIPT } from '../support/typescript.ts'

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery' }

export interface Server {
  /** Of the first of its processes. */
  readonly url: string
  /** Of each of its processes, which share what they are asked. */
  readonly urls: readonly string[]
  /** Precedes the paths of records. */
  readonly prefix: '' | '/api'
  /** The Cookie header of a signed-in session; empty without sessions. */
  readonly cookie: string
  /** MiB of memory in use; null if the system does not report it. */
  residentMiB(): number | null
  /** Stops it and resolves once it has ended. */
  stop(): Promise<void>
}

/** Starts a server that prints its URL, and resolves with the URL. */
function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<[ChildProcess, string]> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return new Promise((resolve, reject) => {
    child.once('exit', code => reject(new Error(`${args.at(-1)} ended with ${code}`)))
    createInterface({ input: child.stdout }).on('line', line => {
      const url = /http:\/\/\S+/.exec(line)?.[0]
      if (url !== undefined) resolve([child, url])
    })
  })
}

const serverOf = (child: ChildProcess, url: string, prefix: Server['prefix']): Server => ({
  url,
  urls: [url],
  prefix,
  cookie: '',
  residentMiB: () => residentMiB(child.pid),
  stop: async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  },
})

/** The daemon of that file, with its defaults (so it logs each request), on a free port. */
export async function startDaemon(
  program: string,
  database: string,
  flags: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const [child, url] = await start([...flags, program], {
    TRUNKLINE_DB: database,
    TRUNKLINE_PORT: '0',
    TRUNKLINE_METRICS_PORT: '0',
    TRUNKLINE_ADMIN_EMAIL: ADMIN.email,
    TRUNKLINE_ADMIN_PASSWORD: ADMIN.password,
    ...environment,
  })
  return serverOf(child, url, '/api')
}

/** The same with a session. */
export async function startSignedIn(...daemonOf: Parameters<typeof startDaemon>): Promise<Server> {
  const daemon = await startDaemon(...daemonOf)
  return { ...daemon, cookie: await login(daemon.url) }
}

/** Several daemons on one database, with one session. */
export async function startFleet(count: number, ...daemonOf: Parameters<typeof startDaemon>): Promise<Server> {
  const first = await startSignedIn(...daemonOf)
  const others: Server[] = []
  while (others.length < count - 1) others.push(await startDaemon(...daemonOf))
  const all = [first, ...others]
  return {
    ...first,
    urls: all.map(({ url }) => url),
    stop: async () => void (await Promise.all(all.map(each => each.stop()))),
  }
}

export async function login(url: string): Promise<string> {
  const response = await fetch(`${url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  await response.text()
  if (!response.ok) throw new Error(`The login was answered with ${response.status}.`)
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** The baseline of lookups; see bare-feed.ts. */
export async function startBareFeed(): Promise<Server> {
  const [child, url] = await start([...TYPESCRIPT, 'test/bench/switch/bare-feed.ts'], {})
  return serverOf(child, url, '')
}

/** The baselines of the rows; see baselines.ts. */
export async function startBaseline(database: string): Promise<Server> {
  const [child, url] = await start([...TYPESCRIPT, 'test/bench/baselines.ts', database], {})
  return serverOf(child, url, '')
}
