import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Client } from 'pg'
import { clientConfig } from '../../../adapters/postgres/database/options.ts'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { isServerAddress } from '../../../core/database-address.ts'
import { contentScript } from '../postgres/content.ts'

/** Gives this database, of the present schema and in use by nobody, the content of another. */
export type Refill = (db: string) => Promise<void>

/** Remembers all that is in a database that nobody uses. */
export async function snapshotOf(db: string): Promise<Refill> {
  if (isServerAddress(db)) {
    const script = await onServer(db, contentScript)
    return into => onServer(into, async client => void (await client.query(script)))
  }
  const bytes = bytesOf(db)
  return async into => {
    for (const file of [`${into}-wal`, `${into}-shm`]) rmSync(file, { force: true })
    writeFileSync(into, bytes, { mode: 0o600 })
  }
}

/** The same text while nothing at all is changed in a database. */
export async function digestOf(db: string): Promise<string> {
  const content = isServerAddress(db) ? await onServer(db, contentScript) : bytesOf(db)
  return createHash('sha256').update(content).digest('hex')
}

/** A file's bytes, with those of its log. */
function bytesOf(path: string): Buffer {
  const db = new Sqlite(path)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  return readFileSync(path)
}

async function onServer<T>(db: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(clientConfig(db))
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
