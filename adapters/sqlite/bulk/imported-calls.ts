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
import { callFinder, keyOf, partsOfKey } from '../calls/call-keys.ts'
import { type Bound, toSql } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import { amountSql } from '../records/view.ts'
import { rowInserter } from './bulk-rows.ts'
import { callTwins } from './call-twins.ts'

export interface ImportedCalls {
  /** Finds calls that are stored already. Only reads. */
  sift(records: readonly BulkRecords[]): SiftedCalls
  /** Marks these rows as done. */
  settle(sifted: SiftedCalls): void
  /** Stores what is kept with calls that were just inserted, the first of them with that id. */
  keep(records: readonly BulkRecords[], first: number): void
}

const rowOf = (records: BulkRecords, index: number): number => Number(valueAt(records.rows, index))

export function importedCalls(connection: Connection, plan: BulkPlan): ImportedCalls {
  const importedAt = importedCallReader(plan)
  const finder = callFinder(connection)
  const twins = callTwins(connection, plan)
  const keep = keeper(connection, plan)
  return {
    sift: batch => {
      const called: ImportedCall[] = []
      const storedRows = new Set<number>()
      const found: number[] = []
      const twinOf = plan.allowDuplicates ? () => null : twins.ofBatch()
      for (const records of batch)
        for (let index = 0; index < records.count; index++) {
          const imported = importedAt(records, index)
          if (imported) called.push(imported)
          const twin = imported ? null : twinOf(records, index)
          if (twin === null) continue
          storedRows.add(rowOf(records, index))
          found.push(twin)
        }
      const { fresh, conflicts } = separateCalls(called, finder())
      const isNew = new Set([...fresh, ...conflicts.map(({ call }) => call)])
      for (const call of called) if (!isNew.has(call)) storedRows.add(rowOf(call.records, call.index))
      return { storedRows, conflicts: conflicts.map(idRejection), twins: found }
    },
    settle: sifted => twins.take(sifted.twins),
    keep: (batch, first) => {
      const called: [cdrId: number, ImportedCall][] = []
      let cdrId = first
      for (const records of batch)
        for (let index = 0; index < records.count; index++, cdrId++) {
          const imported = importedAt(records, index)
          if (imported) called.push([cdrId, imported])
        }
      keep(called)
    },
  }
}

const RATING = ['outcome', 'rate_id', 'prefix', 'cost_per_minute', 'billing_increment'] as const

/** Stores the ratings of calls. */
function keeper(connection: Connection, plan: BulkPlan) {
  const read = (name: keyof typeof keptWithCalls): FieldReader => fieldReader(plan, name)
  const formerRatings = read('former_ratings')
  const outcomeAt = importedOutcomeReader(plan)
  const [prefix, price, increment] = [read('rate_prefix'), read('rate_cost_per_minute'), read('rate_billing_increment')]
  const rateOf = rateFinder(connection)
  const insert = rowInserter(
    connection.db,
    `cdr_ratings (cdr_id, source, switch_call_id, ${RATING.join()})`,
    '(?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const insertFormer = connection.query<[string, number], unknown>(
    `INSERT INTO cdr_rating_history (cdr_id, direction, replaced_at, bill_seconds, cost, ${RATING.join()})
     SELECT c.id, coalesce(f.value ->> 'direction', c.direction), f.value ->> 'replaced_at', f.value ->> 'bill_seconds', f.value ->> 'cost', f.value ->> 'outcome',
       (SELECT max(id) FROM rates WHERE tenant_id = c.tenant_id AND prefix = f.value ->> 'prefix'),
       f.value ->> 'prefix', f.value ->> 'cost_per_minute', f.value ->> 'billing_increment'
     FROM json_each(?) f CROSS JOIN cdrs c ON c.id = ? ORDER BY f.key`,
  )
  return (calls: readonly (readonly [cdrId: number, ImportedCall])[]): void => {
    insert(calls.length, (position, row) => {
      const call = calls[position]
      if (!call) return
      const [cdrId, imported] = call
      const { records, index, source, marks } = imported
      const rate = [prefix, price, increment].map(part => toSql(part(records, index)))
      row.push(
        cdrId,
        source,
        keyOf(imported),
        toSql(outcomeAt(records, index)),
        rateOf([marks.tenant_id, ...rate]),
        ...rate,
      )
    })
    for (const [cdrId, { records, index }] of calls) {
      const former = formerRatings(records, index)
      if (former !== null) insertFormer.run(String(former), cdrId)
    }
  }
}

const REMEMBERED = 50_000

/** Finds the tenant's present rate for a prefix, the most similar if there are several; null if there is none. */
function rateFinder({ value }: Connection) {
  const find = value<Bound[], number>(
    `SELECT id FROM rates WHERE tenant_id = ? AND prefix = ?
     ORDER BY cost_per_minute IS ? DESC, billing_increment IS ? DESC, id DESC LIMIT 1`,
  )
  const rateIds = new Map<string, number | null>()
  return (rate: readonly [tenantId: number, ...Bound[]]): number | null => {
    if (rate[1] === null) return null
    const key = rate.join('\0')
    const found = rateIds.get(key)
    if (found !== undefined) return found
    if (rateIds.size >= REMEMBERED) rateIds.clear()
    const id = find.get(...rate) ?? null
    rateIds.set(key, id)
    return id
  }
}

const key = partsOfKey('k.switch_call_id')

/** The SQL of what files hold about the call `t` with the rating `k`. */
const KEPT: Readonly<Record<keyof typeof keptWithCalls, string>> = {
  source: 'k.source',
  switch: key.switchName,
  switch_call_id: key.id,
  outcome: 'k.outcome',
  rate_prefix: 'k.prefix',
  rate_cost_per_minute: 'k.cost_per_minute',
  rate_billing_increment: 'k.billing_increment',
  former_ratings: `(SELECT nullif(json_group_array(json_object(
      'replaced_at', h.replaced_at, 'direction', h.direction, 'outcome', h.outcome, 'bill_seconds', h.bill_seconds, 'cost', ${amountSql('h.cost')},
      'prefix', h.prefix, 'cost_per_minute', iif(h.cost_per_minute IS NULL, NULL, ${amountSql('h.cost_per_minute')}),
      'billing_increment', h.billing_increment) ORDER BY h.id), '[]') FROM cdr_rating_history h WHERE h.cdr_id = t.id)`,
}

export const keptSql: Readonly<Record<string, string>> = KEPT
export const KEPT_JOIN = 'LEFT JOIN cdr_ratings k ON k.cdr_id = t.id'
