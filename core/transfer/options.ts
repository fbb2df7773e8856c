import type { ImportMode } from '../ports/bulk.ts'
import type { Format } from './formats.ts'

/** How a file is read, and what becomes of its rows. */
export interface ImportOptions {
  readonly format?: Format
  /** A tenant's slug or id, for records whose input does not name one. */
  readonly tenant?: string
  /** What columns of the input are called, and the field each is; an empty one is passed over. */
  readonly map: readonly (readonly [column: string, field: string])[]
  readonly set: readonly (readonly [field: string, value: string])[]
  readonly mode: ImportMode
  readonly onError: 'stop' | 'continue'
  /** How many errors to keep. */
  readonly maxErrors: number
  readonly dryRun: boolean
  /** false: start from the beginning although an import of this input was interrupted. */
  readonly resume?: boolean
  readonly decimalComma: boolean
  readonly delimiter?: string
  /** The rejected rows begin with a byte-order mark, as the input may. */
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
