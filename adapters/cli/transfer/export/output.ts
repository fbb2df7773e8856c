import { once } from 'node:events'
import { closeSync, linkSync, openSync, readSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { CliError, EXIT } from '../../exit.ts'
import { cannotWrite } from '../../terminal/report.ts'

export interface OutputTarget {
  /** Resolves when there is room for more; false once nobody reads any more. */
  write(text: string): Promise<boolean>
  end(): Promise<void>
  /** Leaves no partial file behind. */
  discard(): void
}

/** Throws if a file exists, unless it `replaces` it, or if it cannot be created. */
export const openOutput = (path: string | undefined, stdout: Writable, replaces: boolean): OutputTarget =>
  path === undefined ? toStream(stdout) : toFile(path, replaces)

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

/** Writes under another name until complete, unless the path is not a regular file. */
function toFile(named: string, replaces: boolean): OutputTarget {
  const there = statSync(named, { throwIfNoEntry: false })
  // A link stays a link.
  const path = there?.isFile() ? realpathSync(named) : named
  const isSpecial = there !== undefined && !there.isFile()
  if (there?.isFile()) assertNoDatabase(path)
  if (there?.isFile() && !replaces) throw inTheWay(named)
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
      if (isSpecial) return
      if (replaces) return renameSync(draft, path)
      linkAt(draft, path)
      rmSync(draft)
    },
    discard: () => {
      close()
      if (!isSpecial) rmSync(draft, { force: true })
    },
  }
}

const inTheWay = (path: string): CliError =>
  new CliError(EXIT.cannotCreate, `${path} already exists; --force overwrites it`)

/** Does not overwrite a file that was created in the meantime. */
function linkAt(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    throw isCode(error, 'EEXIST') ? inTheWay(path) : cannotWrite(path, error)
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

const SQLITE = Buffer.from('SQLite format 3\0')

/** Returns the first bytes of a file, at most this many. */
export function headOf(path: string, length: number): Buffer {
  const file = openSync(path, 'r')
  const head = Buffer.alloc(length)
  const read = readSync(file, head)
  closeSync(file)
  return head.subarray(0, read)
}

/** Throws if the file is a database, such as the open one: no output should ever replace it. */
export function assertNoDatabase(path: string): void {
  if (headOf(path, SQLITE.length).equals(SQLITE))
    throw new CliError(EXIT.cannotCreate, `cannot write ${path}: it is a database`)
}

/** Writes to the open file of that path, at an offset, or after the last write (null). */
export function writeAll(path: string, file: number, content: Buffer, at: number | null): void {
  try {
    for (let done = 0; done < content.length; )
      done += writeSync(file, content, done, content.length - done, at === null ? null : at + done)
  } catch (error) {
    throw cannotWrite(path, error, EXIT.io)
  }
}

/** Opens a file; a new one is readable by its owner only. On failure, throws a CliError that shows the path as `shown`. */
export function openToWrite(path: string, flags: string | number, shown = path): number {
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    throw cannotWrite(shown, error)
  }
}
