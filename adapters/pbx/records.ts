import type { SwitchRecord } from '../../core/ports.ts'
import type { SourceFormat } from '../../core/rating/completed-call.ts'
import { detectFormat, formats } from './detect.ts'
import { recordSplitter } from './record-splitter.ts'

/** Records read together, and the place just after the last of them. */
export interface Batch {
  readonly records: readonly SwitchRecord[]
  readonly position: number
}

/** One transaction's worth: a sync is dear, and so is holding the loop. */
const BATCH = 1_000
/** So many lines are tried before the format is given up on. */
const TRIED = 50

/** One record's text as what is stored: a call, or what could not be read and why. */
export function readRecord(format: SourceFormat, raw: string): SwitchRecord {
  const call = formats[format].parse(raw)
  return 'reason' in call ? { format, raw, reason: call.reason } : { call }
}

/** The format that the first lines are written in; null when no parser can read any of them. */
export function formatOf(head: string): SourceFormat | null {
  for (const line of head.split(/\r?\n/, TRIED)) {
    const format = line.trim() === '' ? null : detectFormat(line)
    if (format) return format
  }
  return null
}

/**
 * Reads records in batches as chunks come. `position` is the first chunk's offset; what follows the last line end is
 * left for later, unless `final` says that no more will come.
 */
export async function* readBatches(
  chunks: AsyncIterable<Uint8Array>,
  format: SourceFormat,
  { position = 0, final }: { position?: number; final: boolean },
): AsyncIterable<Batch> {
  const splitter = recordSplitter(formats[format].rule, position)
  for await (const chunk of chunks) {
    const found = splitter.push(chunk)
    for (let start = 0; start < found.length; start += BATCH) {
      const slice = found.slice(start, start + BATCH)
      yield {
        records: slice.map(({ text }) => readRecord(format, text)),
        position: slice.at(-1)?.end ?? position,
      }
    }
  }
  const rest = final ? splitter.rest() : null
  if (rest) yield { records: [readRecord(format, rest.text)], position: rest.end }
}
