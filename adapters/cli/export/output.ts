import { once } from 'node:events'
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { CliError, EXIT } from '../exit.ts'

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
function toFile(path: string): OutputTarget {
  const there = statSync(path, { throwIfNoEntry: false })
  const isSpecial = there !== undefined && !there.isFile()
  const draft = isSpecial ? path : `${path}.part-${process.pid}`
  const file = openToWrite(draft, isSpecial ? 'w' : 'wx')
  let isOpen = true
  const close = (): void => {
    if (isOpen) closeSync(file)
    isOpen = false
  }
  return {
    write: async text => {
      const bytes = Buffer.from(text)
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
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

/** Opens a file, one that is made being readable by its owner alone. Throws CliError. */
export function openToWrite(path: string, flags: string | number): number {
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new CliError(EXIT.cannotCreate, `cannot write ${path} (${code})`)
  }
}
