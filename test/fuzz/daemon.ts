import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { ADMIN } from '../support/http/app.ts'
import { TYPESCRIPT } from '../support/typescript.ts'
import type { Held } from './kind.ts'
import { openFilesOf } from './open-files.ts'

export interface FuzzedDaemon {
  readonly url: string
  /** The errors that it logged as its own. */
  readonly errors: string[]
  isAlive(): boolean
  held(): Promise<Held>
  stop(): Promise<void>
}

const FLAGS = [...TYPESCRIPT, '--expose-gc', '--import', new URL('probe.mjs', import.meta.url).href]

/** The daemon as its users run it, over that database. */
export async function startFuzzedDaemon(db: string, feeds: readonly object[] = []): Promise<FuzzedDaemon> {
  const settings = { db, port: '0', metrics_port: '0', gateway_timeout: '1', feeds: JSON.stringify(feeds) }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, value])
  const child = spawn(process.execPath, [...FLAGS, 'bin/trunklined.ts', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, TRUNKLINE_ADMIN_EMAIL: ADMIN.email, TRUNKLINE_ADMIN_PASSWORD: ADMIN.password },
  })
  if (!child.stdout || !child.stderr) throw new Error('The daemon has no output.')
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  const errors: string[] = []
  createInterface({ input: child.stderr }).on('line', line => {
    if (!/"level":[1-4]0/.test(line)) errors.push(line)
  })
  const printed = createInterface({ input: child.stdout })
  const url = await new Promise<string>((resolve, reject) => {
    printed.on('line', line => {
      const [, address] = /listening on (\S+)/.exec(line) ?? []
      if (address) resolve(address)
    })
    closed.then(() => reject(new Error(`The daemon did not start: ${errors.join('\n')}`)))
  })
  return {
    url,
    errors,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    held: async () => {
      child.send('tell')
      const [{ delayMs, heapMiB }] = await once(child, 'message')
      return { delayMs, heapMiB, openFiles: openFilesOf(child.pid) }
    },
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}
