import type { Workplace } from '../cli/cli.ts'
import { forced } from '../data/reader.ts'

export interface Trouble {
  /** The kind of the finding. */
  readonly kind: string
  readonly title: string
  /** Causes the problem, in a database as `furnish` leaves it. */
  make(place: Workplace): void | Promise<void>
  /** Only of a file of SQLite, or of what lies around it. */
  readonly isOfFiles?: true
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
  ({ db }: Pick<Workplace, 'db'>): Promise<void> =>
    forced(db, ...lines)

/** Adds a copy of the first record of a table, with these changes. */
export const copyOf = (table: string, changes: string): string[] => [
  `CREATE TEMP TABLE copied AS SELECT * FROM ${table} WHERE id = 1`,
  `UPDATE copied SET ${changes}`,
  `INSERT INTO ${table} SELECT * FROM copied`,
]
