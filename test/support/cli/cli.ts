import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { commands } from '../../../adapters/cli/commands/commands.ts'
import type { Io } from '../../../adapters/cli/context.ts'
import { type LazyCommand, runProgram, type Wiring } from '../../../adapters/cli/program.ts'
import { wiringFor } from '../../../bin/command-line.ts'
import { temporaryFolder } from '../http/app.ts'
import { emptyDatabase } from '../storages.ts'

/** The outcome of one command line. Moments are shown as `<time>`. */
export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** The content of standard input; empty by default. */
  readonly input?: string
  /** Is standard output a terminal, and how wide? */
  readonly columns?: number
  /** Is standard error a terminal? */
  readonly showsErrors?: boolean
  readonly env?: Io['env']
  readonly wiring?: (wiring: Wiring) => Wiring
  readonly commands?: readonly LazyCommand[]
}

export interface Workplace {
  /** The folder of the database `trunkline.db`, for other files of a test. */
  readonly folder: string
  readonly db: string
  /** Resolves once the database can be opened; `run` waits for it. */
  readonly ready: Promise<void>
  readonly env: Record<string, string>
  /** Runs `trunkline …`, written as for a shell, in this process. */
  run(line: string, options?: RunOptions): Promise<Ran>
  /** The same, and throws unless it ends with 0; returns standard output. */
  done(line: string, options?: RunOptions): Promise<string>
  /** The same with `--output json`, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  json(line: string, options?: RunOptions): Promise<any>
  path(name: string): string
  remove(): void
}

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g

/** The words of a command line, quoted as for a shell. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'))

function listener(columns?: number) {
  let heard = ''
  const stream = new Writable({
    write: (piece, _encoding, done) => {
      heard += String(piece)
      done()
    },
  })
  return {
    stream: columns === undefined ? stream : Object.assign(stream, { isTTY: true, columns }),
    text: () => heard,
  }
}

/** A folder for a database, without other services or a settings file. */
export function workplace(): Workplace {
  const { path: folder, remove } = temporaryFolder()
  const path = (name: string): string => join(folder, name)
  const database = emptyDatabase(path('trunkline.db'))
  const { db } = database
  const env = { TRUNKLINE_DB: db, TRUNKLINE_PORT: '9', TRUNKLINE_METRICS_PORT: '0', HOME: folder }
  const exact: Workplace['run'] = async (line, options = {}) => {
    await database.ready
    const [program, ...argv] = wordsOf(line)
    if (program !== 'trunkline') throw new Error(`No command line of trunkline: ${line}`)
    const [stdout, stderr] = [listener(options.columns), listener(options.showsErrors ? 80 : undefined)]
    const environment = { ...env, ...options.env }
    const io = { stdin: Readable.from([options.input ?? '']), stdout: stdout.stream, stderr: stderr.stream }
    const wiring = (options.wiring ?? (given => given))(wiringFor(environment))
    const code = await runProgram(argv, { ...io, env: environment }, wiring, options.commands ?? commands)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  }
  const run: Workplace['run'] = async (line, options) => {
    const { code, stdout, stderr } = await exact(line, options)
    return { code, stdout: stdout.replaceAll(MOMENT, '<time>'), stderr: stderr.replaceAll(MOMENT, '<time>') }
  }
  const done: Workplace['done'] = async (line, options) => {
    const { code, stdout, stderr } = await exact(line, options)
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`)
    return stdout
  }
  return {
    folder,
    db,
    ready: database.ready,
    env,
    run,
    done,
    json: async (line, options) => JSON.parse(await done(`${line} --output json`, options)),
    path,
    remove: () => {
      remove()
      database.release().catch(() => undefined)
    },
  }
}

/** One record of each kind, named as in the examples of the help. */
export async function furnish(place: Pick<Workplace, 'done'>): Promise<void> {
  const lines = [
    'trunkline init --email admin@example.com --password-file -',
    "trunkline tenant create --name 'Acme Ltd' --slug acme --domain acme.example.com --status active --timezone Europe/Kyiv --max-extensions 10",
    "trunkline extension create --tenant acme --extension-number 101 --display-name 'Front desk' --secret-file - --status active",
    "trunkline did create --tenant acme --number +380441234567 --provider 'Carrier One' --status active",
    'trunkline queue create --tenant acme --name Support --queue-number 800 --strategy ringall --timeout 60 --status active',
    'trunkline trunk create --name carrier-one --host sip.carrier.example.com --secret-file - --status active',
    'trunkline rate create --tenant acme --prefix 380 --destination Ukraine --cost-per-minute 0.0123 --billing-increment 60 --status active',
    'trunkline gateway create --name Jasmin --provider-type jasmin --server-host 127.0.0.1 --server-port 9 --username trunkline --password-file - --is-active yes',
    "trunkline cdr create --tenant acme --extension acme/101 --caller-number 101 --destination-number +380441234567 --direction outbound --disposition ANSWERED --duration-seconds 61 --bill-seconds 120 --cost 0.0246 --started-at '2026-10-01 12:00:00'",
    "trunkline device add --extension acme/101 --mac 00:15:65:a1:b2:c3 --model 'Yealink T46U'",
    'trunkline agent add --queue acme/800 --extension acme/101',
    'trunkline route add --did +380441234567 --target-type extension --target acme/101',
  ]
  for (const line of lines) await place.done(line, { input: 'kW3-9fQm-Zt81\n' })
}

/** The ids of all calls, in the order in which they were stored: on a cluster they carry a bucket. */
export async function callIds(place: Workplace): Promise<readonly number[]> {
  const calls: readonly { id: number }[] = await place.json('trunkline cdr list')
  return calls.map(({ id }) => id).sort((one, other) => one - other)
}

const PROGRAM = resolve('dist/bin/trunkline.js')

/** Why tests of the built program cannot run, or false. */
export const unbuilt: string | false = existsSync(PROGRAM) ? false : 'dist is not there: npm run build'

/** Runs the built program as a separate process; `shell` is a command that uses `trunkline`. */
export function spawnProgram(place: Workplace, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const env = { ...process.env, ...place.env, ...options.env }
  return spawn(process.execPath, [PROGRAM, ...args], { cwd: place.folder, ...options, env })
}

const read = async (source: Readable | null): Promise<string> =>
  source === null ? '' : (await text(source)).replaceAll(MOMENT, '<time>')

/** The output of a process and its exit code. */
export async function outcomeOf(child: ChildProcess): Promise<Ran & { readonly signal: NodeJS.Signals | null }> {
  const ended = once(child, 'close')
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)])
  await ended
  return { code: child.exitCode ?? -1, signal: child.signalCode, stdout, stderr }
}

/** Runs a line of a shell in which `trunkline` is the built program. */
export function runShell(place: Workplace, line: string, shell = 'bash'): Promise<Ran> {
  const define = `trunkline() { '${process.execPath}' '${PROGRAM}' "$@"; }; set -o pipefail; `
  const env = { ...process.env, ...place.env }
  return outcomeOf(spawn(shell, ['-c', define + line], { cwd: place.folder, env, stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** Why tests that need this program cannot run, or false. */
export const missing = (program: string): string | false =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error ? `${program} is not installed` : false
