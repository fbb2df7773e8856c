import type { QueryArrayConfig, QueryResult } from 'pg'
import type { Spread } from '../../sql/spread.ts'
import { isLost, isNoText, unreachable, wasEnded } from './errors.ts'
import type { Sql } from './sql.ts'
import type { Statements } from './statements.ts'

/** Runs statements, inside or outside a transaction. */
export interface Queries {
  /** How a cluster spreads calls; null on one server. */
  readonly spread: Spread | null
  /** The rows as objects. */
  rows<R>(statement: Sql): Promise<R[]>
  /** The first row; undefined if there is none. */
  row<R>(statement: Sql): Promise<R | undefined>
  /** The first column of each row. */
  values<V>(statement: Sql): Promise<V[]>
  /** The first column of the first row; undefined if there is none. */
  value<V>(statement: Sql): Promise<V | undefined>
  /** Returns how many rows changed. */
  run(statement: Sql): Promise<number>
  /** Runs a script of several statements. */
  script(text: string): Promise<void>
}

export type Send = (statement: QueryArrayConfig) => Promise<QueryResult<unknown[]>>

/**
 * Statements over any way to send them. Rows come as arrays, which cost less than objects where one column is wanted.
 */
export function queriesOver(send: Send, statements: Statements, spread: Spread | null, isNamed = true): Queries {
  const ask = (statement: Sql) => send(statements.of(statement, isNamed))
  const values = async <V>(statement: Sql): Promise<V[]> => (await ask(statement)).rows.map(row => row[0] as V)
  const rows = async <R>(statement: Sql): Promise<R[]> => {
    const { fields, rows } = await ask(statement)
    return rows.map(row => Object.fromEntries(fields.map(({ name }, index) => [name, row[index]])) as R)
  }
  return {
    spread,
    rows,
    row: async <R>(statement: Sql) => (await rows<R>(statement))[0],
    values,
    value: async <V>(statement: Sql) => (await values<V>(statement))[0],
    run: async statement => (await ask(statement)).rowCount ?? 0,
    script: async text => void (await send({ text, rowMode: 'array' })),
  }
}

/** The result of asking for text that cannot be stored. */
const NOTHING: QueryResult<unknown[]> = { command: 'SELECT', rowCount: 0, oid: 0, fields: [], rows: [] }

/** Reads can be repeated: the connection may have ended while idle. */
export const reads =
  (over: { query: Send }): Send =>
  async statement => {
    try {
      return await over.query(statement)
    } catch (error) {
      if (isNoText(error)) return NOTHING
      if (!isLost(error) && !wasEnded(error)) throw error
      return over.query(statement).catch(ended)
    }
  }

/** What was lost before its COMMIT is undone by the server. */
export function ended(cause: unknown): never {
  throw wasEnded(cause) ? unreachable(cause) : cause
}
