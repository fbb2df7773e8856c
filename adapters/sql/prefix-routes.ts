import type { Changes } from '../../core/audit.ts'
import type { StoredRoute } from '../../core/ports/prefix-routes.ts'

/** The tables of routes: ids in a JSON array. */
export const ROUTE_TABLES = {
  smsRoutes: { table: 'sms_routes', column: 'gateways' },
  trunkRoutes: { table: 'trunk_routes', column: 'trunks' },
} as const

export type RouteTable = (typeof ROUTE_TABLES)[keyof typeof ROUTE_TABLES]

/** A route as a storage selects it; `ids` is the JSON text of its column. */
export interface RouteRow extends Omit<StoredRoute, 'via'> {
  readonly ids: string
}

export const routeIn = ({ ids, ...route }: RouteRow): StoredRoute => ({ ...route, via: idsIn(ids) })

function idsIn(text: string): readonly number[] {
  const ids: unknown = JSON.parse(text)
  return Array.isArray(ids) ? ids.map(Number) : []
}

/** Returns what the audit trail keeps of a route whose ids change from one JSON text to another; null for no route. */
export const routeChanges = (
  { column }: RouteTable,
  { tenant_id, prefix }: Pick<RouteRow, 'tenant_id' | 'prefix'>,
  before: string | null,
  after: string | null,
): Changes => ({
  ...(tenant_id === null ? {} : { tenant_id }),
  prefix,
  [column]: {
    ...(before === null ? {} : { before: idsIn(before) }),
    ...(after === null ? {} : { after: idsIn(after) }),
  },
})
