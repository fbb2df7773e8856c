import type { ImportOptions } from './options.ts'

export type OptionName = keyof ImportOptions

/** The words in which to tell the person who imports what to do: flags of a command line, or labels of a page. */
export interface Guide {
  /** Returns the name of an option, with the value that is meant. */
  name(option: OptionName, value?: string): string
  /** What to do about a column that is no field, as the end of a sentence. */
  strangeColumn(column: string): string
  /** What to do about a field without a column, as the end of a sentence. */
  missingColumn(field: string): string
  /** What restarts an interrupted import from the beginning. */
  readonly restart: string
}
