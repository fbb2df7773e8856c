import { valueAt } from '../../core/packed.ts'
import type { BulkCounts, BulkLoad, BulkPlan, BulkRecords } from '../../core/ports/bulk.ts'
import type { Clock } from '../../core/ports/system.ts'
import { timestamped } from '../../core/resources/resource.ts'
import { NO_COUNTS } from '../../core/use-cases/import.ts'
import type { AuditTrail } from './audit.ts'
import { toSql } from './bound.ts'
import { boundRow, columnType, defaultsOf, type Named, rowInserter } from './bulk-rows.ts'
import { rejectionsOf, rulesSql, type Staged } from './bulk-rules.ts'
import type { Connection } from './database.ts'
import type { Writer } from './writer.ts'

const BATCH = 2_000

/**
 * Records with a natural key: gathered in a temporary table outside the database, however many they are and however
 * slowly they come, so that the database is locked only while they are checked against it and moved there.
 */
export function stagedLoad(
  connection: Connection,
  writer: Writer,
  clock: Clock,
  trail: AuditTrail,
  plan: BulkPlan,
): BulkLoad {
  const { db } = connection
  openStage(connection, plan)
  const order = keyOrder(plan)
  const insert = stageInserter(connection, plan)
  const stage = db.transaction((records: readonly BulkRecords[]) => {
    for (const some of records) {
      insert(some)
      order.next(some)
    }
  })
  const staged = stagedSql(plan)

  const settle = (): BulkCounts => {
    const found = check(connection, staged, order.isAscending)
    if (found.rejected > 0 && plan.onRejection === 'store nothing')
      return { ...NO_COUNTS, rejected: leftAlone(connection, staged, found, 0).rejected }
    const counts = apply(connection, staged, found, clock.now())
    if (counts.created + counts.updated > 0)
      trail.note('import', plan.resource.name, null, { ...plan.noted, ...counts })
    return counts
  }
  /** Reads only, so that not even the lock of a write is taken. */
  const look = (): BulkCounts => {
    return foreseen(connection, staged, check(connection, staged, order.isAscending))
  }

  return {
    batchSize: BATCH,
    add: async records => stage(records),
    check: async () => db.transaction(look).deferred(),
    store: async () => writer.writeAlone(settle),
    rejections: () => rejectionsOf(connection, plan.resource),
    close: async () => closeStage(connection),
  }
}

function stageInserter({ db }: Connection, { columns }: BulkPlan): (records: BulkRecords) => void {
  const insert = rowInserter(
    db,
    `import_rows (row, line, raw${columns.map(name => `, ${name}`).join('')})`,
    `(?, ?, ?${', ?'.repeat(columns.length)})`,
  )
  return ({ count, rows, lines, raws, values }) => {
    const staged = [rows, lines, raws, ...values]
    insert(count, (index, bound) => {
      for (const column of staged) {
        const value = valueAt(column, index)
        bound.push(value === undefined ? UNDEFINED : toSql(value))
      }
    })
  }
}

/** Do the keys come in ascending order? Then none comes twice, which would cost a sort to find out otherwise. */
function keyOrder({ resource, columns }: BulkPlan) {
  const [position = -1, ...others] = resource.key.map(name => columns.indexOf(name)).filter(index => index !== -1)
  let last = ''
  let isAscending = position !== -1 && others.length === 0
  return {
    get isAscending() {
      return isAscending
    },
    next: ({ count, values }: BulkRecords): void => {
      for (let index = 0; isAscending && index < count; index++) {
        const key = valueAt(values[position], index)
        isAscending = typeof key === 'string' && key > last
        last = String(key)
      }
    },
  }
}

/** What stands for no value at all in a staged row: a blob, which no field holds. */
const UNDEFINED = Buffer.from([0])

/** In a file that the system forgets, so that memory stays flat; changing this setting drops all temporary tables. */
function openStage({ db }: Connection, { resource, columns }: BulkPlan): void {
  db.pragma('temp_store = MEMORY')
  db.pragma('temp_store = FILE')
  db.exec(`
    CREATE TEMP TABLE import_rows (seq INTEGER PRIMARY KEY, row INTEGER, line INTEGER, raw TEXT
      ${columns.map(name => `, ${name} ${columnType(resource.fields[name])}`).join('')});
    CREATE TEMP TABLE import_matches (seq INTEGER PRIMARY KEY, id INTEGER, several INTEGER);
    CREATE TEMP TABLE import_problems (row INTEGER, line INTEGER, raw TEXT, field TEXT, kind TEXT, detail);`)
}

const closeStage = ({ db }: Connection): void => {
  db.pragma('temp_store = MEMORY')
}

interface Found {
  readonly matched: number
  readonly rejected: number
}

function stagedSql(plan: BulkPlan): Staged {
  const { resource, columns, constants } = plan
  const isGiven = (name: string): boolean => columns.includes(name) || Object.hasOwn(constants, name)
  return {
    plan,
    isGiven,
    of: name => (columns.includes(name) ? `s.${name}` : `@${name}`),
    named: { ...defaultsOf(resource), ...boundRow(constants) },
  }
}

