import type { Selection } from '../../../core/ports/records.ts'
import { TENANT, tenantSide } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { tableOf } from '../../sql/table.ts'
import { withinSql } from '../../sql/within.ts'
import { UNRATED } from '../calls/call-ratings.ts'
import { andAt, andTogether, isSpread } from '../calls/spread.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql } from '../database/sql.ts'

const column = (name: string): Sql => raw(`t.${name}`)

/** A filter gives a boolean as 1 or 0. */
const comparable = ({ fields }: Resource, name: string, value: string | number): string | number | boolean =>
  fields[name]?.kind === 'boolean' ? Number(value) === 1 : value

/** The conditions on wanted records `t`, except their period. */
export function selectionSql(
  queries: Pick<Queries, 'spread'>,
  resource: Resource,
  selection: Omit<Selection, 'period'>,
): readonly Sql[] {
  const { where = {}, atLeast = {}, unrated, tenantId } = selection
  const side = tenantId === undefined ? undefined : tenantSide(resource)
  const atTenant = (name: string, value: string | number | undefined): Sql =>
    name === TENANT && typeof value === 'number' && isSpread(queries, tableOf(resource.name))
      ? andAt(queries, 't', value)
      : raw('')
  return [
    ...Object.entries(where).map(([name, value]) =>
      typeof value === 'object'
        ? sql`${column(name)} = ANY(${value.map(each => comparable(resource, name, each))})`
        : sql`${column(name)} = ${comparable(resource, name, value)}${atTenant(name, value)}`,
    ),
    ...Object.entries(atLeast).map(([name, value]) => sql`${column(name)} >= ${value}`),
    ...(unrated
      ? [
          sql`EXISTS (SELECT 1 FROM cdr_ratings r WHERE r.cdr_id = t.id${andTogether(queries, 'r', 't')} AND ${raw(UNRATED)})`,
        ]
      : []),
    ...(tenantId === undefined || !side
      ? []
      : [sql`${raw(withinSql(side, TENANT, field => `t.${field}`))} = ${tenantId}${atTenant(side.field, tenantId)}`]),
  ]
}
