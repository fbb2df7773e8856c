import { rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type {
  CopiedRows,
  CopiedTable,
  CopiedValue,
  CopySource,
  CopyTarget,
  DatabaseContents,
  DatabaseFilling,
} from '../../../core/ports/storage.ts'
import { TABLES } from '../../sql/tables.ts'
import { ensureSearchIndexes } from '../records/search/search-index.ts'
import { alreadyThere, linkAt, removeDrafts, syncFile, verify } from './copy-file.ts'
import { belongAsFolder, isThere, makeFolder, openDatabase } from './database.ts'
import { translate } from './errors.ts'

/** Rows that are read or stored without a pause. */
const AT_ONCE = 500

/** Opens the database at that path to be copied elsewhere. */
export const copySource = (path: string): CopySource => ({
  asOfNow: async read => {
    const { db, close } = openDatabase(path)
    try {
      db.exec('BEGIN')
      return await read(contents(db))
    } catch (error) {
      throw translate(error, path)
    } finally {
      close()
    }
  },
})

/** Creates a database at that path, which appears there only when it is complete. */
export const copyTarget = (path: string): CopyTarget => ({
  fill: async work => {
    if (isThere(path)) throw alreadyThere(path)
    makeFolder(dirname(path))
    removeDrafts(dirname(path), name => name === basename(path))
    const draft = `${path}.part-${process.pid}`
    try {
      const result = await filled(draft, work)
      verify(draft)
      syncFile(draft)
      belongAsFolder(draft)
      linkAt(draft, path)
      syncFile(dirname(path))
      return result
    } catch (error) {
      throw translate(error, path)
    } finally {
      for (const end of ['', '-wal', '-shm']) rmSync(`${draft}${end}`, { force: true })
    }
  },
})

async function filled<T>(draft: string, work: (filling: DatabaseFilling) => Promise<T>): Promise<T> {
  const { db, close } = openDatabase(draft, { create: true, migrate: true, storesMany: true }, ensureSearchIndexes)
  try {
    // The whole file is synced in the end.
    db.pragma('synchronous = OFF')
    const result = await work(filling(db))
    db.exec('ANALYZE')
    db.pragma('wal_checkpoint(TRUNCATE)')
    return result
  } finally {
    close()
  }
}

const contents = (db: Database): DatabaseContents => ({
  tables: async () => TABLES.map(name => ({ name, columns: columnsOf(db, name) })),
  count: async ({ name: table }) => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0,
  rows: table => rowsOf(db, table),
  lastIds: async () =>
    new Map(
      db
        .prepare<[], [string, number]>('SELECT name, seq FROM sqlite_sequence')
        .raw()
        .all()
        .filter(([name]) => TABLES.some(table => table === name)),
    ),
})

const columnsOf = (db: Database, table: string): string[] =>
  db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)

async function* rowsOf(db: Database, { name: table, columns }: CopiedTable): CopiedRows {
  let rows: CopiedValue[][] = []
  for (const row of db.prepare<[], CopiedValue[]>(`SELECT ${columns.join()} FROM ${table}`).raw().iterate()) {
    rows.push(row)
    if (rows.length < AT_ONCE) continue
    yield rows
    rows = []
    await nextTurn()
  }
  if (rows.length > 0) yield rows
}

const filling = (db: Database): DatabaseFilling => ({
  ...contents(db),
  store: async ({ name: table, columns }, all) => {
    db.exec(`DELETE FROM ${table}`)
    const insert = db.prepare<CopiedValue[]>(
      `INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
    )
    const insertAll = db.transaction((rows: readonly (readonly CopiedValue[])[]) => {
      for (const row of rows) insert.run(...row)
    })
    for await (const rows of all) insertAll(rows)
  },
  continueAfter: async lastIds => {
    const raise = db.prepare<[number, string]>('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
    const add = db.prepare<[string, number]>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
    for (const [name, last] of lastIds) if (last > 0 && raise.run(last, name).changes === 0) add.run(name, last)
  },
})
