import type { Bulk, BulkCounts, BulkLoad } from '../ports/bulk.ts'
import type { Clock } from '../ports/system.ts'
import type { RejectSink, TextInput } from '../ports/transfer.ts'
import type { Value } from '../resources/field.ts'
import type { Resource } from '../resources/resource.ts'
import type { Lookup } from '../use-cases/records/lookup.ts'
import type { Format } from './formats.ts'
import type { ImportError, ImportWarning } from './found.ts'
import type { ImportOptions } from './options.ts'
import type { Mark } from './place.ts'
import type { RejectShape } from './rejects.ts'
import type { Replacing } from './replacing.ts'
import type { CellRules } from './rows/cells.ts'
import type { Targets } from './rows/columns.ts'
import type { Fixed } from './rows/evaluate.ts'

/** The ports of an import. */
export interface ImportPorts {
  readonly records: Lookup
  readonly bulk: Bulk
  readonly clock: Clock
  /** A hash of a text, in hexadecimal. */
  digestOf(text: string): string
}

export interface Tally {
  readonly bytes: number
  readonly rows: number
  readonly rejected: number
}

/** Follows an import. */
export interface ImportWatcher {
  /** Reports progress. */
  at(tally: Tally): void
  /** Every row has been read; what is not stored yet is being stored now. */
  storing(rows: number): void
  /** The import begins with nothing stored; `before` is the highest id at that moment, which identifies it later. */
  began(before: number): Promise<void>
  /** The import resumes where an earlier one stopped. */
  continuing(mark: Mark): void
  /** `isKept`: it is among the first errors, which the outcome includes. */
  error(error: ImportError, isKept: boolean): void
  warning(warning: ImportWarning, isKept: boolean): void
  /** Opens the sink for rejected rows; null for none. `resumeAt`: its length from before; null for a new one. */
  openRejects(shape: RejectShape, resumeAt: number | null): RejectSink | null | Promise<RejectSink>
  /** Resolves once every error so far is kept: a batch is not stored before. */
  kept(): Promise<void>
  /** True if rejected rows are wanted. */
  readonly keepsRejects: boolean
  /**
   * Returns what somebody approves if a deck is replaced; undefined approves everything. `load` tells what would
   * happen to the rows. May throw instead.
   */
  approve(replacing: Replacing, load: BulkLoad, rows: number): Promise<BulkCounts | undefined>
}

/** An import as requested, checked as far as possible before anything is read. */
export interface PlannedImport {
  readonly resource: Resource
  readonly options: ImportOptions
  readonly format: Format
  /** The tenant of all records. */
  readonly tenant: Fixed | null
  readonly targets: Targets
  readonly constants: Readonly<Record<string, Value>>
  readonly rules: CellRules
}

/** A planned import with what it reads and whom it tells. */
export interface ImportRun extends PlannedImport {
  readonly input: TextInput
  readonly ports: ImportPorts
  readonly watcher: ImportWatcher
  /** Stops it between two batches. */
  readonly signal: AbortSignal | undefined
}
