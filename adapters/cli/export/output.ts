import { once } from 'node:events'
import { closeSync, openSync, readSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { CliError, EXIT } from '../exit.ts'
import { cannotWrite } from '../report.ts'

export interface OutputTarget {
  /** Resolves when there is room for more; false once nobody reads any longer. */
  write(text: string): Promise<boolean>
  end(): Promise<void>
  /** Leaves no half of a file behind. */
  discard(): void
}

export const openOutput = (path: string | undefined, stdout: Writable): OutputTarget =>
  path === undefined ? toStream(stdout) : toFile(path)

function toStream(stream: Writable): OutputTarget {
  let failure: Error | null = null
  const fail = (error: Error): void => {
    failure = error
  }
  stream.on('error', fail)
  const isOpen = (): boolean => {
    if (!failure) return !stream.destroyed
    if ('code' in failure && failure.code === 'EPIPE') return false
    throw failure
  }
  return {
    write: async text => {
      if (!isOpen()) return false
      if (text !== '' && !stream.write(text)) await roomIn(stream)
      return isOpen()
    },
    end: async () => void stream.off('error', fail),
    discard: () => void stream.off('error', fail),
  }
}

/** Resolves when the stream takes more, or never will. */
async function roomIn(stream: Writable): Promise<void> {
  const settled = new AbortController()
  const { signal } = settled
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => undefined)
  settled.abort()
}

/** Under another name until it is whole, unless what is there is no plain file. */
function toFile(given: string): OutputTarget {
  const there = statSync(given, { throwIfNoEntry: false })
  // A link stays one.
  const path = there?.isFile() ? realpathSync(given) : given
  const isSpecial = there !== undefined && !there.isFile()
  if (there?.isFile()) assertNoDatabase(path)
  const draft = isSpecial ? path : `${path}.part-${process.pid}`
  const file = openToWrite(draft, isSpecial ? 'w' : 'wx', path)
  let isOpen = true
  const close = (): void => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return {
    write: async text => {
      writeAll(path, file, Buffer.from(text), null)
      return true
    },
    end: async () => {
      close()
      if (!isSpecial) renameSync(draft, path)
    },
    discard: () => {
      close()
      if (!isSpecial) rmSync(draft, { force: true })
    },
  }
}

const SQLITE = Buffer.from('SQLite format 3\0')

/** Throws where the file is a database, such as the one that is worked on: no output is meant to take its place. */
export function assertNoDatabase(path: string): void {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(SQLITE.length)
  readSync(file, head)
  closeSync(file)
  if (head.equals(SQLITE)) throw new CliError(EXIT.cannotCreate, `cannot write ${path}: it is a database`)
}

/** Writes to the file that is open for that path, at a place of it, or behind what it was written last (null). */
export function writeAll(path: string, file: number, content: Buffer, at: number | null): void {
  try {
    for (let done = 0; done < content.length; )
      done += writeSync(file, content, done, content.length - done, at === null ? null : at + done)
  } catch (error) {
    throw cannotWrite(path, error, EXIT.io)
  }
}

/** Opens a file, one that is made being readable by its owner alone. Throws CliError, which names it as `shown`. */
export function openToWrite(path: string, flags: string | number, shown = path): number {
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    throw cannotWrite(shown, error)
  }
}
