import { plannedDialling, type ReadNumber } from '../../../core/dialling/dialling.ts'
import { planOf } from '../../../core/dialling/plan.ts'
import type { Calls } from '../../../core/ports/calls.ts'
import type { CallFacts, LimitUsage, SwitchDirectory } from '../../../core/ports/switching.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { routeFor } from '../../../core/prefix-routes.ts'
import type { Rate } from '../../../core/rating/deck.ts'
import { rateTo } from '../../../core/rating/rate-call.ts'
import { isNothing } from '../../../core/switching/changes.ts'
import type { CallRequest } from '../../../core/switching/decision.ts'
import type { SwitchExtension, TenantDirectory } from '../../../core/switching/directory.ts'
import { isFitNumber } from '../../../core/switching/fit.ts'
import { type Limits, NOTHING_USED } from '../../../core/switching/limits.ts'
import type { Connection } from '../database/database.ts'
import { type DidOwner, didNumbers } from './did-numbers.ts'
import { type Gathered, gathering } from './gathered.ts'
import { type KnownTenant, knownTenants } from './known-tenants.ts'
import { switchChanges } from './switch-changes.ts'
import { allIn, switchRecords } from './switch-records.ts'

interface Sources {
  readonly calls: Pick<Calls, 'catalog'>
  readonly limitUsage: LimitUsage
  readonly clock: Clock
}

