import type { SwitchDid, SwitchExtension, SwitchQueue, TenantDirectory } from '../../../core/switching/directory.ts'
import { type Carriers, type KnownTenant, routesOf } from '../../../core/switching/stored/known-tenant.ts'
import type { SwitchRecords } from './switch-records.ts'

/** One tenant's records that a question concerns, and the records that they point to. */
export interface Gathered {
  readonly owner: KnownTenant
  readonly carriers: Carriers
  /** Reads and keeps the extension; null if there is none. */
  addExtension(number: string): Promise<SwitchExtension | null>
  /** Adds the queue with its agents. */
  addQueue(number: string): Promise<SwitchQueue | null>
  /** Adds the DID with the targets of its routes. */
  addDid(id: number): Promise<void>
  keepExtension(extension: SwitchExtension): void
  keepQueue(queue: SwitchQueue): void
  /** Keeps a DID without reading its targets. */
  show(did: SwitchDid): void
  directory(): TenantDirectory
}

export function gathering(owner: KnownTenant, carriers: Carriers, records: SwitchRecords): Gathered {
  const { tenant, dialling, limits } = owner
  const extensions = new Map<string, SwitchExtension>()
  const queues = new Map<string, SwitchQueue>()
  const dids = new Map<string, SwitchDid>()
  const gathered: Gathered = {
    owner,
    carriers,
    addExtension: async number => {
      const found = extensions.get(number) ?? (await records.extension(tenant.id, number))
      if (found) extensions.set(number, found)
      return found
    },
    addQueue: async number => {
      const found = await records.queue(tenant.id, number)
      if (!found) return null
      gathered.keepQueue(found)
      for (const { extension } of found.agents) await gathered.addExtension(extension)
      return found
    },
    addDid: async id => {
      const found = await records.did(id)
      if (!found) return
      gathered.show(found)
      for (const { type, number } of found.targets)
        await (type === 'extension' ? gathered.addExtension(number) : gathered.addQueue(number))
    },
    keepExtension: extension => void extensions.set(extension.number, extension),
    // If several queues share a number, the oldest owns it.
    keepQueue: queue => {
      if (!queues.has(queue.number)) queues.set(queue.number, queue)
    },
    show: did => void dids.set(dialling.read(did.number).digits, did),
    directory: () => ({
      ...{ tenant, dialling, limits, extensions, queues, dids },
      trunks: carriers.trunks,
      trunkRoutes: routesOf(carriers, tenant.id),
    }),
  }
  return gathered
}
