import type { ImportError, ImportWarning } from './found.ts'

/** The outcome of an import, counted in records; `rows`, `rejected`, `warned` and `blank` are counted in input rows. */
export interface ImportOutcome {
  readonly resource: string
  readonly source: string
  readonly dry_run: boolean
  readonly rows: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly removed: number
  readonly skipped: number
  readonly rejected: number
  /** Rows that were taken and may not mean what they seem to. */
  readonly warned: number
  readonly blank: number
  /** The first lines of those. */
  readonly blank_lines: readonly number[]
  readonly errors: readonly ImportError[]
  /** Errors that are not among these. */
  readonly more_errors: number
  /** What may not mean what it seems to, and how many more there are. */
  readonly warnings: readonly ImportWarning[]
  readonly more_warnings: number
}

/** Did it find anything wrong? Rows that a resumed import had rejected before count as well. */
export const hasErrors = ({
  rejected,
  errors,
  more_errors,
}: Pick<ImportOutcome, 'rejected' | 'errors' | 'more_errors'>): boolean => rejected + errors.length + more_errors > 0
