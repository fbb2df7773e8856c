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
import { assertCallsMayRefer, bucketColumn, bucketOf, isSpread, nextId } from '../calls/spread.ts'
import type { Database, Queries } from '../database/database.ts'
import { isConstraint } from '../database/errors.ts'
import { joined, raw, sql } from '../database/sql.ts'
import { typeOf } from '../records/record-rules.ts'
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
  const store = async (within: Queries, records: readonly BulkRecords[], placeOf: Parameters<BulkLoad['store']>[0]) => {
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
async function insert(
  within: Queries,
  { resource, columns, constants }: BulkPlan,
  batch: readonly BulkRecords[],
  now: string,
): Promise<number[]> {
  if (countOf(batch) === 0) return []
  const fields = Object.entries(resource.fields)
  const stamps = timestamped(resource)
  const each = eachOf(batch)
  const arrays = fields.map(([name, field]) => {
    const read = fieldReader({ columns, constants }, name)
    const values = each.map(({ records, index }): Value => read(records, index) ?? field.fallback)
    return sql`${values}::${raw(typeOf(field))}[]`
  })
  if (isSpread(within, tableOf(resource.name))) {
    const pointing = fields.filter(([, { references }]) => references).map(([name]) => name)
    const readers = pointing.map(name => [name, fieldReader({ columns, constants }, name)] as const)
    await assertCallsMayRefer(
      within,
      each.map(({ records, index }) =>
        Object.fromEntries(readers.map(([name, read]) => [name, read(records, index) ?? null])),
      ),
    )
  }
  const names = fields.map(([name]) => name).join()
  const inserted = joined(
    [
      ...fields.map(([name, { kind }]) => raw(`u.${name}${kind === 'json' ? '::json' : ''}`)),
      ...stamps.map(() => sql`${now}`),
    ],
    ', ',
  )
  const table = tableOf(resource.name)
  return within.values<number>(sql`WITH u AS MATERIALIZED (
      SELECT ${nextId(within, table, 'g.tenant_id')} AS id, g.* FROM (
        SELECT * FROM unnest(${joined(arrays, ', ')}) WITH ORDINALITY AS x(${raw(names)}, place) ORDER BY place) g),
    i AS (INSERT INTO ${raw(table)} (id, ${raw([names, ...stamps].join())}${bucketColumn(within)})
      SELECT u.id, ${inserted}${bucketOf(within, 'u.id')} FROM u)
    SELECT id FROM u ORDER BY id`)
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
