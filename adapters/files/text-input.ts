import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HeadDigest, TextInput } from '../../core/ports/transfer.ts'
import { stopped, TransferFailure } from '../../core/transfer/failure.ts'
import type { Cut, Splitter } from '../../core/transfer/input/cut.ts'

const BLOCK = 128 * 1024
/** No valid row is longer; an unclosed quote makes one row of everything that follows. */
const LONGEST_ROW = 4 * 1024 * 1024
const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const UTF_16 = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
/** The first bytes of files that people mistake for text. */
const NO_TEXT: readonly (readonly [mark: Buffer, what: string])[] = [
  [Buffer.from('PK\u0003\u0004'), 'a workbook or a zip file, not text: save it as CSV'],
  [Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), 'a workbook, not text: save it as CSV'],
  [Buffer.from([0x1f, 0x8b]), 'compressed, not text: unpack it first'],
]

const bytesOf = (chunk: unknown): Buffer => {
  if (Buffer.isBuffer(chunk)) return chunk
  return typeof chunk === 'string' || chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0)
}

/** Reads the beginning of a text. Throws TransferFailure if it is UTF-16 or not text. */
export const openText = (name: string, stream: Readable, signal?: AbortSignal): Promise<TextInput> =>
  StreamedText.open(name, stream, signal)

const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

/** Once the signal has aborted, a truncated text counts as interrupted. */
class StreamedText implements TextInput {
  readonly name: string
  offset = 0
  hasMark = false
  line = 1
  #head: Buffer = Buffer.alloc(0)
  readonly #stream: Readable
  readonly #chunks: AsyncIterator<unknown>
  readonly #signal: AbortSignal | undefined
  readonly #hash = createHash('sha256')
  #pending: Buffer = Buffer.alloc(0)
  #isLast = false

  private constructor(name: string, stream: Readable, signal: AbortSignal | undefined) {
    this.name = name
    this.#stream = stream
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#signal = signal
  }

  static async open(name: string, stream: Readable, signal?: AbortSignal): Promise<StreamedText> {
    const input = new StreamedText(name, stream, signal)
    await input.#fill()
    const other = NO_TEXT.find(([mark]) => input.#pending.subarray(0, mark.length).equals(mark))
    if (other) throw new TransferFailure('data', `${name} is ${other[1]}`)
    const wide = wideEncoding(input.#pending)
    if (wide !== null)
      throw new TransferFailure('data', `${name} is UTF-16, not UTF-8`, { kind: 'convert', from: wide })
    input.hasMark = input.#pending.subarray(0, 3).equals(BOM)
    if (input.hasMark) input.#pass(3)
    input.#head = input.#pending
    return input
  }

  get head(): string {
    return this.#head.toString('utf8')
  }

  headDigest(bytes: number): HeadDigest {
    const first = this.#head.subarray(0, bytes)
    return { length: first.length, digest: digestOf(first) }
  }

  stop(): void {
    this.#stream.destroy()
  }

  digest(): string {
    return this.#hash.copy().digest('hex')
  }

  async skipTo(offset: number, line: number): Promise<boolean> {
    while (this.offset < offset) {
      this.#pass(Math.min(this.#pending.length, offset - this.offset))
      if (this.offset === offset) break
      if (this.#isLast) return false
      await this.#fill()
    }
    this.line = line
    return this.offset === offset
  }

  async *rows({ boundary, split, ending }: Splitter, limit: number): AsyncGenerator<Cut> {
    for (;;) {
      const text = this.#readable(boundary)
      for (let at = 0; text !== null && at < text.length; ) {
        const cut = split({ text, start: at, line: this.line, limit, isLast: this.#isLast })
        if (cut.end === at) break
        this.#pass(Buffer.byteLength(at === 0 && cut.end === text.length ? text : text.slice(at, cut.end)))
        at = cut.end
        this.line = cut.line
        yield cut
        await nextTurn()
      }
      if (this.#isLast) {
        const fault = ending?.(this.line)
        if (fault) yield { rows: [fault], blank: [], end: 0, line: this.line }
        return
      }
      if (this.#pending.length > LONGEST_ROW)
        throw new TransferFailure('data', `${this.name}:${this.line}: the row that begins here has no end within 4 MiB`)
      await this.#fill()
    }
  }

  async #fill(): Promise<void> {
    const parts = [this.#pending]
    for (let size = 0; size < BLOCK && !this.#isLast; ) {
      const { value, done } = await this.#next()
      if (done) this.#isLast = true
      else parts.push(bytesOf(value))
      size += done ? 0 : (parts.at(-1)?.length ?? 0)
    }
    this.#pending = parts.length === 2 && parts[0]?.length === 0 && parts[1] ? parts[1] : Buffer.concat(parts)
  }

  async #next(): Promise<IteratorResult<unknown>> {
    try {
      return await this.#chunks.next()
    } catch (error) {
      throw this.#signal?.aborted ? stopped() : error
    }
  }

  #pass(bytes: number): void {
    this.#hash.update(this.#pending.subarray(0, bytes))
    this.#pending = this.#pending.subarray(bytes)
    this.offset += bytes
  }

  /** Returns the text up to the last byte that may end a row; null if there is none yet. */
  #readable(boundary: number): string | null {
    const end = this.#isLast ? this.#pending.length : this.#pending.lastIndexOf(boundary) + 1
    if (end === 0) return null
    const bytes = this.#pending.subarray(0, end)
    if (!isUtf8(bytes)) throw notUtf8(this.name, bytes, this.line)
    return bytes.toString('utf8')
  }
}

/**
 * Returns the kind of UTF-16 that a text begins with, by a byte-order mark or an ASCII letter; null if it is neither.
 */
function wideEncoding(head: Buffer): string | null {
  if (UTF_16.some(mark => head.subarray(0, 2).equals(mark))) return 'UTF-16'
  if (head[0] === head[1]) return null
  return head[1] === 0 ? 'UTF-16LE' : head[0] === 0 ? 'UTF-16BE' : null
}

function notUtf8(name: string, bytes: Buffer, first: number): TransferFailure {
  let line = first
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(10, start)
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) break
    start = end + 1
  }
  return new TransferFailure('data', `${name}:${line}: the text is not UTF-8; a spreadsheet's may be WINDOWS-1252`, {
    kind: 'convert',
    from: 'WINDOWS-1252',
  })
}
