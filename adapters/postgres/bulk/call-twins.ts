import { fieldReader } from '../../../core/packed-records.ts'
import type { BulkPlan, BulkRecords } from '../../../core/ports/bulk.ts'
import type { Value } from '../../../core/resources/field.ts'
import { andAt } from '../calls/spread.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'

export interface Twins {
  /** Finds the stored twin of each call in a batch, using each stored call once. Call it for one batch at a time. */
  ofBatch(
    within: Queries,
    batch: readonly BulkRecords[],
  ): Promise<(records: BulkRecords, index: number) => number | null>
  /** Excludes these stored calls from later batches. */
  take(ids: readonly number[]): void
}

/**
 * Calls without a switch are identified only by their values. A call stored before the import matches an incoming one
 * if all fields agree; two such calls in the file match two stored ones.
 */
export function callTwins(plan: BulkPlan): Twins {
  const { before } = plan
  const others = Object.keys(plan.resource.fields).filter(name => name !== 'tenant_id' && name !== 'started_at')
  const [tenantOf, startOf] = [fieldReader(plan, 'tenant_id'), fieldReader(plan, 'started_at')]
  const readers = [tenantOf, startOf, ...others.map(name => fieldReader(plan, name))]
  const columns = ['tenant_id', 'started_at', ...others]
  const taken = new Set<number>()
  const keyOf = (values: readonly Value[]): string => values.join('\0')
  return {
    ofBatch: async (within, batch) => {
      if (before === 0) return () => null
      const moments = new Map<string, readonly [Value, Value]>()
      for (const records of batch)
        for (let index = 0; index < records.count; index++) {
          const [tenant, start] = [tenantOf(records, index), startOf(records, index)]
          moments.set(`${tenant} ${start}`, [tenant, start])
        }
      const wanted = [...moments.values()]
      const tenants = wanted.map(([tenant]) => Number(tenant))
      const rows = await within.rows<Record<string, Value> & { readonly id: number }>(
        sql`SELECT c.id, ${raw(columns.map(name => `c.${name}`).join())}
          FROM unnest(${tenants}::bigint[], ${wanted.map(([, start]) => start)}::text[]) AS u(tenant, start)
          JOIN cdrs c ON c.tenant_id = u.tenant AND c.started_at = u.start AND c.id <= ${before}${andAt(within, 'c', tenants)} ORDER BY c.id`,
      )
      const found = new Map<string, number[]>()
      for (const row of rows) {
        if (taken.has(row.id)) continue
        const key = keyOf(columns.map(name => row[name] ?? null))
        found.set(key, [...(found.get(key) ?? []), row.id])
      }
      return (records, index) => found.get(keyOf(readers.map(read => read(records, index))))?.shift() ?? null
    },
    take: ids => {
      for (const id of ids) taken.add(id)
    },
  }
}
