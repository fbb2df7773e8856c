import type { Changed } from '../../../core/ports/switching.ts'
import type { SwitchDid } from '../../../core/switching/directory.ts'
import {
  type Carriers,
  carriersOf,
  type KnownTenant,
  knownTenant,
} from '../../../core/switching/stored/known-tenant.ts'
import type { SwitchRecords } from './switch-records.ts'

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
        () => records.tenant(id).then(row => row && knownTenant(row)),
        found => {
          if (found) tenants.set(id, found)
        },
      ),
    countries: () => new Set([...tenants.values()].flatMap(({ dialling }) => dialling.country ?? [])),
    carriers: async () =>
      carriers ??
      kept(
        async () => carriersOf(await records.trunks(), await records.routes()),
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
