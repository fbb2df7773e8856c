import type { Field } from '../../../core/resources/field.ts'

const [TAB, NEWLINE, QUOTE, BACKSLASH, COMMA] = [0x09, 0x0a, 0x22, 0x5c, 0x2c]
const [MINUS, POINT, ZERO] = [0x2d, 0x2e, 0x30]
const [CAPITAL_N, SMALL_T, SMALL_V] = [0x4e, 0x74, 0x76]
const FIRST_PRINTABLE = 0x20
/** Digits after the point of an amount. */
const PLACES = 4
/** The most bytes that become of one, as `\u0001`. */
const LONGEST = 6

const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const [NULL, TRUE, FALSE, VERTICAL_TAB] = [latin('null'), latin('true'), latin('false'), latin('\\u000b')]

/** 1 for the bytes of a text that end it or are written in another way than they are sent. */
const SPECIAL = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH ? 1 : 0,
)

/** What a backslash and this byte stand for; the byte itself, unless given. */
const ORIGINALS = Uint8Array.from({ length: 256 }, (_, byte) => byte)
for (const [mark, original] of Object.entries({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v' }))
  ORIGINALS[mark.charCodeAt(0)] = original.charCodeAt(0)

const NOTHING = Buffer.alloc(0)

/**
 * Reads lines of COPY value by value, and writes JSON, all as bytes: with a string for each value it would take four
 * times as long.
 */
export class CopiedLines {
  readonly #heads: number
  #in: Buffer = NOTHING
  #out: Buffer = NOTHING
  /** The place in the line, where the line ends, and where what was written ends. */
  #at = 0
  #lineEnd = 0
  #end = 0

  /** `heads`: the most bytes that are written to a line besides its values. */
  constructor(heads: number) {
    this.#heads = heads
  }

  /** How many bytes were written. */
  get written(): number {
    return this.#end
  }

  /** Returns what was written since the last time. */
  take(): string {
    const text = this.#out.toString('utf8', 0, this.#end)
    this.#end = 0
    return text
  }

  /** Goes to this line, with a comma between what is written of two. It must not change meanwhile. */
  begin(line: Buffer): void {
    this.#in = line
    this.#at = 0
    this.#lineEnd = line.length - 1
    const needed = this.#end + this.#heads + LONGEST * line.length + 1
    if (needed > this.#out.length) this.#grow(needed)
    if (this.#end > 0) this.#out[this.#end++] = COMMA
  }

  write(bytes: Uint8Array): void {
    const out = this.#out
    let end = this.#end
    for (let index = 0; index < bytes.length; index++) out[end++] = bytes[index] ?? 0
    this.#end = end
  }

  isNull(): boolean {
    return this.#in[this.#at] === BACKSLASH && this.#in[this.#at + 1] === CAPITAL_N
  }

  skip(): void {
    let at = this.#at
    for (let byte = this.#in[at]; byte !== TAB && at < this.#lineEnd; byte = this.#in[at]) at++
    this.#at = at + 1
  }

  /** Writes the next value. */
  value(kind: Field['kind']): void {
    if (this.isNull()) {
      this.write(NULL)
      this.skip()
    } else if (kind === 'text' || kind === 'date') this.#text()
    else if (kind === 'decimal') this.#amount()
    else if (kind === 'boolean') {
      this.write(this.#in[this.#at] === SMALL_T ? TRUE : FALSE)
      this.skip()
    } else this.#asItIs()
  }

  /** COPY and JSON escape most characters alike. */
  #text(): void {
    const [input, out] = [this.#in, this.#out]
    let [at, end] = [this.#at, this.#end]
    out[end++] = QUOTE
    for (;;) {
      let byte = input[at] ?? NEWLINE
      while (SPECIAL[byte] === 0) {
        out[end++] = byte
        byte = input[++at] ?? NEWLINE
      }
      if (byte === TAB || byte === NEWLINE) break
      at++
      if (byte === BACKSLASH && input[at] !== SMALL_V) {
        out[end++] = BACKSLASH
        out[end++] = input[at++] ?? 0
      } else if (byte === QUOTE) {
        out[end++] = BACKSLASH
        out[end++] = QUOTE
      } else {
        const escaped = byte === BACKSLASH ? VERTICAL_TAB : latin(`\\u${byte.toString(16).padStart(4, '0')}`)
        if (byte === BACKSLASH) at++
        for (const each of escaped) out[end++] = each
      }
    }
    out[end++] = QUOTE
    ;[this.#at, this.#end] = [at + 1, end]
  }

  #amount(): void {
    const [input, out] = [this.#in, this.#out]
    let [at, end] = [this.#at, this.#end]
    this.skip()
    const last = this.#at - 1
    out[end++] = QUOTE
    if (input[at] === MINUS) out[end++] = input[at++] ?? 0
    if (last - at <= PLACES) out[end++] = ZERO
    else while (last - at > PLACES) out[end++] = input[at++] ?? 0
    out[end++] = POINT
    for (let missing = PLACES - (last - at); missing > 0; missing--) out[end++] = ZERO
    while (at < last) out[end++] = input[at++] ?? 0
    out[end++] = QUOTE
    this.#end = end
  }

  #asItIs(): void {
    const [input, out] = [this.#in, this.#out]
    let [at, end] = [this.#at, this.#end]
    for (let byte = input[at]; byte !== TAB && at < this.#lineEnd; byte = input[at]) {
      out[end++] = byte === BACKSLASH ? (ORIGINALS[input[++at] ?? 0] ?? 0) : (byte ?? 0)
      at++
    }
    ;[this.#at, this.#end] = [at + 1, end]
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(needed * 2)
    this.#out.copy(larger, 0, 0, this.#end)
    this.#out = larger
  }
}
