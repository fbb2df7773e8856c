import type { ReadNumber } from '../../../core/dialling/read-number.ts'
import type { CallFacts, CallOptions, SwitchDirectory } from '../../../core/ports/switching.ts'
import { routeFor } from '../../../core/prefix-routes.ts'
import { isNothing } from '../../../core/switching/changes.ts'
import type { CallRequest } from '../../../core/switching/decision.ts'
import type { SwitchExtension, TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitNumber } from '../../../core/switching/fit.ts'
import { insideFacts, outsideFacts } from '../../../core/switching/stored/call-facts.ts'
import type { FactSources } from '../../../core/switching/stored/costs-so-far.ts'
import { dialledDid, hasItsNumber } from '../../../core/switching/stored/dialled-did.ts'
import type { DidNumbers } from '../../../core/switching/stored/did-index.ts'
import type { KnownTenant } from '../../../core/switching/stored/known-tenant.ts'
import type { Connection } from '../database/database.ts'
import { didNumbers } from './did-numbers.ts'
import { type Gathered, gathering } from './gathered.ts'
import { type KnownTenants, knownTenants } from './known-tenants.ts'
import { switchChanges } from './switch-changes.ts'
import { allIn, type SwitchRecords, switchRecords } from './switch-records.ts'

/** What the answers are built from. */
interface Shared {
  readonly records: SwitchRecords
  readonly tenants: KnownTenants
  readonly numbers: DidNumbers
  readonly sources: FactSources
}

/**
 * The storage port for what switches ask. Of extensions, queues and DIDs it caches only which number belongs to whom.
 */
export function switchDirectory(connection: Connection, sources: FactSources): SwitchDirectory {
  const records = switchRecords(connection)
  const tenants = knownTenants(records)
  const numbers = didNumbers(connection, id => tenants.of(id)?.dialling ?? null)
  const shared = { records, tenants, numbers, sources }
  const changes = switchChanges(connection)
  const current = async (): Promise<void> => {
    const { records: changed } = await changes.next()
    if (isNothing(changed)) return
    tenants.changed(changed)
    numbers.changed(changed)
  }
  const tenantOf = (id: number | null): KnownTenant | null => (id === null ? null : tenants.of(id))
  const wholeOf = async (id: number): Promise<TenantDirectory | null> => {
    await current()
    const tenant = tenants.of(id)
    return tenant && whole(tenant, shared, connection)
  }
  return {
    registrant: async (domain, extension) => {
      await current()
      const tenant = tenantOf(records.tenantWith.domain(domain))
      if (!tenant) return null
      const parts = gathering(tenant, records, tenants)
      parts.addExtension(extension)
      return parts.directory()
    },
    forCall: async (slug, request, options = {}) => {
      await current()
      const tenant = tenantOf(records.tenantWith.slug(slug))
      if (!tenant) return null
      return request.from === 'extension'
        ? placed(tenant, request, options, shared)
        : brought(request.dialled, shared, tenant)
    },
    forDid: async number => {
      await current()
      return brought(number, shared, null)
    },
    whole: async slug => {
      const id = records.tenantWith.slug(slug)
      return id === null ? null : wholeOf(id)
    },
    all: async function* () {
      for (let ids = records.tenantsAfter(0); ids.length > 0; ids = records.tenantsAfter(ids.at(-1) ?? 0))
        for (const id of ids) {
          const directory = await wholeOf(id)
          if (directory) yield directory
        }
    },
  }
}

/** Looks up a call to a DID: of that tenant, or of whichever has it. */
async function brought(dialled: string, shared: Shared, tenant: KnownTenant | null): Promise<CallFacts | null> {
  const { records, tenants, numbers } = shared
  const owner = await dialledDid(dialled, numbers, tenants)
  const of = tenant ?? (owner && tenants.of(owner.tenantId))
  if (!of) return null
  const parts = gathering(of, records, tenants)
  if (owner?.tenantId === of.tenant.id) parts.addDid(owner.id)
  return insideFacts(parts.directory())
}

async function placed(
  tenant: KnownTenant,
  { extension, dialled }: Extract<CallRequest, { from: 'extension' }>,
  options: CallOptions,
  shared: Shared,
): Promise<CallFacts> {
  const parts = gathering(tenant, shared.records, shared.tenants)
  const caller = parts.addExtension(extension)
  const isInside = parts.addExtension(dialled) ?? parts.addQueue(dialled)
  if (!caller || isInside || !isFitNumber(dialled)) return insideFacts(parts.directory())
  const read = tenant.dialling.read(dialled)
  const owner = await shared.numbers.find(read.digits)
  if (owner?.tenantId === tenant.tenant.id) {
    parts.addDid(owner.id)
    return insideFacts(parts.directory())
  }
  await addShown(parts, caller, read, shared)
  return outsideFacts(parts.directory(), { ...options, caller, read }, shared.sources)
}

/** Adds the DIDs that carriers may be shown as the caller. */
async function addShown(
  parts: Gathered,
  caller: SwitchExtension,
  { digits }: ReadNumber,
  { records, tenants, numbers }: Shared,
): Promise<void> {
  const { id } = parts.owner.tenant
  const names = routeFor(tenants.routesOf(id), id, digits)?.trunks ?? []
  for (const did of [...names.flatMap(name => tenants.shownBy(id, name)), ...records.didsTo(caller.id)])
    if (await hasItsNumber(did, parts.owner, numbers)) parts.show(did)
}

/** Returns everything of a tenant, in steps. */
async function whole(
  tenant: KnownTenant,
  { records, tenants, numbers }: Shared,
  { turns }: Connection,
): Promise<TenantDirectory> {
  const { id } = tenant.tenant
  const parts = gathering(tenant, records, tenants)
  const turn = turns.begin()
  for (const each of await allIn(turn, after => records.after.extensions(id, after))) parts.keepExtension(each)
  for (const each of await allIn(turn, after => records.after.queues(id, after))) parts.keepQueue(each)
  for (const each of await allIn(turn, after => records.after.dids(id, after)))
    if (await hasItsNumber(each, tenant, numbers)) parts.show(each)
  return parts.directory()
}
