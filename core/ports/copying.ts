/** A value as both storages pass it on: booleans as 1 and 0, JSON as text. */
export type CopiedValue = string | number | null

/** Rows with their values in the order of the columns, some hundred at a time. */
export type CopiedRows = AsyncIterable<readonly (readonly CopiedValue[])[]>

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
}

/** What a database holds at one moment. */
export interface DatabaseContents {
  /** Returns the tables that are copied, those before others that refer to them. */
  tables(): Promise<readonly CopiedTable[]>
  count(table: CopiedTable): Promise<number>
  /** Yields all rows of a table, in any order. */
  rows(table: CopiedTable): CopiedRows
  /** Returns the highest id ever given, by the table that gives ids. */
  lastIds(): Promise<ReadonlyMap<string, number>>
}

/** A database while it is filled. */
export interface DatabaseFilling extends DatabaseContents {
  /** Stores rows in the place of those that the table has. */
  store(table: CopiedTable, rows: CopiedRows): Promise<void>
  /** Makes every table continue with the id after its last one. */
  continueAfter(lastIds: ReadonlyMap<string, number>): Promise<void>
}

/** A database that can be copied to another storage. */
export interface CopySource {
  /** Makes everything that `read` reads a snapshot of one moment, whatever others write. */
  asOfNow<T>(read: (contents: DatabaseContents) => Promise<T>): Promise<T>
}

/** Where a copy goes. */
export interface CopyTarget {
  /**
   * Creates the schema and has it filled: all of it or nothing, however the work ends. Throws `conflict` if the place
   * is not empty.
   */
  fill<T>(work: (filling: DatabaseFilling) => Promise<T>): Promise<T>
}
