import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { residentMiB } from './memory.ts'

const PROGRAM = 'dist/bin/trunklined.js'
/** Longer than a daemon takes to log what a test waits for. */
const PATIENCE_MS = 60_000

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface DaemonProcess {
  readonly url: string
  /** MiB of memory in use; null if the system does not report it. */
  residentMiB(): number | null
  /** The lines on standard output so far. */
  readonly printed: readonly string[]
  /** The lines of its log so far. */
  readonly logged: readonly string[]
  /**
   * Resolves with the first line of the log, past or future, that contains the text. Without one, the
   * daemon is killed.
   */
  untilLogged(text: string): Promise<string>
  /** Stops it, and resolves once it has ended. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

type Environment = Readonly<Record<string, string>>

function start(
  environment: Environment,
  args: readonly string[],
  program = PROGRAM,
): { child: ChildProcess; ended: Promise<Ended> } {
  const env = { PATH: process.env.PATH ?? '', TRUNKLINE_METRICS_PORT: '0', ...environment }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }))
  return { child, ended }
}

/** Runs the built daemon until it ends by itself. */
export const runDaemon = (environment: Environment, ...args: string[]): Promise<Ended> => start(environment, args).ended

/** Starts the built daemon on a free port and waits until it listens. */
export const startDaemon = (environment: Environment, ...args: string[]): Promise<DaemonProcess> =>
  startDaemonOf(PROGRAM, environment, ...args)

/** The same of another build. */
export async function startDaemonOf(
  program: string,
  environment: Environment,
  ...args: string[]
): Promise<DaemonProcess> {
  const { child, ended } = start({ TRUNKLINE_PORT: '0', ...environment }, args, program)
  const printed: string[] = []
  const logged: string[] = []
  const onLog = new Set<(line: string) => void>()
  const listening = new Promise<string>(resolve => {
    if (!child.stdout) return
    createInterface(child.stdout).on('line', line => {
      printed.push(line)
      const url = /^trunklined listening on (http:\/\/\S+)$/.exec(line)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  if (child.stderr)
    createInterface(child.stderr).on('line', line => {
      logged.push(line)
      for (const listener of onLog) listener(line)
    })
  const failed = ended.then(({ code, stderr }) => {
    throw new Error(`The daemon ended with ${code}: ${stderr}`)
  })
  failed.catch(() => undefined)
  return {
    url: await Promise.race([listening, failed]),
    residentMiB: () => residentMiB(child.pid),
    printed,
    logged,
    untilLogged: text =>
      new Promise((resolve, reject) => {
        const patience = setTimeout(() => {
          child.kill('SIGKILL')
          reject(new Error(`It did not log ${JSON.stringify(text)}: ${logged.join('\n')}`))
        }, PATIENCE_MS)
        const listener = (line: string): void => {
          if (!line.includes(text)) return
          clearTimeout(patience)
          onLog.delete(listener)
          resolve(line)
        }
        onLog.add(listener)
        logged.forEach(listener)
      }),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
  }
}
