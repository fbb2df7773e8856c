import { valueAt } from '../../../core/packed-records.ts'
import type { BulkCounts, BulkLoad, BulkPlan, BulkRecords } from '../../../core/ports/bulk.ts'
import { NO_COUNTS } from '../../../core/transfer/imported-resource.ts'
import { toSql } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import type { Foundation } from '../foundation.ts'
import { apply, check, foreseen, rejectedRows } from './bulk-outcome.ts'
import { deckReplacing } from './bulk-replace.ts'
import { boundRow, columnType, defaultsOf, rowInserter } from './bulk-rows.ts'
import { rejectionsOf, type Staged } from './bulk-rules.ts'

const BATCH = 2_000

/**
 * Loads records with a natural key. Gathers them in a temporary table outside the database, however many they are and
 * however slowly they arrive, so that the database is locked only to check them and move them over.
 */
export function stagedLoad({ connection, writer, clock, trail }: Foundation, plan: BulkPlan): BulkLoad {
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

  const replacing = plan.replacement ? deckReplacing(connection, trail, staged, plan.replacement) : null

  const settle = (approved?: BulkCounts): BulkCounts => {
    const found = check(connection, staged, order.isAscending)
    if (found.rejected > 0 && plan.onRejection === 'store nothing')
      return { ...NO_COUNTS, rejected: rejectedRows(connection) }
    if (replacing) return replacing.store(clock.now(), approved)
    const counts = apply(connection, staged, found, clock.now())
    if (counts.created + counts.updated > 0)
      trail.note('import', plan.resource.name, null, { ...plan.noted, ...counts })
    return counts
  }
  /** Only reads, so that it takes no write lock. */
  const look = (): BulkCounts => {
    const found = check(connection, staged, order.isAscending)
    if (!replacing) return foreseen(connection, staged, found)
    return { ...replacing.foresee(clock.now()), rejected: rejectedRows(connection) }
  }

  return {
    batchSize: BATCH,
    add: async records => stage(records),
    check: async () => db.transaction(look).deferred(),
    store: async (_place, approved) => writer.writeAlone(() => settle(approved)),
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

/** Checks whether the keys ascend: none is then repeated, which otherwise takes a sort to find out. */
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

/** Stands for undefined in a staged row: a blob, which no field holds. */
const UNDEFINED = Buffer.from([0])

/**
 * The table is in a file that the system deletes, so that memory stays flat; changing this setting drops all temporary
 * tables.
 */
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
