import { valueAt } from '../../../core/packed.ts'
import type { BulkPlan, BulkRecords } from '../../../core/ports/bulk.ts'
import type { Value } from '../../../core/resources/field.ts'
import type { Connection } from '../database/database.ts'

/** Reads one field of a record on its way in; null where nothing is given. */
export type Reader = (records: BulkRecords, index: number) => Value

export function readerOf({ columns, constants }: Pick<BulkPlan, 'columns' | 'constants'>, name: string): Reader {
  const position = columns.indexOf(name)
  const constant = constants[name] ?? null
  return position === -1 ? () => constant : ({ values }, index) => valueAt(values[position], index) ?? null
}

export interface Twins {
  /** Finds for each call of one batch the stored one that is the same, each of those once; call it with one after another. */
  ofBatch(): (records: BulkRecords, index: number) => number | null
  /** These are not found for others of later batches. */
  take(ids: readonly number[]): void
}

interface Span {
  readonly from: string | null
  readonly to: string | null
}

/**
 * Calls that no switch names are distinguished by their values alone. A call that was stored before the import began is the same
 * as one in it when all of its fields are; two such calls in the file stand for two that are stored.
 */
export function callTwins({ query, rows }: Connection, plan: BulkPlan): Twins {
  const { before } = plan
  const others = Object.keys(plan.resource.fields).filter(name => name !== 'tenant_id' && name !== 'started_at')
  const spanOf = query<[Value], Span>(
    'SELECT min(started_at) AS "from", max(started_at) AS "to" FROM cdrs WHERE tenant_id = ?',
  )
  const stored = rows<[Value, Value], [number, ...Value[]]>(
    `SELECT id, ${others.join()} FROM cdrs WHERE tenant_id = ? AND started_at = ? AND id <= ${before} ORDER BY id`,
  )
  const [tenantOf, startOf] = [readerOf(plan, 'tenant_id'), readerOf(plan, 'started_at')]
  const readers = others.map(name => readerOf(plan, name))
  const spans = new Map<Value, Span>()
  const taken = new Uint8Array((before >> 3) + 1)
  const isTaken = (id: number): boolean => ((taken[id >> 3] ?? 0) & (1 << (id & 7))) !== 0

  /** Where a tenant's calls lie, as the first call of it finds them: most files hold none from that time. */
  const span = (tenant: Value): Span => {
    const found = spans.get(tenant) ?? spanOf.get(tenant) ?? { from: null, to: null }
    spans.set(tenant, found)
    return found
  }
  const storedAt = (tenant: Value, start: Value): Map<string, number[]> => {
    const ids = new Map<string, number[]>()
    for (const [id, ...values] of stored.all(tenant, start)) {
      if (isTaken(id)) continue
      const key = values.join('\0')
      const same = ids.get(key)
      if (same) same.push(id)
      else ids.set(key, [id])
    }
    return ids
  }
  return {
    ofBatch: () => {
      if (before === 0) return () => null
      const found = new Map<string, Map<string, number[]>>()
      return (records, index) => {
        const [tenant, start] = [tenantOf(records, index), startOf(records, index)]
        const { from, to } = span(tenant)
        if (from === null || to === null || typeof start !== 'string' || start < from || start > to) return null
        const moment = `${tenant} ${start}`
        const there = found.get(moment) ?? storedAt(tenant, start)
        found.set(moment, there)
        if (there.size === 0) return null
        return there.get(readers.map(read => read(records, index)).join('\0'))?.shift() ?? null
      }
    },
    take: ids => {
      for (const id of ids) taken[id >> 3] = (taken[id >> 3] ?? 0) | (1 << (id & 7))
    },
  }
}
