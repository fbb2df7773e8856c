import type { ImportOptions } from './options.ts'

export type OptionName = keyof ImportOptions

/** How whoever imports is told what to do: by the flags of a command line, or by what a page calls them. */
export interface Guide {
  /** What an option is called, with the value that is meant. */
  name(option: OptionName, value?: string): string
  /** What to do with a column that is no field, as the end of a sentence. */
  strangeColumn(column: string): string
  /** What to do about a field without a column, as the end of a sentence. */
  missingColumn(field: string): string
  /** What reads an input from the beginning although an import of it was interrupted. */
  readonly restart: string
}
