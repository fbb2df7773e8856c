import type { Dialling } from '../../../core/dialling/read-number.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import { parseJson } from '../../../core/json.ts'
import type { Changed } from '../../../core/ports/switching.ts'
import type { SwitchDid, SwitchTenant, Trunk, TrunkRoute } from '../../../core/switching/directory.ts'
import { limitsOf } from '../../../core/switching/limits/limit-settings.ts'
import type { LimitSettings } from '../../../core/switching/limits/limits.ts'
import type { SwitchRecords } from './switch-records.ts'

/** The parsed settings of a tenant, which may be long. */
export interface KnownTenant {
  readonly tenant: SwitchTenant
  readonly dialling: Dialling
  readonly limits: LimitSettings
}

/** The trunks, and the routes of each tenant; the routes of all tenants are under null. */
export interface Carriers {
  readonly trunks: ReadonlyMap<string, Trunk>
  readonly routes: ReadonlyMap<number | null, readonly TrunkRoute[]>
}

/** Caches what every call of a tenant needs until any of it changes. */
export interface KnownTenants {
  changed(changed: Changed): void
  of(id: number): Promise<KnownTenant | null>
  /** The countries of the tenants requested so far. */
  countries(): ReadonlySet<string>
  carriers(): Promise<Carriers>
  /** The DIDs that the carrier of a trunk may be shown as the caller. */
  shownBy(tenantId: number, trunk: string): Promise<readonly SwitchDid[]>
}

export const routesOf = ({ routes }: Carriers, tenantId: number): readonly TrunkRoute[] => [
  ...(routes.get(tenantId) ?? []),
  ...(routes.get(null) ?? []),
]

export function knownTenants(records: SwitchRecords): KnownTenants {
  const tenants = new Map<number, KnownTenant>()
  const shown = new Map<string, readonly SwitchDid[]>()
  let carriers: Carriers | null = null
  /** What was read during a change is used once and not cached. */
  let changes = 0
  const kept = async <T>(read: () => Promise<T>, keep: (found: T) => void): Promise<T> => {
    const before = changes
    const found = await read()
    if (before === changes) keep(found)
    return found
  }
  return {
    changed: changed => {
      changes++
      // A few rows; a change to one tenant's route clears them too.
      carriers = null
      shown.clear()
      if (changed === 'all') tenants.clear()
      else for (const id of changed) tenants.delete(id)
    },
    of: async id =>
      tenants.get(id) ??
      kept(
        () => read(records, id),
        found => {
          if (found) tenants.set(id, found)
        },
      ),
    countries: () => new Set([...tenants.values()].flatMap(({ dialling }) => dialling.country ?? [])),
    carriers: async () =>
      carriers ??
      kept(
        () => carriersIn(records),
        found => {
          carriers = found
        },
      ),
    shownBy: async (tenantId, trunk) => {
      const key = `${tenantId} ${trunk}`
      return (
        shown.get(key) ??
        kept(
          () => records.shownBy(tenantId, trunk),
          found => void shown.set(key, found),
        )
      )
    },
  }
}

async function read(records: SwitchRecords, id: number): Promise<KnownTenant | null> {
  const row = await records.tenant(id)
  if (!row) return null
  const { settings, ...tenant } = row
  const given = settings === null ? null : parseJson(settings)
  const dialling = diallingOf(given)
  return { tenant, dialling, limits: limitsOf(given, dialling) }
}

async function carriersIn(records: SwitchRecords): Promise<Carriers> {
  const trunks = await records.trunks()
  const names = new Map([...trunks.values()].map(({ id, name }) => [id, name]))
  const routes = new Map<number | null, TrunkRoute[]>()
  for (const { via, ...route } of await records.routes()) {
    const ofTenant = routes.get(route.tenant_id) ?? []
    ofTenant.push({ ...route, trunks: via.flatMap(id => names.get(id) ?? []) })
    routes.set(route.tenant_id, ofTenant)
  }
  return { trunks, routes }
}
