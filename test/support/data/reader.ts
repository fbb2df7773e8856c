import { Client } from 'pg'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { isServerAddress } from '../../../core/database-address.ts'

/** Looks into a database past its ports. */
export interface Reader {
  /** The rows of a query that both storages understand, with 1 and 0 for true and false. */
  rows(sql: string, ...values: readonly (string | number)[]): Promise<unknown[][]>
  /** The same, each row by the names of its columns. */
  records(sql: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Opens a reader of the database with this setting `db`. Values stand where the query has question marks. */
export async function readerOf(db: string): Promise<Reader> {
  if (!isServerAddress(db)) {
    const file = new Sqlite(db, { readonly: true })
    return {
      rows: async (sql, ...values) =>
        file
          .prepare<unknown[], unknown[]>(sql)
          .raw()
          .all(...values),
      records: async sql => file.prepare<[], Record<string, unknown>>(sql).all(),
      close: async () => void file.close(),
    }
  }
  const client = new Client(clientConfig(db))
  await client.connect()
  return {
    rows: async (sql, ...values) => {
      let marks = 0
      const text = sql.replaceAll('?', () => `$${++marks}`)
      const { rows } = await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' })
      return rows.map(row => row.map(plain))
    },
    records: async sql => {
      const { rows } = await client.query<Record<string, unknown>>(sql)
      return rows.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
    },
    close: () => client.end(),
  }
}

const plain = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value)

/** Runs a statement that both storages understand on the database with this setting `db`; returns the rows it gives. */
export async function changed(db: string, sql: string): Promise<unknown[][]> {
  if (!isServerAddress(db)) {
    const file = new Sqlite(db)
    try {
      const statement = file.prepare<[], unknown[]>(sql)
      if (statement.reader) return statement.raw().all()
      statement.run()
      return []
    } finally {
      file.close()
    }
  }
  const client = new Client(clientConfig(db))
  await client.connect()
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

/** Changes stored data past all rules, by statements that both storages understand. */
export async function forced(db: string, ...statements: readonly string[]): Promise<void> {
  if (!isServerAddress(db)) {
    const file = new Sqlite(db)
    file.pragma('foreign_keys = OFF')
    for (const statement of statements) file.exec(statement)
    file.close()
    return
  }
  const client = new Client(clientConfig(db))
  await client.connect()
  try {
    await client.query('SET session_replication_role = replica')
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Keeps everybody else from changing tenants until the function returned is called. */
export async function hold(db: string): Promise<() => Promise<void>> {
  if (!isServerAddress(db)) {
    const file = new Sqlite(db)
    file.exec('BEGIN IMMEDIATE')
    return async () => void file.close()
  }
  const client = new Client(clientConfig(db))
  await client.connect()
  await client.query('BEGIN; LOCK TABLE tenants')
  return () => client.end()
}
