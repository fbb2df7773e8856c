import type { Dialling } from '../../../core/dialling/read-number.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import { parseJson } from '../../../core/json.ts'
import type { Changed } from '../../../core/ports/switching.ts'
import type { SwitchDid, SwitchTenant, Trunk, TrunkRoute } from '../../../core/switching/directory.ts'
import { limitsOf } from '../../../core/switching/limits/limit-settings.ts'
import type { LimitSettings } from '../../../core/switching/limits/limits.ts'
import type { SwitchRecords } from './switch-records.ts'

/** What is read from a tenant's settings, which may be long. */
export interface KnownTenant {
  readonly tenant: SwitchTenant
  readonly dialling: Dialling
  readonly limits: LimitSettings
}

/** Keeps what every call of a tenant needs until it changes. */
export interface KnownTenants {
  changed(changed: Changed): void
  of(id: number): KnownTenant | null
  /** Returns the countries of the tenants requested so far. */
  countries(): ReadonlySet<string>
  trunks(): ReadonlyMap<string, Trunk>
  /** Returns the tenant's own routes and the shared ones. */
  routesOf(tenantId: number): readonly TrunkRoute[]
  /** Returns the DIDs that a trunk's carrier may be shown as the caller. */
  shownBy(tenantId: number, trunk: string): readonly SwitchDid[]
}

interface Carriers {
  readonly trunks: ReadonlyMap<string, Trunk>
  readonly routes: ReadonlyMap<number | null, readonly TrunkRoute[]>
}

export function knownTenants(records: SwitchRecords): KnownTenants {
  const tenants = new Map<number, KnownTenant>()
  const shown = new Map<number, Map<string, readonly SwitchDid[]>>()
  let carriers: Carriers | null = null

  const present = (): Carriers => {
    carriers ??= carriersIn(records)
    return carriers
  }
  const read = (id: number): KnownTenant | null => {
    const row = records.tenant(id)
    if (!row) return null
    const { settings, ...tenant } = row
    const parsed = settings === null ? null : parseJson(settings)
    const dialling = diallingOf(parsed)
    return { tenant, dialling, limits: limitsOf(parsed, dialling) }
  }
  return {
    changed: changed => {
      // A few rows, which a route of one tenant changes too.
      carriers = null
      if (changed === 'all') {
        tenants.clear()
        shown.clear()
      } else
        for (const id of changed) {
          tenants.delete(id)
          shown.delete(id)
        }
    },
    of: id => {
      const tenant = tenants.get(id) ?? read(id)
      if (tenant) tenants.set(id, tenant)
      return tenant
    },
    countries: () => new Set([...tenants.values()].flatMap(({ dialling }) => dialling.country ?? [])),
    trunks: () => present().trunks,
    routesOf: tenantId => {
      const { routes } = present()
      return [...(routes.get(tenantId) ?? []), ...(routes.get(null) ?? [])]
    },
    shownBy: (tenantId, trunk) => {
      const ofTenant = shown.get(tenantId) ?? new Map<string, readonly SwitchDid[]>()
      shown.set(tenantId, ofTenant)
      const found = ofTenant.get(trunk) ?? records.shownBy(tenantId, trunk)
      ofTenant.set(trunk, found)
      return found
    },
  }
}

function carriersIn(records: SwitchRecords): Carriers {
  const trunks = records.trunks()
  const names = new Map([...trunks.values()].map(({ id, name }) => [id, name]))
  const routes = new Map<number | null, TrunkRoute[]>()
  for (const { via, ...route } of records.routes()) {
    const ofTenant = routes.get(route.tenant_id) ?? []
    ofTenant.push({ ...route, trunks: via.flatMap(id => names.get(id) ?? []) })
    routes.set(route.tenant_id, ofTenant)
  }
  return { trunks, routes }
}
