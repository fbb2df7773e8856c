import { changesOf } from '../../../core/audit.ts'
import { TENANT } from '../../../core/resources/references/within.ts'
import { type Resource, type Row, timestamped } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'
import { assertCallsMayRefer, bucketAt, bucketColumn, nextId } from '../calls/spread.ts'
import type { Queries } from '../database/queries.ts'
import { joined, raw, type Sql, sql } from '../database/sql.ts'
import { AUDIT_COLUMNS } from '../service/audit.ts'
import { type NewRecord, storedRow } from './new-record.ts'
import { plainWriter } from './plain-writer.ts'

const MOST_AT_ONCE = 256

/** Cuts a list into pieces of few different lengths, so that few different statements are prepared. */
function inFewSizes<T>(all: readonly T[], size = MOST_AT_ONCE): (readonly T[])[] {
  if (all.length === 0) return []
  if (size > all.length) return inFewSizes(all, size / 2)
  return [all.slice(0, size), ...inFewSizes(all.slice(size), size)]
}

/**
 * Stores records of a table that a cluster spreads; returns their views in order. Values go straight to their nodes,
 * while a statement that selects rows visits all nodes.
 */
export async function insertSpread(
  within: Queries,
  resource: Resource,
  records: readonly NewRecord[],
): Promise<string[]> {
  await assertCallsMayRefer(
    within,
    records.map(({ values }) => values),
  )
  const ids = await within.values<number>(sql`SELECT ${nextId(within, tableOf(resource.name), 'u.tenant')}
    FROM unnest(${records.map(({ values }) => Number(values[TENANT]))}::bigint[]) WITH ORDINALITY AS u(tenant, place) ORDER BY place`)
  const stored = records.map((record, place) => ({ ...storedRow(resource, record), id: ids[place] ?? 0 }))
  const names = ['id', ...Object.keys(resource.fields), ...timestamped(resource)]
  const rows = stored.map(row => {
    const cells: Row = row
    return sql`(${joined([...names.map(name => sql`${cells[name] ?? null}`), sql`${bucketAt(within, row.id)}`], ', ')})`
  })
  const insertion = sql`INSERT INTO ${raw(tableOf(resource.name))} (${raw(names.join())}${bucketColumn(within)}) VALUES `
  await Promise.all([
    within.run(noteSql(resource, records, ids)),
    ...inFewSizes(rows).map(some => within.run(sql`${insertion}${joined(some, ', ')}`)),
  ])
  const write = plainWriter(resource)
  return stored.map(row => write(row))
}

function noteSql(resource: Resource, records: readonly NewRecord[], ids: readonly number[]): Sql {
  const of = (part: (record: NewRecord) => string): Sql => sql`${records.map(part)}::text[]`
  const changes = of(({ values }) => JSON.stringify(changesOf(resource, null, values)))
  const signed = (['at', 'actor', 'origin'] as const).map(part => of(record => record.signed[part]))
  return sql`INSERT INTO audit (${raw(AUDIT_COLUMNS)})
    SELECT u.at, u.actor, u.origin, 'create', ${resource.name}, u.changes, u.id, NULL
    FROM unnest(${joined([...signed, changes], ', ')}, ${ids}::bigint[])
      WITH ORDINALITY AS u(at, actor, origin, changes, id, place) ORDER BY place`
}
