import type { FieldErrors } from '../../core/errors.ts'
import type { BulkCounts, BulkLoad, BulkPlan, BulkRecord, Clock, ImportPlace, Rejection } from '../../core/ports.ts'
import type { Value } from '../../core/resources/field.ts'
import { sentences } from '../../core/resources/input.ts'
import { timestamped } from '../../core/resources/resource.ts'
import { bindable, boundRow, checkedReferences, defaultsOf, NOTHING, rowInserter, storePlace } from './bulk-rows.ts'
import type { Connection } from './database.ts'
import { isConstraint } from './errors.ts'
import type { Bound } from './records.ts'
import type { Writer } from './writer.ts'

/** Records without a key of their own: batch by batch, straight into their table. */
export function directLoad(connection: Connection, writer: Writer, clock: Clock, plan: BulkPlan): BulkLoad {
  const insert = inserter(connection, plan)
  const referenceErrors = referenceChecker(connection, plan)
  let waiting: BulkRecord[] = []
  let rejected: Rejection[] = []

  const storeGood = async (records: readonly BulkRecord[], place?: ImportPlace): Promise<void> => {
    await writer.write(() => {
      insert(records, clock.now())
      if (place) storePlace(connection, clock, plan.resource, place)
    })
  }
  /** The rows that hold a reference to nothing, each once. */
  const findRejected = (records: readonly BulkRecord[]): Rejection[] => {
    const found = new Map<number, Rejection>()
    for (const { row, line, raw, values } of records) {
      const errors = referenceErrors(values)
      if (errors) found.set(row, { row, line, raw, errors })
    }
    return [...found.values()]
  }
  const storeChecked = async (records: readonly BulkRecord[], place?: ImportPlace): Promise<BulkCounts> => {
    rejected = findRejected(records)
    const bad = new Set(rejected.map(({ row }) => row))
    const good = bad.size === 0 ? records : records.filter(({ row }) => !bad.has(row))
    const counts = { ...NOTHING, created: good.length, rejected: rejected.length }
    if (plan.dryRun) return counts
    if (rejected.length > 0 && plan.onRejection === 'store nothing') return { ...counts, created: 0 }
    await storeGood(good, place)
    return counts
  }

  return {
    add: async records => {
      waiting = waiting.length === 0 ? [...records] : waiting.concat(records)
    },
    store: async place => {
      const records = waiting
      waiting = []
      rejected = []
      if (plan.dryRun) return storeChecked(records)
      try {
        await storeGood(records, place)
        return { ...NOTHING, created: records.length }
      } catch (error) {
        // The foreign keys found a reference to nothing; a record may vanish again between the look and the insert.
        if (!isConstraint(error)) throw error
        return storeChecked(records, place)
      }
    },
    rejections: async function* () {
      yield* rejected
    },
    close: async () => {
      waiting = []
      rejected = []
    },
  }
}

function inserter({ db }: Connection, { resource, columns, constants }: BulkPlan) {
  const names = Object.keys(resource.fields)
  const stamps = timestamped(resource)
  const tuple = [...names.map(name => (columns.includes(name) ? '?' : `@${name}`)), ...stamps.map(() => '@now')]
  const order = names.filter(name => columns.includes(name)).map(name => columns.indexOf(name))
  const insert = rowInserter(
    db,
    `${resource.name} (${[...names, ...stamps].join()})`,
    `(${tuple.join()})`,
    order.length,
  )
  const fixed = { ...defaultsOf(resource), ...boundRow(constants) }
  return (records: readonly BulkRecord[], now: string): void => {
    const bound: Bound[] = []
    for (const { values } of records) for (const index of order) bound.push(bindable(values[index]))
    insert(bound, { ...fixed, now })
  }
}

/** Tells which references of a record point to nothing; null when none do. */
function referenceChecker({ value }: Connection, { resource, columns, constants }: BulkPlan) {
  const references = checkedReferences(resource).map(([field, to]) => {
    const exists = value<[Bound], number>(`SELECT 1 FROM ${to} WHERE id = ?`)
    return { field, index: columns.indexOf(field), exists: (id: Bound) => exists.get(id) === 1 }
  })
  return (values: readonly Value[]): FieldErrors | null => {
    const dangling = references.filter(({ field, index, exists }) => {
      const id = bindable(index === -1 ? constants[field] : values[index])
      return id !== null && !exists(id)
    })
    if (dangling.length === 0) return null
    return Object.fromEntries(dangling.map(({ field }) => [field, [sentences.reference(field)]]))
  }
}
