import type { Bulk, BulkCounts, BulkLoad } from '../ports/bulk.ts'
import type { Records } from '../ports/records.ts'
import type { Clock } from '../ports/system.ts'
import type { RejectSink } from '../ports/transfer.ts'
import type { Value } from '../resources/field.ts'
import type { Resource } from '../resources/resource.ts'
import type { Format } from './formats.ts'
import type { ImportError, ImportWarning } from './found.ts'
import type { ImportOptions } from './options.ts'
import type { Mark } from './place.ts'
import type { RejectShape } from './rejects.ts'
import type { Replacing } from './replacing.ts'
import type { CellRules } from './rows/cells.ts'
import type { Targets } from './rows/columns.ts'
import type { Fixed } from './rows/evaluate.ts'

/** What an import works with. */
export interface ImportPorts {
  readonly records: Records
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

/** Who follows an import. */
export interface ImportWatcher {
  /** How far it has come. */
  at(tally: Tally): void
  /** All rows are read; those that were not stored on the way are being stored. */
  storing(rows: number): void
  /** It goes on from where an earlier one stopped. */
  continuing(mark: Mark): void
  /** `isKept`: it is among the first, which the outcome holds. */
  error(error: ImportError, isKept: boolean): void
  warning(warning: ImportWarning, isKept: boolean): void
  /** Where rejected rows go; null for nowhere. `resumeAt`: how much of it there is from before; null for nothing. */
  openRejects(shape: RejectShape, resumeAt: number | null): RejectSink | null
  /** Are rejected rows wanted at all? */
  readonly keepsRejects: boolean
  /**
   * What somebody agrees to, where a deck is replaced; undefined when everything is agreed to. `load` tells what would
   * become of the rows. May throw instead.
   */
  approve(replacing: Replacing, load: BulkLoad, rows: number): Promise<BulkCounts | undefined>
}

/** An import as it was asked for, checked as far as that can be done before anything is read. */
export interface PlannedImport {
  readonly resource: Resource
  readonly options: ImportOptions
  readonly format: Format
  /** The one that all records are of. */
  readonly tenant: Fixed | null
  readonly targets: Targets
  readonly constants: Readonly<Record<string, Value>>
  readonly rules: CellRules
}
