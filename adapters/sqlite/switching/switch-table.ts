import { createHash } from 'node:crypto'
import { closeSync, existsSync, fchmodSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
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
  /** Tells whether the path still leads to this file. */
  readonly inode: number | undefined
  /** True while a new table is filled, in one transaction: until then the switch reads the former one. */
  isFilling: boolean
}

/**
 * Opens the file when it is first used, creating what is missing; a file of another shape is filled again. After an error
 * it is opened again. Rejects with `configuration` if it is another program's database, `not_found` once the file has
 * been removed, `cannot_create`, `read_only`, `corrupt`, `busy`.
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
      if (opened.inode !== inodeOf(path))
        throw new AppError(
          'not_found',
          `${path} has been removed; it is written again, and the switch must be restarted.`,
        )
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
      if (!existsSync(path))
        throw new AppError('not_found', `${path} is not there.`, {
          hint: 'restart trunklined, which writes it, then the switch',
        })
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

/** Messages about the service's own database name the wrong commands here. */
function translated(error: unknown, path: string): unknown {
  const cause = translate(error, path)
  if (!(cause instanceof AppError)) return cause
  if (cause.code === 'busy') return new AppError('busy', `${path} is locked by another program; end that.`, { cause })
  if (cause.code !== 'corrupt') return cause
  return new AppError('corrupt', cause.message, { cause, hint: `stop the switch, rm ${path}*, start it again` })
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

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
    return { db, inode: inodeOf(path), isFilling }
  } catch (error) {
    db.close()
    throw error
  }
}

/** The mode of a file that is there already is its owner's choice; it may be another program's. */
function createFile(path: string): void {
  if (existsSync(path)) return
  if (!existsSync(dirname(path)))
    throw new AppError('cannot_create', `The folder of ${path} is not there, or closed to this user.`, {
      hint: 'trunkline switch check',
    })
  const file = openSync(path, 'ax', MODE)
  // Whatever the umask; SQLite gives the files beside it the same mode.
  fchmodSync(file, MODE)
  closeSync(file)
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
