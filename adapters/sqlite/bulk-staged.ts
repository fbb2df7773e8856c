import { valueAt } from '../../core/packed.ts'
import type { BulkCounts, BulkLoad, BulkPlan, BulkRecords } from '../../core/ports/bulk.ts'
import type { Clock } from '../../core/ports/system.ts'
import { timestamped } from '../../core/resources/resource.ts'
import type { AuditTrail } from './audit.ts'
import { toSql } from './bound.ts'
import { boundRow, columnType, defaultsOf, type Named, NOTHING, rowInserter } from './bulk-rows.ts'
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
      return { ...NOTHING, rejected: foreseen(connection, staged).rejected }
    const counts = apply(connection, staged, found, clock.now())
    if (counts.created + counts.updated > 0)
      trail.note('import', plan.resource.name, null, { ...plan.noted, ...counts })
    return counts
  }
  /** Reads only, so that not even the lock of a write is taken. */
  const look = (): BulkCounts => {
    check(connection, staged, order.isAscending)
    return foreseen(connection, staged)
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

function apply({ db }: Connection, staged: Staged, found: Found, now: string): BulkCounts {
  const { plan, named, isGiven } = staged
  const { resource, mode } = plan
  const names = Object.keys(resource.fields)
  const stamps = timestamped(resource)
  const only = [
    ...(found.rejected > 0 ? [GOOD] : []),
    ...(found.matched > 0 && mode !== 'insert' ? ['s.seq NOT IN (SELECT seq FROM temp.import_matches)'] : []),
  ]
  const created = db
    .prepare<[Named]>(
      `INSERT INTO main.${resource.name} (${[...names, ...stamps].join()})
       SELECT ${[...names.map(name => orElse(staged, name, `@${name}`)), ...stamps.map(() => '@now')].join()} FROM temp.import_rows s
       ${only.length > 0 ? `WHERE ${only.join(' AND ')}` : ''} ORDER BY s.seq`,
    )
    .run({ ...named, now }).changes
  const changes = [
    ...names.filter(isGiven).map(name => `${name} = ${orElse(staged, name, `t.${name}`)}`),
    ...(resource.timestamps ? ['updated_at = @now'] : []),
  ]
  const updated =
    mode !== 'upsert' || found.matched === 0
      ? 0
      : db
          .prepare<[Named]>(
            `UPDATE main.${resource.name} AS t SET ${changes.join()}
             FROM temp.import_matches m CROSS JOIN temp.import_rows s ON s.seq = m.seq WHERE t.id = m.id AND ${GOOD}`,
          )
          .run({ ...named, now }).changes
  const { skipped, rejected } = found.rejected > 0 || mode === 'skip' ? foreseen({ db }, staged) : NOTHING
  return { created, updated, skipped, rejected }
}

/** What storing would do, or has done. */
function foreseen({ db }: Pick<Connection, 'db'>, { plan }: Staged): BulkCounts {
  const matches = `s.seq ${plan.mode === 'insert' ? 'IS NULL' : 'IN (SELECT seq FROM temp.import_matches)'}`
  const matched = countOf(db, `SELECT count(*) FROM temp.import_rows s WHERE ${GOOD} AND ${matches}`)
  return {
    created: countOf(db, `SELECT count(*) FROM temp.import_rows s WHERE ${GOOD} AND NOT (${matches})`),
    updated: plan.mode === 'upsert' ? matched : 0,
    skipped: plan.mode === 'skip' ? matched : 0,
    rejected: countOf(db, 'SELECT count(DISTINCT row) FROM temp.import_problems'),
  }
}
