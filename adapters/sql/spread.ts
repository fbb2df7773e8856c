/**
 * How a cluster spreads the tables that grow over its nodes: by buckets, of which every tenant has one. Ids of records
 * in these tables carry their bucket, so that they lead to its node.
 */
export interface Spread {
  /** The name of the software. */
  readonly name: string
  /** The spread tables; the others are on the server that is asked. */
  readonly tables: ReadonlySet<string>
  /** An id of a tenant or of a spread record modulo this is its bucket, which the column `bucket` holds. */
  readonly buckets: number
  /** SQL that spreads the tables of a new database. */
  readonly creation: string
  /** Options of a connection to the server. */
  readonly options: string
  /** SQL that returns whether the server spreads tables at all. */
  readonly isFit: string
  /** What to do if it does not. */
  readonly hint: string
  /** What to do instead of a dump. */
  readonly backupHint: string
  /** SQL that runs a statement on every node. */
  everywhere(statement: string): string
  /** SQL for the approximate number of rows in a spread table. */
  rowsAbout(table: string): string
  /** SQL for the bytes of the spread tables. */
  readonly bytes: string
}
