import type { Database } from 'better-sqlite3'
import type { Workplace } from '../cli/cli.ts'

export interface Trouble {
  /** The kind of the finding. */
  readonly kind: string
  readonly title: string
  /** Causes the problem, in a database as `furnish` leaves it. */
  make(db: Database, place: Workplace): void | Promise<void>
  readonly env?: (place: Workplace) => Record<string, string>
  /** What a person adds to the command, or types at its prompt. */
  readonly added?: string
  /** Everything that the command changes in the database. */
  readonly changes: readonly string[]
  /** The command shows more where only a person can decide, and removes nothing. */
  readonly shows?: true
}

/** Problems caused by changes of the database alone. */
export const sql =
  (...lines: string[]) =>
  (db: Database): void => {
    db.pragma('foreign_keys = OFF')
    for (const line of lines) db.exec(line)
  }

/** Adds a copy of the first record of a table, with these changes. */
export const copyOf = (table: string, changes: string): string[] => [
  `CREATE TEMP TABLE copied AS SELECT * FROM ${table} WHERE id = 1`,
  `UPDATE copied SET ${changes}`,
  `INSERT INTO ${table} SELECT * FROM copied`,
]
