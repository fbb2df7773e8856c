import { fieldReader } from '../../../core/packed-records.ts'
import type { BulkPlan, BulkRecords } from '../../../core/ports/bulk.ts'
import type { Value } from '../../../core/resources/field.ts'
import type { Connection } from '../database/database.ts'

export interface Twins {
  /**
   * Returns a function to call with each call of a batch in turn: it finds the same call among the stored ones, each
   * of those once.
   */
  ofBatch(): (records: BulkRecords, index: number) => number | null
  /** Excludes these calls from later batches. */
  take(ids: readonly number[]): void
}

interface Span {
  readonly from: string | null
  readonly to: string | null
}

/**
 * Finds the stored twins of calls without a switch id, which only their values distinguish. A call stored before the
 * import began equals one in it if all fields do; two such calls in the file match two stored ones.
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
  const [tenantOf, startOf] = [fieldReader(plan, 'tenant_id'), fieldReader(plan, 'started_at')]
  const readers = others.map(name => fieldReader(plan, name))
  const spans = new Map<Value, Span>()
  const taken = new Uint8Array((before >> 3) + 1)
  const isTaken = (id: number): boolean => ((taken[id >> 3] ?? 0) & (1 << (id & 7))) !== 0

  /** The range of a tenant's calls when its first call is looked up: most files hold none from that time. */
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
