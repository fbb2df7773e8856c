import type { ImportMode } from '../ports/bulk.ts'
import type { Format } from './formats.ts'

/** How to read a file, and what to do with its rows. */
export interface ImportOptions {
  readonly format?: Format
  /** A tenant's slug or id, for records whose input names none. */
  readonly tenant?: string
  /** The field of each column of the input; an empty one is ignored. */
  readonly map: readonly (readonly [column: string, field: string])[]
  readonly set: readonly (readonly [field: string, value: string])[]
  readonly mode: ImportMode
  readonly onError: 'stop' | 'continue'
  /** The number of errors to keep. */
  readonly maxErrors: number
  readonly dryRun: boolean
  /**
   * true: resume an interrupted import of this input. false: start from the beginning nevertheless. `before`: resume
   * the import that began when that was the highest id, or start from the beginning if it stored nothing.
   */
  readonly resume?: boolean | { readonly before: number }
  readonly decimalComma: boolean
  readonly delimiter?: string
  /** Begins the rejected rows with a byte-order mark, as in the input. */
  readonly bom: boolean
  readonly allowDuplicates: boolean
  readonly force: boolean
  /** With the mode replace: when the new deck takes effect, as typed. */
  readonly effective?: string
  /** With the mode replace: an input without rows deletes all rates. */
  readonly allowEmpty: boolean
}

export const MODES = ['insert', 'upsert', 'skip', 'replace'] as const
export const ON_ERROR = ['stop', 'continue'] as const
