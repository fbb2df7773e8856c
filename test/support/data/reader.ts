import { Client } from 'pg'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { isServerAddress } from '../../../core/database-address.ts'

/** Looks into a database past its ports. */
export interface Reader {
  /** The rows of a query that both storages understand, with 1 and 0 for true and false. */
  rows(sql: string, ...values: readonly (string | number)[]): Promise<unknown[][]>
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
      return rows.map(row => row.map(value => (typeof value === 'boolean' ? Number(value) : value)))
    },
    close: () => client.end(),
  }
}

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
