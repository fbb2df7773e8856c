import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { bundledBinaries, installedBinaries, NEWEST } from './binaries.ts'

/** PostgreSQL refuses to run as root, so it runs as a user without any rights here. */
export const NOBODY = 65_534
const PORT = 5432
const READY_MS = 30_000

export interface TestServer {
  /** The address of one of its databases. */
  address(database: string): string
  /** The addresses of a database on every server that has a part of it: on the nodes of a cluster. */
  partsOf(database: string): readonly string[]
  /** Makes one database of new, empty parts. */
  join(database: string): Promise<void>
  stop(): Promise<void>
}

/** How the server is chosen: the address of a running one, a folder of programs, or a version installed by npm. */
export const CHOSEN = 'TRUNKLINE_TEST_POSTGRES'

/** For short-lived data that a power failure may lose. */
export const QUICK = ['fsync=off', 'full_page_writes=off', 'autovacuum=off', 'shared_buffers=64MB']

/**
 * Starts a server in its own folder, on a socket there: the chosen version, or else the newest installed by npm, or
 * else the one on the path. Its databases stay in the folder `kept`, if given. Throws, with advice, if there is none.
 */
export const startServer = async (
  chosen = process.env[CHOSEN] ?? '',
  settings: readonly string[] = QUICK,
  kept?: string,
): Promise<TestServer> =>
  RUNNING.test(chosen) ? runningServer(chosen) : startOwnServer({ chosen, settings, ...(kept ? { kept } : {}) })

const RUNNING = /^postgres(ql)?:/

export interface OwnServerOptions {
  readonly chosen?: string
  readonly settings?: readonly string[]
  readonly kept?: string
  /** Of its socket, and of the addresses that it listens to. */
  readonly port?: number
  /** Called with the data folder before the server starts. */
  prepare?(data: string): void
}

/** The same for a test that does things to its server, never to one that runs already. */
export async function startOwnServer({
  chosen = process.env[CHOSEN] ?? '',
  settings = [],
  kept,
  port = PORT,
  prepare = () => undefined,
}: OwnServerOptions): Promise<OwnServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tl-pg-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    chmodSync(folder, 0o755)
    const data = kept ?? join(folder, 'data')
    const binaries = binariesFor(RUNNING.test(chosen) ? '' : chosen, folder)
    return await started({ folder, data, binaries, chosen: settings, port, remove, prepare })
  } catch (error) {
    remove()
    throw error
  }
}

function binariesFor(chosen: string, folder: string): string {
  if (existsSync(join(chosen, 'initdb')) && chosen !== '') return chosen
  const found = bundledBinaries(chosen || NEWEST, folder) ?? (chosen === '' ? installedBinaries() : null)
  if (found !== null) return found
  const what = chosen === '' ? 'no PostgreSQL' : `no PostgreSQL ${chosen}`
  throw new Error(
    `There is ${what} for the tests: run npm ci with optional packages, or set ${CHOSEN} to the address of a server (postgres://user@host/postgres) or to the folder of initdb and postgres.`,
  )
}

interface Start {
  /** For the socket. */
  readonly folder: string
  /** Of the databases. */
  readonly data: string
  /** Of the programs. */
  readonly binaries: string
  readonly chosen: readonly string[]
  readonly port: number
  remove(): void
  prepare(data: string): void
}

async function started({ folder, data, binaries, chosen, port, remove, prepare }: Start): Promise<OwnServer> {
  const isRoot = process.getuid?.() === 0
  mkdirSync(data, { recursive: true })
  if (isRoot) for (const own of [folder, data]) chownSync(own, NOBODY, NOBODY)
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const options = { cwd: folder, ...as }
  const initial = ['--no-sync', '--no-instructions', '-A', 'trust', '-U', 'trunkline', '-E', 'UTF8', '--locale=C.UTF-8']
  if (!existsSync(join(data, 'PG_VERSION')))
    execFileSync(join(binaries, 'initdb'), [...initial, '-D', data], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'max_connections=200', ...chosen]
  writeFileSync(join(data, 'postgresql.auto.conf'), '')
  prepare(data)
  const own = port === PORT ? '' : `&port=${port}`
  const address = (database: string): string => `postgres://trunkline@/${database}?host=${folder}${own}&fsync=off`
  const args = ['-D', data, '-p', String(port), ...settings.flatMap(setting => ['-c', setting])]
  const launch = (): Promise<Running> => running(join(binaries, 'postgres'), args, options, address('postgres'))
  let present = await launch()
  process.once('exit', remove)
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    present.child.kill(signal)
    await present.ended
    process.off('exit', present.kill)
  }
  return {
    ...alone(address),
    folder,
    kill: () => end('SIGKILL'),
    restart: async () => {
      present = await launch()
    },
    stop: async () => {
      await end('SIGINT')
      process.off('exit', remove)
      remove()
    },
  }
}

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  kill(): void
}

/** Starts the server, and waits until it answers. After a kill, it starts only once all its processes have ended. */
async function running(
  program: string,
  args: readonly string[],
  options: SpawnOptions,
  address: string,
): Promise<Running> {
  const since = performance.now()
  for (;;) {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr?.on('data', (text: Buffer) => {
      said = `${said}${text}`.slice(-10_000)
    })
    const ended = once(child, 'close')
    const kill = (): void => void child.kill('SIGQUIT')
    process.once('exit', kill)
    while (child.exitCode === null) {
      if (await answers(address)) return { child, ended, kill }
      if (performance.now() - since > READY_MS) throw new Error(`PostgreSQL does not start: ${said}`)
      await pause(20)
    }
    process.off('exit', kill)
    if (performance.now() - since > READY_MS || !said.includes('pre-existing shared memory'))
      throw new Error(`PostgreSQL does not start: ${said}`)
  }
}

async function answers(address: string): Promise<boolean> {
  const client = new Client(address.replace('@/', '@localhost/'))
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A server that the test started itself. */
export interface OwnServer extends TestServer {
  /** Its folder, where the socket is. */
  readonly folder: string
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
  restart(): Promise<void>
}

export function runningServer(address: string): TestServer {
  const of = (database: string): string => address.replace(/^([^?]*\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${database}`)
  return { ...alone(of), stop: async () => undefined }
}

const alone = (address: TestServer['address']): Pick<TestServer, 'address' | 'partsOf' | 'join'> => ({
  address,
  partsOf: database => [address(database)],
  join: async () => undefined,
})

/** The text of a source file, to check whether its tests need a server. */
export const needsServer = (path: string): boolean => readFileSync(path, 'utf8').includes('support/postgres/')
