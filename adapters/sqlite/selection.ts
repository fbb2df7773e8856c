import type { Selection } from '../../core/ports/records.ts'
import type { Resource } from '../../core/resources/resource.ts'
import { TENANT, tenantSide } from '../../core/resources/within.ts'
import { withinSql } from './within.ts'

/** What the records `t` have to hold to be wanted, their period aside, and what that is bound to. */
export function selectionSql(
  resource: Resource,
  { where = {}, tenantId }: Omit<Selection, 'period'>,
): { readonly conditions: readonly string[]; readonly bound: readonly (string | number)[] } {
  const conditions = Object.entries(where).map(([column, value]) =>
    typeof value === 'object' ? `t.${column} IN (${value.map(() => '?').join()})` : `t.${column} = ?`,
  )
  const bound = Object.values(where).flat()
  const side = tenantId === undefined ? undefined : tenantSide(resource)
  if (tenantId === undefined || !side) return { conditions, bound }
  const owner = withinSql(side, TENANT, field => `t.${field}`)
  return { conditions: [...conditions, `${owner} = ?`], bound: [...bound, tenantId] }
}
