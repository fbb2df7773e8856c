import { readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import type { Io } from './context.ts'
import { CliError, EXIT } from './exit.ts'

/** The whole of a file, or of standard input for `-`. */
export async function readText(io: Pick<Io, 'stdin'>, path: string): Promise<string> {
  if (path === '-') return readAll(io.stdin)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new CliError(EXIT.noInput, `cannot read ${path} (${reason})`)
  }
}

/** A secret from a file or standard input: its first line. */
export async function readSecret(io: Pick<Io, 'stdin'>, path: string): Promise<string> {
  const [line = ''] = (await readText(io, path)).split(/\r?\n/)
  if (line === '') throw new CliError(EXIT.noInput, `there is no secret in ${path === '-' ? 'standard input' : path}`)
  return line
}
