import type { FieldErrors } from '../errors.ts'
import { packed } from '../packed-records.ts'
import type { BulkRecord, BulkRecords } from '../ports/bulk.ts'
import type { TextInput } from '../ports/transfer.ts'
import type { SourceRow } from './input/cut.ts'
import { isReason, type OpenedSource } from './input/source.ts'
import type { Mark } from './place.ts'
import { REASON } from './rows/columns.ts'
import type { Warning } from './rows/evaluate.ts'
import type { Names } from './rows/names.ts'

type RejectedRow = Pick<BulkRecord, 'row'> & { readonly source: SourceRow; readonly errors: FieldErrors }
type WarnedRow = Pick<BulkRecord, 'row' | 'line'> & { readonly warnings: readonly Warning[] }

/** Rows that were read together. */
export interface Batch {
  readonly records: readonly BulkRecords[]
  /** Rows that break a rule. */
  readonly rejected: readonly RejectedRow[]
  /** Accepted rows that may not mean what they seem to. */
  readonly warned: readonly WarnedRow[]
  readonly rows: number
  /** The lines of rows without any value. */
  readonly blank: readonly number[]
  /** The place in the input after these rows. */
  readonly reached: Reached
}

export type Reached = Pick<Mark, 'offset' | 'line' | 'digest'>

export interface Reading {
  readonly input: TextInput
  readonly opened: OpenedSource
  readonly names: Names
  /** True if the rows start at a place within the input. */
  readonly isWithin: boolean
  /** True if rejected rows must be returned as read. */
  readonly keepsRaw: boolean
  readonly signal: AbortSignal | undefined
  /** Replaces the keys of records by those of the stored records that they mean. */
  readonly withStoredKeys: (records: readonly BulkRecord[]) => Promise<readonly BulkRecord[]>
}

/** Rows read at once. */
const STRETCH = 500
/** About the most characters of a batch, whatever its rows: they stay in memory until they are stored. */
const BATCH_LENGTH = 8 * 1024 * 1024

export const reachedIn = (input: TextInput): Reached => ({
  offset: input.offset,
  line: input.line,
  digest: input.digest(),
})

/**
 * Reads an input to its end or until the signal aborts, in batches of about as many rows as `size` returns at that
 * moment.
 */
export async function* readBatches(reading: Reading, size: () => number): AsyncGenerator<Batch> {
  const { input, opened, isWithin, signal } = reading
  const read = rowReader(reading)
  let batch = emptyBatch()
  for await (const cut of input.rows(opened.splitter(isWithin), STRETCH)) {
    if (signal?.aborted) return
    batch.blank.push(...cut.blank)
    for (const { raw } of cut.rows) batch.length += raw.length
    await read(cut.rows, batch)
    if (batch.rows >= size() || batch.length >= BATCH_LENGTH) {
      yield { ...batch, reached: reachedIn(input) }
      batch = emptyBatch()
    }
  }
  yield { ...batch, reached: reachedIn(input) }
}

interface Draft {
  readonly records: BulkRecords[]
  readonly rejected: RejectedRow[]
  readonly warned: WarnedRow[]
  readonly blank: number[]
  rows: number
  /** The length of the rows, in characters. */
  length: number
}

const emptyBatch = (): Draft => ({ records: [], rejected: [], warned: [], blank: [], rows: 0, length: 0 })

/** Adds rows to a batch. Reads rows with unknown names again, once those are looked up. */
function rowReader({ opened, names, keepsRaw, withStoredKeys }: Reading) {
  let number = 0
  return async (rows: readonly SourceRow[], batch: Draft): Promise<void> => {
    const [rejected, warned] = [batch.rejected.length, batch.warned.length]
    let records: BulkRecord[]
    do {
      records = []
      batch.rejected.length = rejected
      batch.warned.length = warned
      for (const [index, source] of rows.entries()) {
        const read = opened.reader.read(source)
        const row = number + index
        if ('errors' in read) {
          if (!isNote(source)) batch.rejected.push({ row, source, errors: read.errors })
          continue
        }
        const { line, raw } = source
        if (read.warnings.length > 0) batch.warned.push({ row, line, warnings: read.warnings })
        for (const values of read.records) records.push({ row, line, raw: keepsRaw ? raw : null, values })
      }
    } while (await names.load())
    // Unpacked records would be copied by the garbage collector, and take as long again to pass to another thread.
    if (records.length > 0) batch.records.push(packed(await withStoredKeys(records)))
    number += rows.length
    batch.rows += rows.filter(source => !isNote(source)).length
  }
}

/** A reject file's note about the next row, not a row. */
const isNote = ({ content }: SourceRow): boolean => 'json' in content && isReason(content.json, REASON)
