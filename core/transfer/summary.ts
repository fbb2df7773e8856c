import type { BulkCounts } from '../ports/bulk.ts'
import type { ImportError, ImportWarning } from './found.ts'

/** The outcome of an import, counted in records; `rows`, `rejected`, `warned` and `blank` count rows of the input. */
export interface ImportOutcome extends BulkCounts {
  readonly resource: string
  readonly source: string
  readonly dry_run: boolean
  readonly rows: number
  /** Accepted rows that may not mean what they seem to. */
  readonly warned: number
  readonly blank: number
  /** Their first lines. */
  readonly blank_lines: readonly number[]
  readonly errors: readonly ImportError[]
  /** The number of further errors. */
  readonly more_errors: number
  /** The first warnings; `more_warnings` counts the rest. */
  readonly warnings: readonly ImportWarning[]
  readonly more_warnings: number
}

/** True if anything was wrong, including rows that a resumed import had rejected before. */
export const hasErrors = ({
  rejected,
  errors,
  more_errors,
}: Pick<ImportOutcome, 'rejected' | 'errors' | 'more_errors'>): boolean => rejected + errors.length + more_errors > 0
