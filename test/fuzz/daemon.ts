import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { ADMIN } from '../support/app.ts'
import { TYPESCRIPT } from '../support/typescript.ts'

export interface FuzzedDaemon {
  readonly url: string
  /** What it logged as an error of its own. */
  readonly errors: string[]
  isAlive(): boolean
  /** The resident set in MiB; null where the system does not tell. */
  residentMiB(): number | null
  stop(): Promise<void>
}

/** The daemon as its users run it, over a new database in that folder. */
export async function startFuzzedDaemon(folder: string): Promise<FuzzedDaemon> {
  const settings = { db: `${folder}/trunkline.db`, port: '0', metrics_port: '0', gateway_timeout: '1' }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value])
  const child = spawn(process.execPath, [...TYPESCRIPT, 'bin/trunklined.ts', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password },
  })
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', line => {
    if (!/"level":[1-4]0/.test(line)) errors.push(line)
  })
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', line => {
      const [, address] = /listening on (\S+)/.exec(line) ?? []
      if (address) resolve(address)
    })
    closed.then(() => reject(new Error(`The daemon did not start: ${errors.join('\n')}`)))
  })
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  return {
    url,
    errors,
    isAlive,
    residentMiB: () => {
      try {
        const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
        return kib === undefined ? null : Number(kib) / 1024
      } catch {
        return null
      }
    },
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}
