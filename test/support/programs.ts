import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import { text } from 'node:stream/consumers'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. */
export async function run(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ran> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...options.env }
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, env })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: Number(code), stdout, stderr }
}

/** Runs the built command line on a database. */
export const trunkline = (db: string, ...args: string[]): Promise<Ran> =>
  run(process.execPath, ['dist/bin/trunkline.js', '--db', db, ...args])

const PAGE_BYTES = 4096

/** Overwrites a database's pages from this one on, or this many, with invalid data; page 0 is the header. */
export function damage(path: string, from: number, count = Number.POSITIVE_INFINITY): void {
  const file = openSync(path, 'r+')
  const start = from * PAGE_BYTES
  const length = Math.min(fstatSync(file).size - start, count * PAGE_BYTES)
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, start)
  closeSync(file)
}
