import { createHash } from 'node:crypto'
import { chmodSync, closeSync, openSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { AppError } from '../../../core/errors.ts'
import type {
  RowChange,
  StoredTable,
  SwitchTable,
  SwitchTableShape,
  TableRow,
} from '../../../core/ports/switching/table.ts'
import { Sqlite } from '../database/driver.ts'
import { translate } from '../database/errors.ts'

/** Tells this file from other databases, which must not be overwritten. */
const APPLICATION_ID = 0x54726e73
/** Only a program that opens or closes the file locks it, for a moment. */
const BUSY_TIMEOUT_MS = 500
/** The switch, in the file's group, writes its place in the log; the rows hold hashes of secrets. */
const MODE = 0o660

interface Opened {
  readonly db: Database
  /** True while a new table is filled, in one transaction: until then the switch reads the former one. */
  isFilling: boolean
}

/**
 * Opens the file when it is first used, creating what is missing; a file of another shape is filled again. After an error
 * it is opened again. Rejects with `configuration` if it is another program's database, `cannot_create`, `read_only`,
 * `corrupt`, `busy`.
 */
export function switchTable(path: string, shape: SwitchTableShape): SwitchTable {
  let opened: Opened | null = null
  const close = (): void => {
    opened?.db.close()
    opened = null
  }
  const using = async <T>(work: (opened: Opened, rows: Rows) => T): Promise<T> => {
    try {
      opened ??= open(path, shape)
      return work(opened, rowsIn(opened.db, shape))
    } catch (error) {
      close()
      throw translated(error, path)
    }
  }
  /** In one step, which is part of the filling while that lasts. */
  const atOnce = <T>({ db, isFilling }: Opened, work: () => T): T =>
    isFilling ? work() : db.transaction(work).immediate()
  return {
    rows: owner => using((_, { of }) => of(owner)),
    replace: (owner, rows) => using((present, { replace }) => atOnce(present, () => replace(owner, rows))),
    keep: owners =>
      using((present, { owners: all, replace }) => {
        const left = all().filter(owner => !owners.has(owner))
        const changes = atOnce(present, () => left.flatMap(owner => replace(owner, [])))
        if (present.isFilling) present.db.exec('COMMIT')
        present.isFilling = false
        return changes
      }),
    close,
  }
}

export const storedTable = (path: string, shape: SwitchTableShape): StoredTable => ({
  path,
  rows: async () => {
    let db: Database | null = null
    try {
      db = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
      if (db.pragma('user_version', { simple: true }) !== versionOf(shape))
        throw new AppError('not_found', `${path} has not been written yet.`)
      const { owners, of } = rowsIn(db, shape)
      return new Map(owners().map(owner => [owner, of(owner)]))
    } catch (error) {
      throw translated(error, path)
    } finally {
      db?.close()
    }
  },
})

/** The hint for a damaged database is about the service's own. */
function translated(error: unknown, path: string): unknown {
  const found = translate(error, path)
  if (!(found instanceof AppError) || found.code !== 'corrupt') return found
  return new AppError('corrupt', found.message, { cause: found, hint: `stop the switch, rm ${path}*, start it again` })
}

function open(path: string, shape: SwitchTableShape): Opened {
  createFile(path)
  const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    const isOurs = db.pragma('application_id', { simple: true }) === APPLICATION_ID
    const isEmpty = db.prepare('SELECT 1 FROM sqlite_master').get() === undefined
    if (!isOurs && !isEmpty)
      throw new AppError('configuration', `${path} is another program's database, not one for telephones.`)
    db.pragma('journal_mode = WAL')
    // The rows derive from the database: what a power failure loses is written again at the next start.
    db.pragma('synchronous = NORMAL')
    const isFilling = db.pragma('user_version', { simple: true }) !== versionOf(shape)
    if (isFilling) create(db, shape)
    return { db, isFilling }
  } catch (error) {
    db.close()
    throw error
  }
}

