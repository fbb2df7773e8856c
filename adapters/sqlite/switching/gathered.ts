import type { SwitchDid, SwitchExtension, SwitchQueue, TenantDirectory } from '../../../core/switching/directory.ts'
import type { KnownTenant } from '../../../core/switching/stored/known-tenant.ts'
import type { KnownTenants } from './known-tenants.ts'
import type { SwitchRecords } from './switch-records.ts'

/** The records of one tenant that a question concerns, and those that they lead to. */
export interface Gathered {
  readonly owner: KnownTenant
  /** Reads and keeps it; null if there is none. */
  addExtension(number: string): SwitchExtension | null
  /** With its agents. */
  addQueue(number: string): SwitchQueue | null
  /** Adds a DID with what its routes lead to. */
  addDid(id: number): void
  keepExtension(extension: SwitchExtension): void
  keepQueue(queue: SwitchQueue): void
  /** Adds a DID without what it leads to. */
  show(did: SwitchDid): void
  directory(): TenantDirectory
}

export function gathering(owner: KnownTenant, records: SwitchRecords, tenants: KnownTenants): Gathered {
  const { tenant, dialling, limits } = owner
  const extensions = new Map<string, SwitchExtension>()
  const queues = new Map<string, SwitchQueue>()
  const dids = new Map<string, SwitchDid>()
  const gathered: Gathered = {
    owner,
    addExtension: number => {
      const found = extensions.get(number) ?? records.extension(tenant.id, number)
      if (found) extensions.set(number, found)
      return found
    },
    addQueue: number => {
      const found = records.queue(tenant.id, number)
      if (!found) return null
      gathered.keepQueue(found)
      for (const { extension } of found.agents) gathered.addExtension(extension)
      return found
    },
    addDid: id => {
      const found = records.did(id)
      if (!found) return
      gathered.show(found)
      for (const { type, number } of found.targets)
        if (type === 'extension') gathered.addExtension(number)
        else gathered.addQueue(number)
    },
    keepExtension: extension => extensions.set(extension.number, extension),
    // If several queues have one number, the oldest gets it.
    keepQueue: queue => {
      if (!queues.has(queue.number)) queues.set(queue.number, queue)
    },
    show: did => dids.set(dialling.read(did.number).digits, did),
    directory: () => ({
      ...{ tenant, dialling, limits, extensions, queues, dids },
      trunks: tenants.trunks(),
      trunkRoutes: tenants.routesOf(tenant.id),
    }),
  }
  return gathered
}
