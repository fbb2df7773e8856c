import type { Bulk, ImportPlace } from '../../../core/ports/bulk.ts'
import type { Selection } from '../../../core/ports/records.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { namedReferences } from '../../../core/resources/references/names.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { keepsPlace } from '../../../core/transfer/imported-resource.ts'
import { referenceNameSql } from '../../sql/reference-names.ts'
import { tableOf } from '../../sql/table.ts'
import type { Database } from '../database/database.ts'
import { translating } from '../database/errors.ts'
import { raw, type Sql, sql, where } from '../database/sql.ts'
import { selectionSql } from '../records/selection.ts'
import type { AuditTrail } from '../service/audit.ts'
import { directLoad } from './direct-load.ts'
import { keptJoin, keptSqlOf } from './imported-calls.ts'
import { stagedLoad } from './staged-load.ts'

const DUMP_PAGE = 500

/** The storage port for many records at once. */
export function bulk(database: Database, clock: Clock, trail: AuditTrail): Bulk {
  return {
    load: plan => translating((keepsPlace(plan.resource) ? directLoad : stagedLoad)(database, clock, trail, plan)),
    places: ({ name }) => database.rows<ImportPlace>(sql`SELECT input, mark FROM imports WHERE resource = ${name}`),
    lastId: async ({ name }) =>
      (await database.value<number>(sql`SELECT coalesce(max(id), 0) FROM ${raw(tableOf(name))}`)) ?? 0,
    dump: (resource, fields, selection) => dump(database, resource, fields, selection),
    asOfNow: async (read, signal) => {
      const session = database.session(signal)
      try {
        return await session.snapshot(within => read({ dump: (...parameters) => dump(within, ...parameters) }))
      } finally {
        await session.close()
      }
    },
  }
}

type Dumped = (string | number | null)[]

/** In order of id, or of date if a period is set; each page continues where the last one ended. */
async function* dump(
  database: Pick<Database, 'rows' | 'spread'>,
  resource: Resource,
  fields: readonly string[],
  { period, ...selection }: Selection,
): AsyncIterable<Dumped[]> {
  const order = raw(`t.${resource.order}`)
  const kept = fields.filter(field => field in resource.kept)
  const keptSql = keptSqlOf(database)
  const keptColumns = raw(kept.map(field => `, ${keptSql[field] ?? 'NULL'} AS kept_${field}`).join(''))
  const columns = raw(fields.map((field, index) => `${namedSql(resource, field)} AS f${index}`).join(', '))
  const by = period ? sql`${order}, t.id` : raw('t.id')
  let last: { readonly key: string | number; readonly id: number } | undefined
  const after = (): Sql[] => {
    if (!period) return [sql`t.id > ${last?.id ?? 0}`]
    return [sql`(${order}, t.id) > (${last?.key ?? period.from}, ${last?.id ?? 0})`, sql`${order} < ${period.to}`]
  }
  for (;;) {
    const rows = await database.rows<
      { key: string | number; id: number } & Record<string, string | number | boolean | null>
    >(
      sql`SELECT ${order} AS key, t.id, ${columns} FROM (
          SELECT t.*${keptColumns} FROM ${raw(tableOf(resource.name))} t ${kept.length > 0 ? keptJoin(database) : raw('')}
          ${where([...after(), ...selectionSql(database, resource, selection)])}
          ORDER BY ${by} LIMIT ${raw(String(DUMP_PAGE))}) t ORDER BY ${by}`,
    )
    last = rows.at(-1) ?? last
    if (rows.length > 0) yield rows.map(row => fields.map((_, index) => plain(row[`f${index}`] ?? null)))
    if (rows.length < DUMP_PAGE) return
  }
}

const plain = (value: string | number | boolean | null): string | number | null =>
  typeof value === 'boolean' ? Number(value) : value

/** SQL for a field's value, or for the name of the record it points to. */
function namedSql(resource: Resource, field: string): string {
  if (field in resource.kept) return `t.kept_${field}`
  const reference = namedReferences(resource).find(named => named.field === field)
  if (!reference) return `t.${field}`
  const isOwnOuter = reference.outer !== null && resource.fields[reference.outer] !== undefined
  return referenceNameSql(reference, 't', ({ own, outer }, full) =>
    outer && isOwnOuter
      ? `CASE WHEN r_t.${outer.field} IS NOT DISTINCT FROM t.${outer.field} THEN r_t.${own} ELSE ${full} END`
      : full,
  )
}