/** Notes the stored records that have the same keys, then every rule that a row breaks. */
function check({ db }: Connection, staged: Staged, isAscending: boolean): Found {
  const { resource } = staged.plan
  db.exec('DELETE FROM temp.import_matches; DELETE FROM temp.import_problems')
  const same = resource.key.map(name => `t.${name} = ${staged.of(name)}`).join(' AND ')
  const matched = db
    .prepare<[Named]>(
      `INSERT INTO temp.import_matches SELECT s.seq, min(t.id), count(*) > 1
       FROM temp.import_rows s CROSS JOIN main.${resource.name} t ON ${same} GROUP BY s.seq`,
    )
    .run(staged.named).changes
  for (const sql of rulesSql(staged, { anyMatch: matched > 0, isAscending }, probe => isTrue(db, probe, staged.named)))
    db.prepare<[Named]>(sql).run(staged.named)
  return { matched, rejected: countOf(db, 'SELECT count(*) FROM temp.import_problems') }
}

const isTrue = (db: Connection['db'], sql: string, named: Named): boolean =>
  db.prepare<[Named], number>(sql).pluck().get(named) === 1

const countOf = (db: Connection['db'], sql: string): number => db.prepare<[], number>(sql).pluck().get() ?? 0

/** The value of a staged row, or something else where it has none. */
const orElse = ({ plan, of }: Staged, name: string, otherwise: string): string =>
  plan.isSparse && plan.columns.includes(name)
    ? `iif(typeof(${of(name)}) = 'blob', ${otherwise}, ${of(name)})`
    : of(name)

const GOOD = 's.row NOT IN (SELECT row FROM temp.import_problems)'
const MATCHED = 'temp.import_matches m CROSS JOIN temp.import_rows s ON s.seq = m.seq'

/** The fields that the rows say something on, with the value that each gives. */
const given = (staged: Staged): [name: string, value: string][] =>
  Object.keys(staged.plan.resource.fields)
    .filter(staged.isGiven)
    .map(name => [name, orElse(staged, name, `t.${name}`)])

/** That a stored record `t` does not hold what its row `s` says. */
const differs = (staged: Staged): string =>
  `(${given(staged)
    .map(([name, value]) => `t.${name} IS NOT ${value}`)
    .join(' OR ')})`

function apply(connection: Connection, staged: Staged, found: Found, now: string): BulkCounts {
  const created = insertNew(connection, staged, found, now)
  const updated = isUpdating(staged, found) ? updateChanged(connection, staged, now) : 0
  return { created, updated, ...leftAlone(connection, staged, found, updated) }
}

/** What storing would do. */
function foreseen(connection: Connection, staged: Staged, found: Found): BulkCounts {
  const { db } = connection
  const { resource, mode } = staged.plan
  const unmatched = mode === 'insert' ? '' : 'AND s.seq NOT IN (SELECT seq FROM temp.import_matches)'
  const changed = db
    .prepare<[Named], number>(
      `SELECT count(*) FROM ${MATCHED} CROSS JOIN main.${resource.name} t ON t.id = m.id
       WHERE ${GOOD} AND ${differs(staged)}`,
    )
    .pluck()
  const updated = isUpdating(staged, found) ? (changed.get(staged.named) ?? 0) : 0
  return {
    created: countOf(db, `SELECT count(*) FROM temp.import_rows s WHERE ${GOOD} ${unmatched}`),
    updated,
    ...leftAlone(connection, staged, found, updated),
  }
}

const isUpdating = ({ plan }: Staged, { matched }: Found): boolean => plan.mode === 'upsert' && matched > 0

function insertNew({ db }: Connection, staged: Staged, found: Found, now: string): number {
  const { resource, mode } = staged.plan
  const names = Object.keys(resource.fields)
  const stamps = timestamped(resource)
  const only = [
    ...(found.rejected > 0 ? [GOOD] : []),
    ...(found.matched > 0 && mode !== 'insert' ? ['s.seq NOT IN (SELECT seq FROM temp.import_matches)'] : []),
  ]
  const values = [...names.map(name => orElse(staged, name, `@${name}`)), ...stamps.map(() => '@now')]
  return db
    .prepare<[Named]>(
      `INSERT INTO main.${resource.name} (${[...names, ...stamps].join()}) SELECT ${values.join()} FROM temp.import_rows s
       ${only.length > 0 ? `WHERE ${only.join(' AND ')}` : ''} ORDER BY s.seq`,
    )
    .run({ ...staged.named, now }).changes
}

function updateChanged({ db }: Connection, staged: Staged, now: string): number {
  const { resource } = staged.plan
  const changes = [
    ...given(staged).map(([name, value]) => `${name} = ${value}`),
    ...(resource.timestamps ? ['updated_at = @now'] : []),
  ]
  return db
    .prepare<[Named]>(
      `UPDATE main.${resource.name} AS t SET ${changes.join()} FROM ${MATCHED}
       WHERE t.id = m.id AND ${GOOD} AND ${differs(staged)}`,
    )
    .run({ ...staged.named, now }).changes
}

/** What becomes of the rows that neither make a record nor change one. */
function leftAlone({ db }: Connection, { plan }: Staged, found: Found, updated: number) {
  const isRejecting = found.rejected > 0
  const matched = isRejecting ? countOf(db, `SELECT count(*) FROM ${MATCHED} WHERE ${GOOD}`) : found.matched
  return {
    unchanged: plan.mode === 'upsert' ? matched - updated : 0,
    skipped: plan.mode === 'skip' ? matched : 0,
    rejected: isRejecting ? countOf(db, 'SELECT count(DISTINCT row) FROM temp.import_problems') : 0,
  }
}