/** The storage port for what switches ask. It keeps nothing of extensions, queues and DIDs but which number is whose. */
export function switchDirectory(connection: Connection, sources: Sources): SwitchDirectory {
  const records = switchRecords(connection)
  const known = knownTenants(records)
  const numbers = didNumbers(connection, id => known.of(id)?.dialling ?? null)
  const changes = switchChanges(connection)

  const current = async (): Promise<void> => {
    const { records: changed } = await changes.next()
    if (isNothing(changed)) return
    known.changed(changed)
    numbers.changed(changed)
  }
  const tenantOf = (id: number | null): KnownTenant | null => (id === null ? null : known.of(id))
  const gather = (tenant: KnownTenant): Gathered => gathering(tenant, records, known)
  const isOwn = async (digits: string, id: number): Promise<boolean> => (await numbers.find(digits))?.id === id

  /** What a call of an extension that is none to another or a queue needs. */
  const addOutside = async (parts: Gathered, read: ReadNumber, caller: SwitchExtension | null): Promise<void> => {
    const { tenant } = parts.known
    const owner = await numbers.find(read.digits)
    if (owner?.tenantId === tenant.id) return parts.addDid(owner.id)
    const names = routeFor(known.routesOf(tenant.id), tenant.id, read.digits)?.trunks ?? []
    const shown = [
      ...names.flatMap(name => known.shownBy(tenant.id, name)),
      ...(caller ? records.didsTo(caller.id) : []),
    ]
    for (const did of shown) if (await isOwn(parts.known.dialling.read(did.number).digits, did.id)) parts.show(did)
  }
  const factsOf = async (parts: Gathered, caller: SwitchExtension | null, read: ReadNumber | null, isTold: boolean) => {
    const { tenant, limits } = parts.known
    const of = caller ? [limits.tenant, limits.extensions.get(caller.number) ?? limits.extension] : []
    const facts: CallFacts = {
      directory: parts.directory(),
      rate: read && (isTold || of.some(({ ratedOnly }) => ratedOnly)) ? await rateFor(tenant.id, read) : undefined,
      used: { tenant: NOTHING_USED, extension: NOTHING_USED },
    }
    if (!caller || !of.some(hasCounts)) return facts
    const used = await sources.limitUsage.of(tenant)
    return { ...facts, used: { tenant: used.tenant, extension: used.extension(caller.id) } }
  }
  const rateFor = async (tenantId: number, read: ReadNumber): Promise<Rate | null> => {
    const now = sources.clock.now()
    const rate = rateTo((await sources.calls.catalog(tenantId, now)).deckAt(now), read)
    return typeof rate === 'string' ? null : rate
  }
  const placed = async (tenant: KnownTenant, { extension, dialled }: Placed, isTold: boolean): Promise<CallFacts> => {
    const parts = gather(tenant)
    const caller = parts.addExtension(extension)
    if (!isFitNumber(dialled) || parts.addExtension(dialled) || parts.addQueue(dialled))
      return factsOf(parts, caller, null, isTold)
    const read = tenant.dialling.read(dialled)
    await addOutside(parts, read, caller)
    return factsOf(parts, caller, read, isTold)
  }
  const whole = async (id: number): Promise<TenantDirectory | null> => {
    await current()
    const tenant = known.of(id)
    if (!tenant) return null
    const parts = gather(tenant)
    const turn = connection.turns.begin()
    for (const each of await allIn(turn, after => records.after.extensions(id, after))) parts.keepExtension(each)
    for (const each of await allIn(turn, after => records.after.queues(id, after))) parts.keepQueue(each)
    for (const each of await allIn(turn, after => records.after.dids(id, after)))
      if (await isOwn(tenant.dialling.read(each.number).digits, each.id)) parts.show(each)
    return parts.directory()
  }
  /** The DID that a carrier calls, by E.164 with or without its plus, else as it is dialled in some tenant's country. */
  const dialledDid = async (dialled: string): Promise<DidOwner | null> => {
    if (!isFitNumber(dialled)) return null
    const digits = dialled.replace(/^\+/, '')
    const exact = (await numbers.find(digits)) ?? (digits.startsWith('00') ? await numbers.find(digits.slice(2)) : null)
    if (exact || dialled.startsWith('+')) return exact
    const found = new Map<number, DidOwner>()
    for (const country of known.countries()) {
      const owner = await numbers.find(readIn(country, dialled))
      if (owner && known.of(owner.tenantId)?.dialling.country === country) found.set(owner.id, owner)
    }
    const [only = null, ...others] = found.values()
    return others.length === 0 ? only : null
  }
  return {
    registrant: async (domain, extension) => {
      await current()
      const tenant = tenantOf(records.tenantWith.domain(domain))
      if (!tenant) return null
      const parts = gather(tenant)
      parts.addExtension(extension)
      return parts.directory()
    },
    forCall: async (slug, request, { isTold = false } = {}) => {
      await current()
      const tenant = tenantOf(records.tenantWith.slug(slug))
      if (!tenant) return null
      if (request.from === 'extension') return placed(tenant, request, isTold)
      const parts = gather(tenant)
      const owner = await dialledDid(request.dialled)
      if (owner?.tenantId === tenant.tenant.id) parts.addDid(owner.id)
      return factsOf(parts, null, null, isTold)
    },
    forDid: async number => {
      await current()
      const owner = await dialledDid(number)
      const tenant = owner && known.of(owner.tenantId)
      if (!owner || !tenant) return null
      const parts = gather(tenant)
      parts.addDid(owner.id)
      return factsOf(parts, null, null, false)
    },
    whole: async slug => {
      const id = records.tenantWith.slug(slug)
      return id === null ? null : whole(id)
    },
    all: async function* () {
      for (let last = 0; ; ) {
        const ids = records.tenantsAfter(last)
        for (const id of ids) {
          const directory = await whole(id)
          if (directory) yield directory
        }
        const end = ids.at(-1)
        if (end === undefined) return
        last = end
      }
    },
  }
}

type Placed = Extract<CallRequest, { from: 'extension' }>

/** Is a limit set that stored calls count for? */
const hasCounts = ({ most }: Limits): boolean => Object.keys(most).some(name => name !== 'concurrent_calls')

function readIn(country: string, dialled: string): string {
  const plan = planOf(country)
  return plan ? plannedDialling({ plan, areaCode: '', internationalPrefix: null }).read(dialled).digits : ''
}
