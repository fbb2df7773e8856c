import type { FieldErrors } from '../../../core/errors.ts'
import { AppError } from '../../../core/errors.ts'
import { countOf, fieldReader, recordAt, rowsOf, withoutRows } from '../../../core/packed-records.ts'
import type { BulkCounts, BulkLoad, BulkPlan, BulkRecords, ImportPlace, Rejection } from '../../../core/ports/bulk.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Value } from '../../../core/resources/field.ts'
import { timestamped } from '../../../core/resources/resource.ts'
import { dangling } from '../../../core/resources/values/field-errors.ts'
import { NO_COUNTS } from '../../../core/transfer/imported-resource.ts'
import { tableOf } from '../../sql/table.ts'
import { assertCallsMayRefer, bucketNames, bucketValues, isSpread, nextIds } from '../calls/spread.ts'
import type { Database, Loading } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'
import type { AuditTrail } from '../service/audit.ts'
import { eachOf, importedCalls } from './imported-calls.ts'

/** A batch does not block other writers, so only memory bounds its size. */
const BATCH = 10_000
const ATTEMPTS = 5

interface Batch {
  readonly counts: BulkCounts
  readonly rejected: readonly Rejection[]
  settle(): void
}

/** Stores records without a natural key in batches, directly into their table. */
export function directLoad(database: Database, clock: Clock, trail: AuditTrail, plan: BulkPlan): BulkLoad {
  const session = database.session()
  const calls = importedCalls(plan)
  let mark = plan.formerMark
  let waiting: BulkRecords[] = []
  let rejected: readonly Rejection[] = []
  const take = (): readonly BulkRecords[] => {
    const records = waiting
    waiting = []
    return records
  }
  /** Separates new records from rejected and stored ones. */
  const parted = async (within: Queries, records: readonly BulkRecords[]) => {
    const loose = await danglingIn(within, plan, records)
    const sound = withoutRows(rowsOf(loose), records)
    const sifted = await calls.sift(within, sound)
    const all = [...loose, ...sifted.conflicts]
    const fresh = withoutRows(new Set([...sifted.storedRows, ...rowsOf(sifted.conflicts)]), sound)
    const counts = { ...NO_COUNTS, created: countOf(fresh), skipped: sifted.storedRows.size, rejected: all.length }
    return { fresh, batch: { counts, rejected: all, settle: () => calls.settle(sifted) } satisfies Batch }
  }
  const store = async (within: Loading, records: readonly BulkRecords[], placeOf: Parameters<BulkLoad['store']>[0]) => {
    await within.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`import ${plan.resource.name}`}, 0))`)
    const { fresh, batch } = await parted(within, records)
    const { counts, rejected: all } = batch
    if (all.length > 0 && plan.onRejection === 'store nothing')
      return { ...batch, counts: { ...NO_COUNTS, rejected: all.length }, place: null }
    const place = await placeOf(counts, all)
    await calls.keep(within, fresh, await insert(within, plan, fresh, clock.now()))
    await keepPlace(within, plan, place, mark, clock.now())
    if (counts.created > 0) await trail.note(within, 'import', plan.resource.name, null, { ...plan.noted, ...counts })
    return { ...batch, place }
  }
  return {
    batchSize: BATCH,
    add: async records => {
      waiting.push(...records)
    },
    check: async () => {
      const { batch } = await parted(database, take())
      rejected = batch.rejected
      batch.settle()
      return batch.counts
    },
    store: async placeOf => {
      const records = take()
      for (let attempt = 1; ; attempt++)
        try {
          const { place, ...batch } = await session.write(within => store(within, records, placeOf))
          rejected = batch.rejected
          if (place) {
            batch.settle()
            mark = place.mark
          }
          return batch.counts
        } catch (error) {
          if (attempt === ATTEMPTS || !isConstraint(error)) throw error
        }
    },
    rejections: async function* () {
      yield* rejected
    },
    close: async () => {
      take()
      await session.close()
    },
  }
}

/** Returns the ids of the records, in their order. */
async function insert(within: Loading, plan: BulkPlan, batch: readonly BulkRecords[], now: string): Promise<number[]> {
  if (countOf(batch) === 0) return []
  const { resource } = plan
  const fields = Object.entries(resource.fields).map(([name, { fallback, references }]) => {
    const read = fieldReader(plan, name)
    return { name, isPointing: references, read: (...at: Parameters<typeof read>) => read(...at) ?? fallback }
  })
  const each = eachOf(batch)
  const table = tableOf(resource.name)
  const isBucketed = isSpread(within, table)
  if (isBucketed) {
    const pointing = fields.filter(({ isPointing }) => isPointing)
    await assertCallsMayRefer(
      within,
      each.map(({ records, index }) =>
        Object.fromEntries(pointing.map(({ name, read }) => [name, read(records, index)])),
      ),
    )
  }
  const tenantOf = fieldReader(plan, 'tenant_id')
  const ids = await nextIds(
    within,
    table,
    each.map(({ records, index }) => Number(tenantOf(records, index))),
  )
  const stamps = timestamped(resource)
  const columns = ['id', ...fields.map(({ name }) => name), ...stamps, ...(isBucketed ? bucketNames(within) : [])]
  const end = stamps.map(() => now)
  function* rows() {
    for (const [place, { records, index }] of each.entries()) {
      const id = ids[place] ?? 0
      const values = fields.map(({ read }) => read(records, index))
      yield [id, ...values, ...end, ...(isBucketed ? bucketValues(within, id) : [])]
    }
  }
  await within.copy(table, columns, rows())
  return ids
}

/** The rows with a dangling reference, each once. */
async function danglingIn(
  within: Queries,
  plan: BulkPlan,
  batch: readonly BulkRecords[],
): Promise<readonly Rejection[]> {
  const errors = new Map<number, FieldErrors>()
  const places = eachOf(batch)
  for (const [field, { references }] of Object.entries(plan.resource.fields)) {
    if (!references || typeof references.to !== 'string' || references.onDelete === 'keep') continue
    const read = fieldReader(plan, field)
    const ids = places.map(({ records, index }) => read(records, index))
    const wanted = [...new Set(ids)].filter(id => id !== null)
    const there = new Set<Value>(
      await within.values<number>(
        sql`SELECT id FROM ${raw(tableOf(references.to))} WHERE id = ANY(${wanted}::bigint[])`,
      ),
    )
    ids.forEach((id, place) => {
      if (id !== null && !there.has(id)) errors.set(place, [...(errors.get(place) ?? []), dangling(field)])
    })
  }
  const rejections = new Map<number, Rejection>()
  for (const [place, found] of errors) {
    const at = places[place]
    if (!at) continue
    const { row, line, raw: text } = recordAt(at.records, at.index)
    rejections.set(row, { row, line, raw: text, errors: found })
  }
  return [...rejections.values()].sort((a, b) => a.row - b.row)
}

/** Keeps the place of an input if its mark is still `former`, or missing. Throws `conflict` if it has changed. */
async function keepPlace(
  within: Queries,
  { resource }: BulkPlan,
  { input, mark }: ImportPlace,
  former: string | null,
  now: string,
): Promise<void> {
  const changed = await within.run(sql`INSERT INTO imports (resource, input, mark, updated_at)
    VALUES (${resource.name}, ${input}, ${mark}, ${now}) ON CONFLICT (resource, digest_of(input))
    DO UPDATE SET mark = excluded.mark, updated_at = excluded.updated_at WHERE imports.mark = ${former}`)
  if (changed === 0) throw new AppError('conflict', 'Another import of this input is running, so this one stops.')
}
