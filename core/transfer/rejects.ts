import type { FieldErrors } from '../errors.ts'
import type { RejectSink } from '../ports/transfer.ts'
import { BOM, csvCell } from './csv-text.ts'
import type { Format } from './formats.ts'
import { withoutFirstCell } from './input/csv.ts'
import { REASON } from './rows/columns.ts'

/** How rejected rows are written: as read. */
export interface RejectShape {
  readonly format: Format
  /** True if they begin with a byte-order mark. */
  readonly isMarked: boolean
  readonly delimiter: string
  readonly newline: string
  /** The header row as read. */
  readonly header: string
}

export interface Rejects {
  add(raw: string, errors: FieldErrors): void
  /** How much was written, from where a resumed import continues. */
  readonly bytes: number
  /** Resolves once everything added so far is kept. */
  kept(): Promise<void>
  close(): Promise<void>
}

const NOWHERE: Rejects = { add: () => {}, bytes: 0, kept: async () => {}, close: async () => {} }

/** Puts the reason before a rejected row that stays as read; in JSON, as its own element. */
const FORMS: Readonly<Record<Format, (raw: string, reason: string, shape: RejectShape) => string>> = {
  csv: (raw, reason, { delimiter, newline }) => `${csvCell(reason, delimiter)}${delimiter}${raw}${newline}`,
  ndjson: (raw, reason) => `${JSON.stringify({ [REASON]: reason })}\n${raw}\n`,
  json: (raw, reason) => `${JSON.stringify({ [REASON]: reason })},\n${raw}`,
}

/** Writes rejected rows with their reasons, in the format of the input; nowhere without a sink. */
export function rejectsTo(sink: RejectSink | null, shape: RejectShape): Rejects {
  if (sink === null) return NOWHERE
  const { format, delimiter, newline, header, isMarked } = shape
  const isReject = format === 'csv' && header.startsWith(`${REASON}${delimiter}`)
  /** Removes the reason that a row of a reject file has already. */
  const bare = (raw: string): string => (isReject ? withoutFirstCell(raw, delimiter) : raw)
  return {
    get bytes() {
      return sink.bytes
    },
    add: (raw, errors) => {
      const reason = errors.map(({ field, sentence }) => `${field}: ${sentence}`).join(' ')
      const first = format === 'csv' ? `${REASON}${delimiter}${bare(header)}${newline}` : '['
      const begin = (isMarked ? BOM : '') + (format === 'ndjson' ? '' : first)
      const start = sink.bytes === 0 ? begin : format === 'json' ? ',\n' : ''
      sink.write(start + FORMS[format](bare(raw), reason, shape))
    },
    kept: () => sink.kept(),
    close: async () => {
      if (format === 'json' && sink.bytes > 0) sink.write(']\n')
      await sink.close()
    },
  }
}
