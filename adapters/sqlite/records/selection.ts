import type { Selection } from '../../../core/ports/records.ts'
import { TENANT, tenantSide } from '../../../core/resources/references/within.ts'
import type { Resource } from '../../../core/resources/resource.ts'
import { unratedSql } from '../calls/unrated.ts'
import type { Connection } from '../database/database.ts'
import { withinSql } from '../database/within.ts'

/** The SQL conditions of a selection on records `t`, except its period, with their bound values. */
export function selectionSql(
  connection: Connection,
  resource: Resource,
  { where = {}, atLeast = {}, unrated, tenantId }: Omit<Selection, 'period'>,
): { readonly conditions: readonly string[]; readonly bound: readonly (string | number)[] } {
  const side = tenantId === undefined ? undefined : tenantSide(resource)
  const conditions = [
    ...Object.entries(where).map(([column, value]) =>
      typeof value === 'object' ? `t.${column} IN (${value.map(() => '?').join()})` : `t.${column} = ?`,
    ),
    ...Object.keys(atLeast).map(column => `t.${column} >= ?`),
    ...(unrated ? [unratedSql(connection)] : []),
    ...(side ? [`${withinSql(side, TENANT, field => `t.${field}`)} = ?`] : []),
  ]
  const owner = tenantId === undefined || !side ? [] : [tenantId]
  return { conditions, bound: [...Object.values(where).flat(), ...Object.values(atLeast), ...owner] }
}
