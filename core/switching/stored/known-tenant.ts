import type { Dialling } from '../../dialling/read-number.ts'
import { diallingOf } from '../../dialling/settings.ts'
import { parseJson } from '../../json.ts'
import type { StoredRoute } from '../../ports/prefix-routes.ts'
import type { SwitchTenant, Trunk, TrunkRoute } from '../directory.ts'
import { limitsOf } from '../limits/limit-settings.ts'
import type { LimitSettings } from '../limits/limits.ts'

/** A tenant as a storage selects it; `settings` is JSON text. */
export type TenantRow = SwitchTenant & { readonly settings: string | null }

/** A tenant with what is read from its settings, which may be long. */
export interface KnownTenant {
  readonly tenant: SwitchTenant
  readonly dialling: Dialling
  readonly limits: LimitSettings
}

export function knownTenant({ settings, ...tenant }: TenantRow): KnownTenant {
  const parsed = settings === null ? null : parseJson(settings)
  const dialling = diallingOf(parsed)
  return { tenant, dialling, limits: limitsOf(parsed, dialling) }
}

/** The trunks by name, and the routes by tenant; those of all tenants are under null. */
export interface Carriers {
  readonly trunks: ReadonlyMap<string, Trunk>
  readonly routes: ReadonlyMap<number | null, readonly TrunkRoute[]>
}

/** Returns the carriers, with the trunks of each route by name instead of id. */
export function carriersOf(trunks: ReadonlyMap<string, Trunk>, stored: readonly StoredRoute[]): Carriers {
  const names = new Map([...trunks.values()].map(({ id, name }) => [id, name]))
  const routes = new Map<number | null, TrunkRoute[]>()
  for (const { via, ...route } of stored) {
    const ofTenant = routes.get(route.tenant_id) ?? []
    ofTenant.push({ ...route, trunks: via.flatMap(id => names.get(id) ?? []) })
    routes.set(route.tenant_id, ofTenant)
  }
  return { trunks, routes }
}

/** Returns the tenant's own routes and the shared ones. */
export const routesOf = ({ routes }: Carriers, tenantId: number): readonly TrunkRoute[] => [
  ...(routes.get(tenantId) ?? []),
  ...(routes.get(null) ?? []),
]
