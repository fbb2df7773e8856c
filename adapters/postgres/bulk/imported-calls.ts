import {
  type ImportedCall,
  idRejection,
  importedCallReader,
  importedOutcomeReader,
  type SiftedCalls,
} from '../../../core/calls/imported-call.ts'
import { separateCalls } from '../../../core/calls/separate.ts'
import { type FieldReader, fieldReader, valueAt } from '../../../core/packed-records.ts'
import type { BulkPlan, BulkRecords } from '../../../core/ports/bulk.ts'
import type { keptWithCalls } from '../../../core/resources/call-ratings.ts'
import type { Value } from '../../../core/resources/field.ts'
import { keyOf, partsOfKey, storedCalls } from '../calls/call-keys.ts'
import { andTogether, bucketColumn, bucketOf } from '../calls/spread.ts'
import type { Queries } from '../database/queries.ts'
import { type Sql, sql } from '../database/sql.ts'
import { callTwins } from './call-twins.ts'

export interface ImportedCalls {
  /** Finds the calls that are already stored. Only reads. */
  sift(within: Queries, records: readonly BulkRecords[]): Promise<SiftedCalls>
  /** Notes that these rows are done. */
  settle(sifted: SiftedCalls): void
  /** Stores what belongs to calls just inserted with these ids. */
  keep(within: Queries, records: readonly BulkRecords[], ids: readonly number[]): Promise<void>
}

const rowOf = (records: BulkRecords, index: number): number => Number(valueAt(records.rows, index))

/** Every record of a batch with its place in it. */
export const eachOf = (batch: readonly BulkRecords[]): { readonly records: BulkRecords; readonly index: number }[] =>
  batch.flatMap(records => Array.from({ length: records.count }, (_, index) => ({ records, index })))

export function importedCalls(plan: BulkPlan): ImportedCalls {
  const importedAt = importedCallReader(plan)
  const twins = callTwins(plan)
  const keep = keeper(plan)
  return {
    sift: async (within, batch) => {
      const called: ImportedCall[] = []
      const storedRows = new Set<number>()
      const found: number[] = []
      const twinOf = plan.allowDuplicates ? () => null : await twins.ofBatch(within, batch)
      for (const { records, index } of eachOf(batch)) {
        const imported = importedAt(records, index)
        if (imported) called.push(imported)
        const twin = imported ? null : twinOf(records, index)
        if (twin === null) continue
        storedRows.add(rowOf(records, index))
        found.push(twin)
      }
      if (called.length === 0) return { storedRows, conflicts: [], twins: found }
      const { fresh, conflicts } = separateCalls(called, await storedCalls(within, called))
      const isNew = new Set([...fresh, ...conflicts.map(({ call }) => call)])
      for (const call of called) if (!isNew.has(call)) storedRows.add(rowOf(call.records, call.index))
      return { storedRows, conflicts: conflicts.map(idRejection), twins: found }
    },
    settle: sifted => twins.take(sifted.twins),
    keep: async (within, batch, ids) => {
      const called = eachOf(batch).flatMap(({ records, index }, place): [number, ImportedCall][] => {
        const imported = importedAt(records, index)
        return imported ? [[ids[place] ?? 0, imported]] : []
      })
      if (called.length > 0) await keep(within, called)
    },
  }
}

const textOf = (value: Value): string | null => (value === null ? null : String(value))
const numberOf = (value: Value): number | null => (value === null ? null : Number(value))

