import { setTimeout as pause } from 'node:timers/promises'
import type { SiftedCalls } from '../../../core/calls/imported-call.ts'
import type { FieldErrors } from '../../../core/errors.ts'
import { countOf, recordAt, rowsOf, valueAt, withoutRows } from '../../../core/packed-records.ts'
import type { BulkCounts, BulkLoad, BulkPlan, BulkRecords, ImportPlace, Rejection } from '../../../core/ports/bulk.ts'
import { timestamped } from '../../../core/resources/resource.ts'
import { dangling } from '../../../core/resources/values/field-errors.ts'
import { NO_COUNTS } from '../../../core/transfer/imported-resource.ts'
import { tableOf } from '../../sql/table.ts'
import { type Bound, toSql } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import { othersCommits, otherWriters } from '../database/others.ts'
import type { Foundation } from '../foundation.ts'
import { boundRow, checkedReferences, defaultsOf, rowInserter, storePlace } from './bulk-rows.ts'
import { importedCalls } from './imported-calls.ts'

/** Holds the database's lock for some milliseconds, so that others can write in between. */
const SMALL_BATCH = 300
/** Long enough for a waiting writer to find the lock free. */
const PAUSE_MS = 2
/** Each index page is written once a batch, however many of its entries are new: large batches cost half. */
const LARGE_BATCH = 16_000

/** Loads records without a natural key, batch by batch, straight into their table. */
export function directLoad({ connection, writer, clock, trail }: Foundation, plan: BulkPlan): BulkLoad {
  const insert = inserter(connection, plan)
  const danglingIn = referenceChecker(connection, plan)
  const calls = importedCalls(connection, plan)
  const others = otherWriters(connection)
  const haveOthersCommitted = othersCommits(connection)
  let mark = plan.formerMark
  let waiting: BulkRecords[] = []
  let rejected: readonly Rejection[] = []

  const take = (): readonly BulkRecords[] => {
    const records = waiting
    waiting = []
    rejected = []
    return records
  }
  /** Splits off the records that are stored already from those that are not rejected. */
  const parted = (records: readonly BulkRecords[]) => {
    haveOthersCommitted()
    const sound = withoutRows(rowsOf(rejected), records)
    const sifted = calls.sift(sound)
    rejected = [...rejected, ...sifted.conflicts]
    const fresh = withoutRows(new Set([...sifted.storedRows, ...rowsOf(sifted.conflicts)]), sound)
    return {
      sifted,
      fresh,
      counts: { ...NO_COUNTS, created: countOf(fresh), skipped: sifted.storedRows.size, rejected: rejected.length },
    }
  }
  /** Stores the records with the place, or nothing: returns the faulty ones, or null if others stored one meanwhile. */
  const write = (records: readonly BulkRecords[], counts: BulkCounts, place: ImportPlace) => {
    const found = danglingIn(records)
    if (found.length > 0) return found
    if (haveOthersCommitted() && !isAllNew(calls.sift(records))) return null
    calls.keep(records, insert(records, clock.now()))
    storePlace({ connection, clock }, plan.resource, place, mark)
    if (counts.created > 0) trail.note('import', plan.resource.name, null, { ...plan.noted, ...counts })
    return found
  }

  return {
    get batchSize() {
      return others.areQuiet() ? LARGE_BATCH : SMALL_BATCH
    },
    add: async records => {
      waiting.push(...records)
    },
    check: async () => {
      const records = take()
      rejected = danglingIn(records)
      const { sifted, counts } = parted(records)
      calls.settle(sifted)
      return counts
    },
    store: async placeOf => {
      const records = take()
      for (;;) {
        const { sifted, fresh, counts } = parted(records)
        if (rejected.length > 0 && plan.onRejection === 'store nothing')
          return { ...NO_COUNTS, rejected: rejected.length }
        const place = await placeOf(counts, rejected)
        const found = await writer.writeAlone(() => write(fresh, counts, place))
        if (!others.areQuiet()) await pause(PAUSE_MS)
        if (found?.length === 0) {
          calls.settle(sifted)
          mark = place.mark
          return counts
        }
        rejected = [...rejected, ...(found ?? [])]
      }
    },
    rejections: async function* () {
      yield* rejected
    },
    close: async () => {
      take()
    },
  }
}

const isAllNew = ({ storedRows, conflicts }: SiftedCalls): boolean => storedRows.size + conflicts.length === 0

/** Returns the first id: consecutive inserts of one transaction into a table without triggers get consecutive ids. */
function inserter({ db, value }: Connection, { resource, columns, constants }: BulkPlan) {
  const names = Object.keys(resource.fields)
  const stamps = timestamped(resource)
  const tuple = [...names.map(name => (columns.includes(name) ? '?' : `@${name}`)), ...stamps.map(() => '@now')]
  const order = names.filter(name => columns.includes(name)).map(name => columns.indexOf(name))
  const insert = rowInserter(db, `${tableOf(resource.name)} (${[...names, ...stamps].join()})`, `(${tuple.join()})`)
  const defaults = order.map(index => toSql(resource.fields[columns[index] ?? '']?.fallback))
  const fixed = { ...defaultsOf(resource), ...boundRow(constants) }
  const lastId = value<[], number>('SELECT last_insert_rowid()')
  return (records: readonly BulkRecords[], now: string): number => {
    for (const { count, values } of records) {
      const fill = (index: number, bound: (Bound | Buffer)[]): void => {
        for (let i = 0; i < order.length; i++) {
          const value = valueAt(values[order[i] ?? 0], index)
          bound.push(value === undefined ? (defaults[i] ?? null) : toSql(value))
        }
      }
      insert(count, fill, { ...fixed, now })
    }
    return (lastId.get() ?? 0) - countOf(records) + 1
  }
}

/** Finds the rows with a dangling reference, each once. Remembers ids that exist until another connection commits. */
function referenceChecker(connection: Connection, { resource, columns, constants }: BulkPlan) {
  const haveOthersCommitted = othersCommits(connection)
  const references = checkedReferences(resource).map(([field, to]) => {
    const exists = connection.value<[Bound], number>(`SELECT 1 FROM ${tableOf(to)} WHERE id = ?`)
    const found = new Set<Bound>()
    const isThere = (id: Bound): boolean => {
      if (id === null || found.has(id)) return true
      if (exists.get(id) !== 1) return false
      found.add(id)
      return true
    }
    return { field, index: columns.indexOf(field), found, isThere }
  })
  const errorsOf = ({ values }: BulkRecords, at: number): FieldErrors | null => {
    const loose = references.filter(
      ({ field, index, isThere }) => !isThere(toSql(index === -1 ? constants[field] : valueAt(values[index], at))),
    )
    return loose.length === 0 ? null : loose.map(({ field }) => dangling(field))
  }
  return (records: readonly BulkRecords[]): readonly Rejection[] => {
    if (haveOthersCommitted()) for (const { found } of references) found.clear()
    const rejections = new Map<number, Rejection>()
    for (const some of records)
      for (let index = 0; index < some.count; index++) {
        const errors = errorsOf(some, index)
        if (!errors) continue
        const { row, line, raw } = recordAt(some, index)
        rejections.set(row, { row, line, raw, errors })
      }
    return [...rejections.values()]
  }
}
