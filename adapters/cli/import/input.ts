import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { quoted } from '../command-line.ts'
import { CliError, EXIT, interruption } from '../exit.ts'

/** Why a row cannot be read, as a sentence. */
export class Fault {
  readonly sentence: string
  constructor(sentence: string) {
    this.sentence = sentence
  }
}

/** One row of an input, before its values are read. */
export interface SourceRow {
  /** The line it starts on. */
  readonly line: number
  /** The row as it came, without its line end. */
  readonly raw: string
  readonly content: readonly string[] | { readonly json: unknown } | Fault
}

/** What a format makes of a stretch of text: the rows that are whole in it. */
export interface Cut {
  readonly rows: SourceRow[]
  /** The lines of rows without any value. */
  readonly blank: number[]
  /** How far the text was taken, and the line that begins there. */
  readonly end: number
  readonly line: number
}

export interface Splitter {
  /** The byte after which a row may end. */
  readonly boundary: number
  /**
   * Takes at most `limit` rows off the text from `start`, which is on `line`. `isLast`: no more text will follow, so
   * what is left is whole or at fault.
   */
  split(text: string, start: number, line: number, limit: number, isLast: boolean): Cut
}

export interface Input {
  readonly name: string
  /** Bytes before the rows that come next. */
  readonly offset: number
  readonly line: number
  /** The first bytes, without a byte-order mark: at least a header. */
  readonly head: Buffer
  /** A digest of all bytes before `offset`. */
  digest(): string
  /** Goes on to a place further on; false when the input is too short for it. */
  skipTo(offset: number, line: number): Promise<boolean>
  /** The rows in stretches of at most `limit`; `offset` and `line` are those after the stretch. */
  rows(splitter: Splitter, limit: number): AsyncGenerator<Cut>
}

const BLOCK = 128 * 1024
/** No row of a sound file is longer; a quote that is never closed makes one row of all that follows. */
const LONGEST_ROW = 4 * 1024 * 1024
const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const UTF_16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]

const bytesOf = (chunk: unknown): Buffer => {
  if (Buffer.isBuffer(chunk)) return chunk
  return typeof chunk === 'string' || chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0)
}

/** Once the signal has come, a stream that is cut off is an interruption. */
export async function openInput(name: string, stream: AsyncIterable<unknown>, signal?: AbortSignal): Promise<Input> {
  const chunks = stream[Symbol.asyncIterator]()
  const next = (): Promise<IteratorResult<unknown>> =>
    chunks.next().catch(error => {
      throw signal?.aborted ? interruption(signal) : error
    })
  const hash = createHash('sha256')
  let pending: Buffer = Buffer.alloc(0)
  let isLast = false
  let offset = 0
  let line = 1

  const fill = async (): Promise<void> => {
    const parts = [pending]
    for (let size = 0; size < BLOCK && !isLast; ) {
      const { value, done } = await next()
      if (done) isLast = true
      else parts.push(bytesOf(value))
      size += done ? 0 : (parts.at(-1)?.length ?? 0)
    }
    pending = parts.length === 2 && parts[0]?.length === 0 && parts[1] ? parts[1] : Buffer.concat(parts)
  }
  const pass = (bytes: number): void => {
    hash.update(pending.subarray(0, bytes))
    pending = pending.subarray(bytes)
    offset += bytes
  }
  await fill()
  if (UTF_16.some(mark => pending.subarray(0, 2).equals(mark)))
    throw new CliError(EXIT.data, `${name} is UTF-16, not UTF-8`, conversion(name, 'UTF-16'))
  if (pending.subarray(0, 3).equals(BOM)) pass(3)

  /** The text up to the last byte that may end a row; null when there is none yet. */
  const readable = (boundary: number): string | null => {
    const end = isLast ? pending.length : pending.lastIndexOf(boundary) + 1
    if (end === 0) return null
    const bytes = pending.subarray(0, end)
    if (!isUtf8(bytes)) throw notUtf8(name, bytes, line)
    return bytes.toString('utf8')
  }

  async function* rows({ boundary, split }: Splitter, limit: number): AsyncGenerator<Cut> {
    for (;;) {
      const text = readable(boundary)
      for (let at = 0; text !== null && at < text.length; ) {
        const cut = split(text, at, line, limit, isLast)
        if (cut.end === at) break
        const bytes = Buffer.byteLength(at === 0 && cut.end === text.length ? text : text.slice(at, cut.end))
        at = cut.end
        pass(bytes)
        line = cut.line
        yield cut
      }
      if (isLast) return
      if (pending.length > LONGEST_ROW)
        throw new CliError(EXIT.data, `${name}:${line}: the row that begins here has no end within 4 MiB`)
      await fill()
    }
  }

  return {
    name,
    get offset() {
      return offset
    },
    get line() {
      return line
    },
    head: pending,
    digest: () => hash.copy().digest('hex'),
    skipTo: async (target, targetLine) => {
      while (offset < target) {
        pass(Math.min(pending.length, target - offset))
        if (offset === target) break
        if (isLast) return false
        await fill()
      }
      line = targetLine
      return offset === target
    },
    rows,
  }
}

/** The command that makes a copy in UTF-8; none for what is no file. */
const conversion = (name: string, from: string): string | undefined =>
  name === '-'
    ? undefined
    : `iconv -f ${from} -t UTF-8 ${quoted(name)} > ${quoted(join(dirname(name), `utf-8-${basename(name)}`))}`

function notUtf8(name: string, bytes: Buffer, first: number): CliError {
  let line = first
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(10, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  return new CliError(
    EXIT.data,
    `${name}:${line}: the text is not UTF-8; a spreadsheet's may be WINDOWS-1252`,
    conversion(name, 'WINDOWS-1252'),
  )
}