/** Stores the ratings of calls. The rate is the tenant's present one for the prefix; of several, the most similar. */
function keeper(plan: BulkPlan) {
  const read = (name: keyof typeof keptWithCalls): FieldReader => fieldReader(plan, name)
  const formerRatings = read('former_ratings')
  const [tenant, direction] = [fieldReader(plan, 'tenant_id'), fieldReader(plan, 'direction')]
  const outcomeAt = importedOutcomeReader(plan)
  const [prefix, price, increment] = [read('rate_prefix'), read('rate_cost_per_minute'), read('rate_billing_increment')]
  return async (within: Queries, calls: readonly (readonly [cdrId: number, ImportedCall])[]): Promise<void> => {
    const of = <T>(part: (call: ImportedCall) => T): T[] => calls.map(([, call]) => part(call))
    const by = (read: FieldReader) => of(({ records, index }) => read(records, index))
    await within.run(sql`INSERT INTO cdr_ratings
        (cdr_id, source, switch_call_id, outcome, rate_id, prefix, cost_per_minute, billing_increment${bucketColumn(within)})
      SELECT u.cdr_id, u.source, u.key, u.outcome, (SELECT r.id FROM rates r
          WHERE r.tenant_id = u.tenant AND r.prefix = u.prefix
          ORDER BY r.cost_per_minute IS NOT DISTINCT FROM u.price DESC,
            r.billing_increment IS NOT DISTINCT FROM u.increment DESC, r.id DESC LIMIT 1),
        u.prefix, u.price, u.increment${bucketOf(within, 'u.cdr_id')}
      FROM unnest(${calls.map(([id]) => id)}::bigint[], ${of(({ source }) => source)}::text[], ${of(keyOf)}::text[],
        ${by(outcomeAt).map(textOf)}::text[], ${of(({ marks }) => marks.tenant_id)}::bigint[],
        ${by(prefix).map(textOf)}::text[], ${by(price).map(numberOf)}::bigint[], ${by(increment).map(numberOf)}::bigint[])
        AS u(cdr_id, source, key, outcome, tenant, prefix, price, increment)`)
    const former = calls.flatMap(([id, { records, index }]) => {
      const text = formerRatings(records, index)
      const call = { tenant: Number(tenant(records, index)), direction: textOf(direction(records, index)) }
      return text === null ? [] : [{ id, text: String(text), ...call }]
    })
    if (former.length === 0) return
    await within.run(sql`INSERT INTO cdr_rating_history (cdr_id, direction, replaced_at, bill_seconds, cost, outcome, rate_id,
        prefix, cost_per_minute, billing_increment${bucketColumn(within)})
      SELECT u.cdr_id, coalesce(f.value ->> 'direction', u.direction), f.value ->> 'replaced_at',
        (f.value ->> 'bill_seconds')::bigint, (f.value ->> 'cost')::bigint, f.value ->> 'outcome',
        (SELECT max(id) FROM rates WHERE tenant_id = u.tenant AND prefix = f.value ->> 'prefix'),
        f.value ->> 'prefix', (f.value ->> 'cost_per_minute')::bigint, (f.value ->> 'billing_increment')::bigint${bucketOf(within, 'u.cdr_id')}
      FROM unnest(${former.map(({ id }) => id)}::bigint[], ${former.map(({ text }) => text)}::text[],
        ${former.map(({ tenant }) => tenant)}::bigint[], ${former.map(({ direction }) => direction)}::text[])
        AS u(cdr_id, ratings, tenant, direction)
      CROSS JOIN LATERAL json_array_elements(u.ratings::json) WITH ORDINALITY AS f(value, place)
      ORDER BY u.cdr_id, f.place`)
  }
}

const key = partsOfKey('k.switch_call_id')
const amount = (column: string): string => `(${column} / 10000)::text || '.' || lpad((${column} % 10000)::text, 4, '0')`

/** What files hold beside the call `t` with the rating `k`, by field. */
export function keptSqlOf(queries: Pick<Queries, 'spread'>): Readonly<Record<string, string>> {
  const kept: Readonly<Record<keyof typeof keptWithCalls, string>> = {
    source: 'k.source',
    switch: key.switchName,
    switch_call_id: key.id,
    outcome: 'k.outcome',
    rate_prefix: 'k.prefix',
    rate_cost_per_minute: 'k.cost_per_minute',
    rate_billing_increment: 'k.billing_increment',
    former_ratings: `(SELECT '[' || string_agg((SELECT row_to_json(o) FROM (SELECT h.replaced_at, h.direction, h.outcome,
      h.bill_seconds, ${amount('h.cost')} AS cost, h.prefix, ${amount('h.cost_per_minute')} AS cost_per_minute,
      h.billing_increment) o)::text, ',' ORDER BY h.id) || ']' FROM cdr_rating_history h WHERE h.cdr_id = t.id${andTogether(queries, 'h', 't').text})`,
  }
  return kept
}

export const keptJoin = (queries: Pick<Queries, 'spread'>): Sql =>
  sql`LEFT JOIN cdr_ratings k ON k.cdr_id = t.id${andTogether(queries, 'k', 't')}`
