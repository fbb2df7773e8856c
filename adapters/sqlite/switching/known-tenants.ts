import type { Changed } from '../../../core/ports/switching.ts'
import type { SwitchDid, Trunk, TrunkRoute } from '../../../core/switching/directory.ts'
import {
  type Carriers,
  carriersOf,
  type KnownTenant,
  knownTenant,
  routesOf,
} from '../../../core/switching/stored/known-tenant.ts'
import type { SwitchRecords } from './switch-records.ts'

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

export function knownTenants(records: SwitchRecords): KnownTenants {
  const tenants = new Map<number, KnownTenant>()
  const shown = new Map<number, Map<string, readonly SwitchDid[]>>()
  let carriers: Carriers | null = null

  const present = (): Carriers => {
    carriers ??= carriersOf(records.trunks(), records.routes())
    return carriers
  }
  const read = (id: number): KnownTenant | null => {
    const row = records.tenant(id)
    return row && knownTenant(row)
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
    routesOf: tenantId => routesOf(present(), tenantId),
    shownBy: (tenantId, trunk) => {
      const ofTenant = shown.get(tenantId) ?? new Map<string, readonly SwitchDid[]>()
      shown.set(tenantId, ofTenant)
      const found = ofTenant.get(trunk) ?? records.shownBy(tenantId, trunk)
      ofTenant.set(trunk, found)
      return found
    },
  }
}
