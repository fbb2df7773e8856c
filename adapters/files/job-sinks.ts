import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { AppError } from '../../core/errors.ts'
import type { RejectSink } from '../../core/ports/transfer.ts'
import type { ImportError } from '../../core/transfer/found.ts'

const OWNER_ALONE = 0o600
/** Bytes gathered before writing. */
const BLOCK = 64 * 1024

/** A file that is appended to, in blocks. */
function growing(path: string, from: number) {
  const file = openSync(path, existsSync(path) ? 'r+' : 'w', OWNER_ALONE)
  ftruncateSync(file, from)
  let pending: string[] = []
  let length = 0
  let bytes = from
  const flush = (): void => {
    const content = Buffer.from(pending.join(''))
    pending = []
    length = 0
    try {
      for (let done = 0; done < content.length; )
        done += writeSync(file, content, done, content.length - done, bytes + done)
    } catch (error) {
      throw new AppError('storage_full', 'The disk is full or cannot be written.', { cause: error })
    }
    bytes += content.length
  }
  return {
    /** Its length, including what is still to be written. */
    get bytes() {
      if (length > 0) flush()
      return bytes
    },
    write: (text: string): void => {
      pending.push(text)
      length += text.length
      if (length >= BLOCK) flush()
    },
    close: (): void => {
      flush()
      closeSync(file)
    },
  }
}

/** The rejected rows of a job; the file is created with the first of them. */
export function rejectSink(path: string, resumeAt: number | null): RejectSink {
  if (resumeAt === null) rmSync(path, { force: true })
  let file = existsSync(path) && resumeAt !== null ? growing(path, resumeAt) : null
  return {
    get bytes() {
      return file?.bytes ?? 0
    },
    write: text => {
      file ??= growing(path, 0)
      file.write(text)
    },
    close: () => file?.close(),
  }
}

/** Every error of a job as a line of JSON; keeps existing ones before a line of the input. */
export function errorSink(path: string, resumeLine: number | null) {
  const file = growing(path, resumeLine === null ? 0 : endOfErrors(path, resumeLine))
  return {
    add: (error: ImportError): void => file.write(`${JSON.stringify(error)}\n`),
    close: file.close,
  }
}

function endOfErrors(path: string, line: number): number {
  if (!existsSync(path)) return 0
  let end = 0
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    if (text === '' || Number(JSON.parse(text).line) >= line) break
    end += Buffer.byteLength(text) + 1
  }
  return end
}

/** The output of an export, under another name until it is complete. */
export function outputSink(path: string) {
  const draft = `${path}.part`
  rmSync(draft, { force: true })
  const file = growing(draft, 0)
  return {
    write: file.write,
    end: (): number => {
      file.close()
      renameSync(draft, path)
      return file.bytes
    },
    discard: (): void => {
      rmSync(draft, { force: true })
    },
  }
}
