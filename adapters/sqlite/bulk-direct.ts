import { setTimeout as pause } from 'node:timers/promises'
import type { FieldErrors } from '../../core/errors.ts'
import type { BulkCounts, BulkLoad, BulkPlan, BulkRecord, Clock, PlaceOf, Rejection } from '../../core/ports.ts'
import type { Value } from '../../core/resources/field.ts'
import { sentences } from '../../core/resources/input.ts'
import { timestamped } from '../../core/resources/resource.ts'
import type { AuditTrail } from './audit.ts'
import { bindable, boundRow, checkedReferences, defaultsOf, NOTHING, rowInserter, storePlace } from './bulk-rows.ts'
import type { Connection } from './database.ts'
import { isConstraint } from './errors.ts'
import type { Bound } from './records.ts'
import type { Writer } from './writer.ts'

/** Some milliseconds of the database's lock, so that others write in between. */
const SMALL_BATCH = 500
/** Long enough for one who waits for the lock to find it free. */
const PAUSE_MS = 2
/** Each page of an index is written once a batch, however many of its entries are new: large ones cost half. */
const LARGE_BATCH = 10_000
/** Who has the database open to write in it, such as the daemon, which follows with its search index, has written by then. */
const QUIET_MS = 1_000
const SMALL_LOG_PAGES = 1_000
const LARGE_LOG_PAGES = 8_000

/** Records without a key of their own: batch by batch, straight into their table. */
export function directLoad(
  connection: Connection,
  writer: Writer,
  clock: Clock,
  trail: AuditTrail,
  plan: BulkPlan,
): BulkLoad {
  const insert = inserter(connection, plan)
  const referenceErrors = referenceChecker(connection, plan)
  const others = otherWriters(connection)
  let waiting: BulkRecord[] = []
  let rejected: Rejection[] = []

  /** The rows that hold a reference to nothing, each once. */
  const findRejected = (records: readonly BulkRecord[]): Rejection[] => {
    const found = new Map<number, Rejection>()
    for (const { row, line, raw, values } of records) {
      const errors = referenceErrors(values)
      if (errors) found.set(row, { row, line, raw, errors })
    }
    return [...found.values()]
  }
  const withoutRejected = (records: readonly BulkRecord[]): readonly BulkRecord[] => {
    const rows = new Set(rejected.map(({ row }) => row))
    return rows.size === 0 ? records : records.filter(({ row }) => !rows.has(row))
  }
  const write = async (records: readonly BulkRecord[], place: PlaceOf): Promise<BulkCounts> => {
    const counts = { ...NOTHING, created: records.length, rejected: rejected.length }
    const kept = place(counts, rejected)
    await writer.write(() => {
      insert(records, clock.now())
      storePlace(connection, clock, plan.resource, kept)
      trail.note('import', plan.resource.name, null, { ...counts })
    })
    others.look()
    if (!others.areQuiet) await pause(PAUSE_MS)
    return counts
  }
  const take = (): readonly BulkRecord[] => {
    const records = waiting
    waiting = []
    rejected = []
    return records
  }

  return {
    get batchSize() {
      return others.areQuiet ? LARGE_BATCH : SMALL_BATCH
    },
    add: async records => {
      waiting = waiting.length === 0 ? [...records] : waiting.concat(records)
    },
    check: async () => {
      const records = take()
      rejected = findRejected(records)
      return { ...NOTHING, created: withoutRejected(records).length, rejected: rejected.length }
    },
    store: async place => {
      const records = take()
      try {
        return await write(records, place)
      } catch (error) {
        // The foreign keys found a reference to nothing.
        if (!isConstraint(error)) throw error
      }
      rejected = findRejected(records)
      if (plan.onRejection === 'store nothing') return { ...NOTHING, rejected: rejected.length }
      return write(withoutRejected(records), place)
    },
    rejections: async function* () {
      yield* rejected
    },
    close: async () => {
      take()
      others.forget()
    },
  }
}

/** Whether another connection has committed lately; alone, this one lets the log grow before it is put away. */
function otherWriters({ db }: Connection) {
  const version = (): unknown => db.pragma('data_version', { simple: true })
  let known = version()
  let lastSeen = performance.now()
  let areQuiet = false
  const setQuiet = (quiet: boolean): void => {
    if (quiet !== areQuiet) db.pragma(`wal_autocheckpoint = ${quiet ? LARGE_LOG_PAGES : SMALL_LOG_PAGES}`)
    areQuiet = quiet
  }
  return {
    get areQuiet() {
      return areQuiet
    },
    look: (): void => {
      const present = version()
      if (present !== known) lastSeen = performance.now()
      known = present
      setQuiet(performance.now() - lastSeen > QUIET_MS)
    },
    forget: (): void => setQuiet(false),
  }
}

function inserter({ db }: Connection, { resource, columns, constants }: BulkPlan) {
  const names = Object.keys(resource.fields)
  const stamps = timestamped(resource)
  const tuple = [...names.map(name => (columns.includes(name) ? '?' : `@${name}`)), ...stamps.map(() => '@now')]
  const order = names.filter(name => columns.includes(name)).map(name => columns.indexOf(name))
  const insert = rowInserter(db, `${resource.name} (${[...names, ...stamps].join()})`, `(${tuple.join()})`, 1)
  const defaults = order.map(index => bindable(resource.fields[columns[index] ?? '']?.fallback))
  const fixed = { ...defaultsOf(resource), ...boundRow(constants) }
  return (records: readonly BulkRecord[], now: string): void => {
    const fill = (index: number, bound: (Bound | Buffer)[]): void => {
      const values = records[index]?.values ?? []
      for (let i = 0; i < order.length; i++) {
        const value = values[order[i] ?? 0]
        bound.push(value === undefined ? (defaults[i] ?? null) : bindable(value))
      }
    }
    insert(records.length, fill, { ...fixed, now })
  }
}

/** Tells which references of a record point to nothing; null when none do. */
function referenceChecker({ value }: Connection, { resource, columns, constants }: BulkPlan) {
  const references = checkedReferences(resource).map(([field, to]) => {
    const exists = value<[Bound], number>(`SELECT 1 FROM ${to} WHERE id = ?`)
    return { field, index: columns.indexOf(field), exists: (id: Bound) => exists.get(id) === 1 }
  })
  return (values: readonly (Value | undefined)[]): FieldErrors | null => {
    const dangling = references.filter(({ field, index, exists }) => {
      const id = bindable(index === -1 ? constants[field] : values[index])
      return id !== null && !exists(id)
    })
    if (dangling.length === 0) return null
    return Object.fromEntries(dangling.map(({ field }) => [field, [sentences.reference(field)]]))
  }
}
