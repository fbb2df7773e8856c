const NUL = 0
const NEWLINE = 10
const RETURN = 13
const QUOTE = 34
const COMMA = 44

/** After this many bytes, a line end within quotes ends the record after all. */
const LONGEST_QUOTED = 16 * 1024
/** The most bytes that wait for a line end; no record of a switch is nearly as long. */
const LONGEST = 1024 * 1024

/**
 * Where a record ends. `line`: at every line end. `quoted`: at a line end outside quotes, where `""` within quotes is
 * a quote.
 */
export type RecordRule = 'line' | 'quoted'

export interface SplitRecord {
  /** Without its line end; invalid UTF-8 becomes U+FFFD. Never empty. */
  readonly text: string
  /** The byte offset just after the record's line end, to resume from. */
  readonly end: number
  /** True for a part of a record that is longer than 1 MiB: none of the parts can be used. */
  readonly isPart?: true
}

export interface RecordSplitter {
  /** Returns the records that this chunk, which follows the previous one, completes. */
  push(chunk: Uint8Array): SplitRecord[]
  /** Returns what is left when no more will come: a last line without its end. Null if there is none. */
  rest(): SplitRecord | null
}

/**
 * Splits a file into records, whatever its chunks; skips empty lines. `offset` is that of the first chunk's first byte.
 * Holds a torn last line back, so that it can be read again from the last record's `end`.
 *
 * A quote that closes before anything but a comma or a line end, or not within 16 KiB, means that a line was torn: its
 * record then ends at its first line end, and the following ones are whole again. A record over 1 MiB is returned in
 * parts, so that no more than that ever waits.
 */
export function recordSplitter(rule: RecordRule, offset = 0, longest = LONGEST): RecordSplitter {
  const begun = (): Search => ({ at: 0, within: false, lineEndWithin: -1, isByLine: rule === 'line', isPart: false })
  let search = begun()
  let pending = Buffer.alloc(0)
  let start = offset
  const recordOf = (text: string, end: number): SplitRecord =>
    search.isPart ? { text, end, isPart: true } : { text, end }
  return {
    push(chunk) {
      const bytes = pending.length === 0 ? viewOf(chunk) : Buffer.concat([pending, chunk])
      const records: SplitRecord[] = []
      let from = 0
      for (;;) {
        if (search.at === 0) from = afterNuls(bytes, from)
        const found = endOf(bytes, from, search)
        const isTooLong = (found === -1 ? bytes.length : found) - from > longest
        if (found === -1 && !isTooLong) break
        if (isTooLong) search.isPart = true
        const to = isTooLong ? from + longest : found
        const text = textOf(bytes, from, to)
        from = isTooLong ? to : to + 1
        if (text !== '') records.push(recordOf(text, start + from))
        search = isTooLong ? { ...begun(), isByLine: true, isPart: true } : begun()
      }
      pending = Buffer.from(bytes.subarray(from)) // a copy, since the caller may read its next chunk into the same bytes
      start += from
      return records
    },
    rest() {
      const text = textOf(pending, 0, pending.length)
      return text === '' ? null : recordOf(text, start + pending.length)
    },
  }
}

/** How far the search for a record's end got, so that no byte is examined twice. */
interface Search {
  /** Offsets count from the record's first byte. */
  at: number
  within: boolean
  /** The first line end within quotes; -1 if there is none. */
  lineEndWithin: number
  /** True if the next line end ends the record, whatever the quotes. */
  isByLine: boolean
  isPart: boolean
}

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function textOf(bytes: Buffer, from: number, to: number): string {
  const last = to > from && bytes[to - 1] === RETURN ? to - 1 : to
  return bytes.toString('utf8', from, last)
}

/** Skips leading NULs, which a power failure leaves in place of a line that was never written. */
function afterNuls(bytes: Buffer, from: number): number {
  let first = from
  while (bytes[first] === NUL) first++
  return first
}

/**
 * Returns the offset of the line end that ends the record; -1 if it has not come yet. Depends on the record's bytes
 * only.
 */
function endOf(bytes: Buffer, from: number, search: Search): number {
  const found = search.isByLine ? -1 : quotedEnd(bytes, from, search)
  if (!search.isByLine) return found
  const end = bytes.indexOf(NEWLINE, from + search.at)
  search.at = bytes.length - from
  return end
}

function quotedEnd(bytes: Buffer, from: number, search: Search): number {
  let { within, lineEndWithin } = search
  let i = from + search.at
  for (; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === NEWLINE) {
      if (!within) return i
      if (lineEndWithin === -1) lineEndWithin = i - from
    } else if (byte === QUOTE) {
      const next = bytes[i + 1]
      if (within && next === undefined) break
      if (within && next === QUOTE) i++
      else if (within ? closes(next) : opens(bytes, i, from)) within = !within
      else if (lineEndWithin !== -1) return from + lineEndWithin
      else {
        search.isByLine = true
        break
      }
    }
    if (lineEndWithin !== -1 && i - from >= LONGEST_QUOTED) return from + lineEndWithin
  }
  search.at = i - from
  search.within = within
  search.lineEndWithin = lineEndWithin
  return -1
}

const closes = (next: number | undefined): boolean => next === COMMA || next === NEWLINE || next === RETURN

function opens(bytes: Buffer, at: number, from: number): boolean {
  const previous = bytes[at - 1]
  return at === from || previous === COMMA || previous === NUL
}
