import { open, readFileSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Io } from './context.ts'
import { CliError, EXIT } from './exit.ts'

const STDIN = new Set(['-', '/dev/stdin', '/dev/fd/0'])

/**
 * Opens a path that can only be read as a stream: standard input, a FIFO, or a shell's `<(…)`. Null for files and
 * folders. A FIFO becomes a socket, since a file read could not be aborted.
 */
export async function openStream({ stdin }: Pick<Io, 'stdin'>, path: string): Promise<Readable | null> {
  if (STDIN.has(path)) return stdin
  if (!statSync(path, { throwIfNoEntry: false })?.isFIFO()) return null
  return new Socket({ fd: await promisify(open)(path, 'r'), readable: true, writable: false })
}

/** Reads a whole file, or standard input for `-`. */
export async function readText(io: Pick<Io, 'stdin'>, path: string): Promise<string> {
  if (STDIN.has(path)) return readAll(io.stdin)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new CliError(EXIT.noInput, `cannot read ${path} (${reason})`)
  }
}

/** Reads a secret: the first line of a file or of standard input. */
export async function readSecret(io: Pick<Io, 'stdin'>, path: string): Promise<string> {
  const [line = ''] = (await readText(io, path)).split(/\r?\n/)
  if (line === '') throw new CliError(EXIT.noInput, `there is no secret in ${path === '-' ? 'standard input' : path}`)
  return line
}
