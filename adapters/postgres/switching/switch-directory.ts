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
import { type KnownTenant, routesOf } from '../../../core/switching/stored/known-tenant.ts'
import type { Database } from '../database/database.ts'
import { didNumbers } from './did-numbers.ts'
import { type Gathered, gathering } from './gathered.ts'
import { type KnownTenants, knownTenants } from './known-tenants.ts'
import { recordChanges } from './switch-changes.ts'
import { type SwitchRecords, switchRecords } from './switch-records.ts'

/** What every answer is built from. */
interface Shared {
  readonly records: SwitchRecords
  readonly tenants: KnownTenants
  readonly numbers: DidNumbers
}

/**
 * The storage port for the questions of switches. Of extensions, queues and DIDs it caches only who owns which number.
 */
export function switchDirectory(database: Database, sources: FactSources): SwitchDirectory {
  const records = switchRecords(database)
  const tenants = knownTenants(records)
  const numbers = didNumbers(database, async id => (await tenants.of(id))?.dialling ?? null)
  const shared = { records, tenants, numbers }
  const changes = recordChanges(database)
  const current = async (): Promise<void> => {
    const changed = await changes()
    if (isNothing(changed)) return
    tenants.changed(changed)
    numbers.changed(changed)
  }
  const tenantOf = async (id: number | null): Promise<KnownTenant | null> => (id === null ? null : tenants.of(id))
  const wholeOf = async (id: number | null): Promise<TenantDirectory | null> => {
    await current()
    const tenant = await tenantOf(id)
    return tenant && whole(tenant, shared)
  }
  return {
    registrant: async (domain, extension) => {
      await current()
      const tenant = await tenantOf(await records.tenantWith.domain(domain))
      if (!tenant) return null
      const parts = await gatheringOf(tenant, shared)
      await parts.addExtension(extension)
      return parts.directory()
    },
    forCall: async (slug, request, options = {}) => {
      await current()
      const tenant = await tenantOf(await records.tenantWith.slug(slug))
      if (!tenant) return null
      return request.from === 'extension'
        ? placed(tenant, { ...request, ...options }, shared, sources)
        : brought(request.dialled, shared, tenant)
    },
    forDid: async number => {
      await current()
      return brought(number, shared, null)
    },
    whole: async slug => wholeOf(await records.tenantWith.slug(slug)),
    all: async function* () {
      for (const id of await records.tenantIds()) {
        const directory = await wholeOf(id)
        if (directory) yield directory
      }
    },
  }
}

const gatheringOf = async (tenant: KnownTenant, { tenants, records }: Shared): Promise<Gathered> =>
  gathering(tenant, await tenants.carriers(), records)

/** A call to a DID of that tenant or, without one, of any tenant. */
async function brought(dialled: string, shared: Shared, tenant: KnownTenant | null): Promise<CallFacts | null> {
  const owner = await dialledDid(dialled, shared.numbers, shared.tenants)
  const of = tenant ?? (owner && (await shared.tenants.of(owner.tenantId)))
  if (!of) return null
  const parts = await gatheringOf(of, shared)
  if (owner?.tenantId === of.tenant.id) await parts.addDid(owner.id)
  return insideFacts(parts.directory())
}

async function placed(
  tenant: KnownTenant,
  { extension, dialled, ...options }: Extract<CallRequest, { from: 'extension' }> & CallOptions,
  shared: Shared,
  sources: FactSources,
): Promise<CallFacts> {
  const parts = await gatheringOf(tenant, shared)
  const caller = await parts.addExtension(extension)
  const isInside = (await parts.addExtension(dialled)) ?? (await parts.addQueue(dialled))
  if (!caller || isInside || !isFitNumber(dialled)) return insideFacts(parts.directory())
  const read = tenant.dialling.read(dialled)
  const owner = await shared.numbers.find(read.digits)
  if (owner?.tenantId === tenant.tenant.id) {
    await parts.addDid(owner.id)
    return insideFacts(parts.directory())
  }
  await addShown(parts, caller, read, shared)
  return outsideFacts(parts.directory(), { ...options, caller, read }, sources)
}

/** Adds the DIDs that carriers may be shown as the caller. */
async function addShown(
  parts: Gathered,
  caller: SwitchExtension,
  { digits }: ReadNumber,
  { records, tenants, numbers }: Shared,
): Promise<void> {
  const { id } = parts.owner.tenant
  const names = routeFor(routesOf(parts.carriers, id), id, digits)?.trunks ?? []
  const ofTrunks = await Promise.all(names.map(name => tenants.shownBy(id, name)))
  for (const did of [...ofTrunks.flat(), ...(await records.didsTo(caller.id))])
    if (await hasItsNumber(did, parts.owner, numbers)) parts.show(did)
}

/** All records of a tenant. */
async function whole(tenant: KnownTenant, shared: Shared): Promise<TenantDirectory> {
  const { records, numbers } = shared
  const { id } = tenant.tenant
  const parts = await gatheringOf(tenant, shared)
  for (const each of await records.of.extensions(id)) parts.keepExtension(each)
  for (const each of await records.of.queues(id)) parts.keepQueue(each)
  for (const each of await records.of.dids(id)) if (await hasItsNumber(each, tenant, numbers)) parts.show(each)
  return parts.directory()
}
