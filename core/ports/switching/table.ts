/**
 * A table in a SQLite file of its own, which a switch reads by itself. It goes on reading it while the service is
 * stopped.
 */
export interface SwitchTable {
  /** Makes these the rows of the owner, in one step. Returns the rows that differ now. */
  replace(owner: number, rows: readonly TableRow[]): Promise<readonly RowChange[]>
  /** Removes the rows of all other owners. A switch sees a table that was just created only after this. */
  keep(owners: ReadonlySet<number>): Promise<readonly RowChange[]>
  /** Returns the rows of the owner, by id. */
  rows(owner: number): Promise<readonly TableRow[]>
  close(): void
}

/** Such a file, read without changing it. */
export interface StoredTable {
  readonly path: string
  /** Returns all rows by owner. Rejects with `not_found` if there is no table yet. */
  rows(): Promise<ReadonlyMap<number, readonly TableRow[]>>
}

export interface SwitchTableShape {
  readonly name: string
  /** All of them texts, besides the id. */
  readonly columns: readonly string[]
  readonly views: readonly TableView[]
}

/** What the switch reads: the ids, constants, and columns of the table under the names that the switch knows. */
export interface TableView {
  readonly name: string
  /** Values by name. */
  readonly constants: Readonly<Record<string, string>>
  /** The table's columns by name. */
  readonly columns: Readonly<Record<string, string>>
}

/** The values are in the order of the shape's columns. */
export interface TableRow {
  readonly id: string
  readonly values: readonly string[]
}

/** A row before and after a change; null where there is none. */
export interface RowChange {
  readonly before: TableRow | null
  readonly after: TableRow | null
}