function createFile(path: string): void {
  closeSync(openSync(path, 'a', MODE))
  try {
    // Whatever the umask; SQLite gives the files beside it the same mode.
    chmodSync(path, MODE)
  } catch {
    // Of another owner, who has set it.
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Descending, the order in which Asterisk's sorted lists take rows fastest. */
const tableSql = ({ name, columns }: SwitchTableShape): string[] => [
  `CREATE TABLE ${quoted(name)} (id TEXT NOT NULL, owner INTEGER NOT NULL, ${columns.map(column => `${quoted(column)} TEXT NOT NULL`).join(', ')}, PRIMARY KEY (id DESC)) WITHOUT ROWID`,
  `CREATE INDEX ${quoted(`${name}_owner`)} ON ${quoted(name)} (owner)`,
]

const viewSql = (table: string, { name, constants, columns }: SwitchTableShape['views'][number]): string => {
  const found = [
    'id',
    ...Object.entries(constants).map(([as, value]) => `${literal(value)} AS ${quoted(as)}`),
    ...Object.entries(columns).map(([as, column]) => `${quoted(column)} AS ${quoted(as)}`),
  ]
  return `CREATE VIEW ${quoted(name)} AS SELECT ${found.join(', ')} FROM ${quoted(table)}`
}

const schemaOf = (shape: SwitchTableShape): string[] => [
  ...tableSql(shape),
  ...shape.views.map(view => viewSql(shape.name, view)),
]

const versionOf = (shape: SwitchTableShape): number =>
  createHash('sha256').update(schemaOf(shape).join()).digest().readUInt32BE() >>> 1

/** Begins the transaction that fills the table. */
function create(db: Database, shape: SwitchTableShape): void {
  db.exec('BEGIN IMMEDIATE')
  const former = db.prepare<[], { type: string; name: string }>(
    `SELECT type, name FROM sqlite_master WHERE type IN ('view', 'table') ORDER BY type DESC`,
  )
  for (const { type, name } of former.all()) db.exec(`DROP ${type} ${quoted(name)}`)
  for (const statement of schemaOf(shape)) db.exec(statement)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${versionOf(shape)}`)
}

type Rows = ReturnType<typeof rowsIn>

function rowsIn(db: Database, { name, columns }: SwitchTableShape) {
  const table = quoted(name)
  const names = columns.map(quoted)
  const of = (owner: number): TableRow[] =>
    db
      .prepare<[number], string[]>(`SELECT id, ${names.join()} FROM ${table} WHERE owner = ? ORDER BY id`)
      .raw()
      .all(owner)
      .map(([id = '', ...values]) => ({ id, values }))
  const replace = (owner: number, rows: readonly TableRow[]): RowChange[] => {
    const before = new Map(of(owner).map(row => [row.id, row]))
    const after = new Map(rows.map(row => [row.id, row]))
    const put = db.prepare(
      `INSERT OR REPLACE INTO ${table} (id, owner, ${names.join()}) VALUES (?, ?${', ?'.repeat(names.length)})`,
    )
    const remove = db.prepare(`DELETE FROM ${table} WHERE id = ? AND owner = ?`)
    const gone = [...before.values()].filter(({ id }) => !after.has(id))
    for (const { id } of gone) remove.run(id, owner)
    const changed = [...after.values()].filter(row => !isSame(before.get(row.id), row))
    for (const { id, values } of changed) put.run(id, owner, ...values)
    return [
      ...gone.map(row => ({ before: row, after: null })),
      ...changed.map(row => ({ before: before.get(row.id) ?? null, after: row })),
    ]
  }
  const owners = (): number[] => db.prepare<[], number>(`SELECT DISTINCT owner FROM ${table}`).pluck().all()
  return { of, replace, owners }
}

const isSame = (one: TableRow | undefined, other: TableRow): boolean =>
  one?.values.every((value, index) => value === other.values[index]) ?? false
