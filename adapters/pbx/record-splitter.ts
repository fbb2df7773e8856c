const NUL = 0
const NEWLINE = 10
const RETURN = 13
const QUOTE = 34
const COMMA = 44

/** Past so many bytes, a line end within quotes is no longer believed to be within quotes. */
const LONGEST_QUOTED = 16 * 1024

/**
 * Where a record ends. `line`: at every line end. `quoted`: at a line end outside quotes, where `""` within quotes is
 * a quote.
 */
export type RecordRule = 'line' | 'quoted'

export interface SplitRecord {
  /** Without its line end; bytes that are no UTF-8 come as U+FFFD. Never empty. */
  readonly text: string
  /** The offset, in bytes, just after the record's line end: the place to resume from. */
  readonly end: number
}

export interface RecordSplitter {
  /** The records that are whole with this chunk, which follows on the last one. */
  push(chunk: Uint8Array): SplitRecord[]
  /** What is left when no more will come: a last line without its end. Null when there is none. */
  rest(): SplitRecord | null
}

/**
 * Splits a file into records, whatever the chunks it comes in; empty lines are left out. `offset` is that of the first
 * chunk's first byte. A torn last line stays within, so that it can be read again from the last record's `end`.
 *
 * A quote that is closed before anything but a comma or a line end, or not within 16 KiB, shows that a line was torn:
 * its record then ends at its first line end, and the ones that follow are whole again.
 */
export function recordSplitter(rule: RecordRule, offset = 0): RecordSplitter {
  const endOf = rule === 'line' ? lineEnd : quotedEnd
  let pending = Buffer.alloc(0)
  let start = offset
  return {
    push(chunk) {
      const bytes = pending.length === 0 ? viewOf(chunk) : Buffer.concat([pending, chunk])
      const records: SplitRecord[] = []
      let from = 0
      for (let to = endOf(bytes, from); to !== -1; to = endOf(bytes, from)) {
        const text = textOf(bytes, from, to)
        from = to + 1
        if (text !== '') records.push({ text, end: start + from })
      }
      pending = Buffer.from(bytes.subarray(from)) // a copy, since the caller may read its next chunk into the same bytes
      start += from
      return records
    },
    rest() {
      const text = textOf(pending, 0, pending.length)
      return text === '' ? null : { text, end: start + pending.length }
    },
  }
}

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** NULs in front are what a power failure leaves of a line that was never written. */
function textOf(bytes: Buffer, from: number, to: number): string {
  const last = to > from && bytes[to - 1] === RETURN ? to - 1 : to
  let first = from
  while (first < last && bytes[first] === NUL) first++
  return bytes.toString('utf8', first, last)
}

const lineEnd = (bytes: Buffer, from: number): number => bytes.indexOf(NEWLINE, from)

/** The place of the line end that ends the record, -1 when it has not come yet. Depends on the record's bytes only. */
function quotedEnd(bytes: Buffer, from: number): number {
  let within = false
  let lineEndWithin = -1
  for (let i = from; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === NEWLINE) {
      if (!within) return i
      if (lineEndWithin === -1) lineEndWithin = i
    } else if (byte === QUOTE) {
      const next = bytes[i + 1]
      if (within && next === undefined) return -1
      if (within && next === QUOTE) i++
      else if (within ? closes(next) : opens(bytes, i, from)) within = !within
      else return lineEndWithin === -1 ? lineEnd(bytes, i) : lineEndWithin
    }
    if (lineEndWithin !== -1 && i - from >= LONGEST_QUOTED) return lineEndWithin
  }
  return -1
}

const closes = (next: number | undefined): boolean => next === COMMA || next === NEWLINE || next === RETURN

function opens(bytes: Buffer, at: number, from: number): boolean {
  const previous = bytes[at - 1]
  return at === from || previous === COMMA || previous === NUL
}
