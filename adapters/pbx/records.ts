import type { SourceFormat } from '../../core/calls/completed-call.ts'
import type { SwitchRecord } from '../../core/ports/calls.ts'
import { detectFormat, formats } from './formats/detect.ts'
import { recordSplitter, type SplitRecord } from './record-splitter.ts'

/** Records read together, and the offset just after the last of them. */
export interface Batch {
  readonly records: readonly SwitchRecord[]
  readonly position: number
}

/** One transaction's worth: a sync is expensive, and so is holding the event loop. */
const BATCH = 1_000
/** About the most bytes that are read together, since records may be long. */
const BATCH_BYTES = 8 * 1024 * 1024
const TOO_LONG = 'is a part of a record longer than 1 MiB: line ends are missing'
/** The number of lines to try before giving up on the format. */
const TRIED = 50

/** Parses a record's text to what is stored: a call, or why it could not be read. */
export function readRecord(format: SourceFormat, raw: string): SwitchRecord {
  const call = formats[format].parse(raw)
  return 'reason' in call ? { format, raw, reason: call.reason } : { call }
}

/** Returns the format of the first lines; null if no parser can read any of them. */
export function formatOf(head: string): SourceFormat | null {
  for (const line of head.split(/\r?\n/, TRIED)) {
    const format = line.trim() === '' ? null : detectFormat(line)
    if (format) return format
  }
  return null
}

interface Reading {
  /** The offset of the first chunk's first byte. */
  readonly position?: number
  /** Returns how many records to read together; called before each batch. */
  readonly size?: () => number
  /** Called at the end: true if no more will come, so that a last line without its end is a record too. */
  readonly isFinal: () => boolean
}

/**
 * Yields batches of records as chunks arrive. Leaves what follows the last line end for later, unless that is final.
 */
export async function* readBatches(
  chunks: AsyncIterable<Uint8Array>,
  format: SourceFormat,
  { position = 0, size = () => BATCH, isFinal }: Reading,
): AsyncIterable<Batch> {
  const splitter = recordSplitter(formats[format].rule, position)
  let waiting: SplitRecord[] = []
  let done = position
  const take = (count: number): Batch => {
    const split = waiting.splice(0, count)
    done = split.at(-1)?.end ?? done
    return { records: split.map(one => recordOf(format, one)), position: done }
  }
  for await (const chunk of chunks) {
    waiting = waiting.concat(splitter.push(chunk))
    for (let next = size(); waiting.length >= next; next = size()) yield take(next)
    if ((waiting.at(-1)?.end ?? done) - done >= BATCH_BYTES) yield take(waiting.length)
  }
  const rest = isFinal() ? splitter.rest() : null
  if (rest) waiting.push(rest)
  if (waiting.length > 0) yield take(waiting.length)
}

const recordOf = (format: SourceFormat, { text, isPart }: SplitRecord): SwitchRecord =>
  isPart ? { format, raw: text, reason: TOO_LONG } : readRecord(format, text)
