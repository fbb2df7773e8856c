import type { CallFacts, CallsInProgress, LiveCall, SwitchDirectory } from '../../../core/ports/switching.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { decideCall } from '../../../core/switching/decide-call.ts'
import { decideRegistration } from '../../../core/switching/decide-registration.ts'
import {
  type CallDecision,
  type CallRequest,
  type Refused,
  refused,
  type Step,
} from '../../../core/switching/decision.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import { gatewayOf, PUBLIC, partsOf, slugIn } from '../names.ts'
import { activeTrunks } from '../trunks.ts'
import { callcenterDocument } from './callcenter.ts'
import { actionsOf, documentOfCall } from './dialplan.ts'
import { domainDocument, gatewaysDocument, userDocument } from './directory.ts'
import type { LiveCalls } from './live-calls.ts'
import { type DialplanLookup, type Lookup, PROBE, readLookup } from './lookup.ts'
import { ringingQueues } from './queues.ts'
import type { TrunkAddresses } from './trunk-addresses.ts'
import { documentOf, element, NOT_FOUND } from './xml.ts'

export interface LookupParts {
  readonly directory: SwitchDirectory
  readonly live: LiveCalls
  readonly addresses: TrunkAddresses
  readonly clock: Clock
  /** The key of the gateways' marks. */
  readonly key: string
  /** Called with each decision on a phone or a call; `directory` is null if no tenant is known. */
  onDecision(decided: DecidedOn, directory: TenantDirectory | null): void
}

/** `refusal` is null if the registration or call is allowed; `asked` says who wanted what, for the log. */
export type DecidedOn =
  | { readonly what: 'register' | 'prove'; readonly asked: { readonly user: string }; readonly refusal: Refused | null }
  | {
      readonly what: 'call'
      readonly asked: AskedCall
      readonly refusal: Refused | null
      readonly steps: readonly Step[]
    }

export interface AskedCall {
  /** `101@acme` for an extension; otherwise the caller as the carrier wrote it. */
  readonly from: string
  readonly dialled: string
  /** Where a call from outside came from. */
  readonly address?: string
}

/** Answers the requests of mod_xml_curl from the present data. */
export const lookupAnswers =
  (parts: LookupParts) =>
  async (form: URLSearchParams): Promise<string> => {
    const lookup = readLookup(form)
    switch (lookup.kind) {
      case 'user':
        return userAnswer(parts, lookup)
      case 'domain':
        return domainDocument(lookup.domain)
      case 'gateways':
        return gatewaysDocument(activeTrunks(await anyDirectory(parts.directory)), parts.key)
      case 'dialplan':
        return callAnswer(parts, lookup)
      case 'queues':
        return queuesAnswer(parts.directory, lookup.queue)
      case 'probe':
        return documentOf('configuration', [element('configuration', { name: PROBE })])
      case 'other':
        return NOT_FOUND
    }
  }

async function userAnswer(
  { directory, onDecision }: LookupParts,
  { domain, user, to, from, isProof }: Extract<Lookup, { kind: 'user' }>,
): Promise<string> {
  const found = await directory.registrant(domain, user)
  const decision = decideRegistration(found, { domain, user, to })
  const refusal = decision.refusal === null ? null : decision
  if (isProof) onDecision({ what: to ? 'register' : 'prove', asked: { user: `${user}@${domain}` }, refusal }, found)
  return decision.refusal === null
    ? userDocument(decision.tenant, decision.extension, { hasSecret: isProof, from })
    : NOT_FOUND
}

async function callAnswer(parts: LookupParts, lookup: DialplanLookup): Promise<string> {
  const { context, dialled, id, phone, isContinued, isCarriers } = lookup
  const slug = slugIn(context)
  const caller = phone === null ? null : partsOf(phone)
  // A call that arrives at a DID and is sent on belongs to whoever took it.
  if (slug === null ? context !== PUBLIC : caller !== null && caller.slug !== slug) return NOT_FOUND
  const asked = caller
    ? await placedBy(parts, lookup, caller)
    : slug === null
      ? await brought(parts, lookup)
      : refused('unknown extension', 'the call is of no extension')
  // From here until the call is added nothing waits: calls of the same moment would not count for its limits.
  const { decision, facts, request } = decided(asked, parts.live.except(id))
  const tenant = facts?.directory.tenant ?? null
  const extension = request?.from === 'extension' ? request.extension : null
  const refusal = decision.refusal === null ? null : decision
  const about = phone === null ? { from: lookup.caller, dialled, address: lookup.address } : { from: phone, dialled }
  parts.onDecision({ what: 'call', asked: about, refusal, steps: decision.steps }, facts?.directory ?? null)
  if (decision.refusal === null && tenant) {
    const [first] = decision.targets
    const call = { tenant: tenant.slug, extension, from: extension ?? lookup.caller, to: dialled }
    const trunk = first.to === 'trunk' ? first.trunk.name : request?.from === 'trunk' ? request.trunk : null
    parts.live.opened({ ...call, ...started(parts, id, decision.direction), trunk }, isContinued)
  }
  return documentOfCall(context, actionsOf(decision, { tenant, extension, isContinued, isCarriers, key: parts.key }))
}

const started = (
  { clock }: LookupParts,
  id: string,
  direction: LiveCall['direction'],
): Pick<LiveCall, 'id' | 'direction' | 'startedAt' | 'answeredAt'> => ({
  id,
  direction,
  startedAt: clock.now(),
  answeredAt: null,
})

/** What decides on a call, and what it may be: it is connected if any of the requests may be. */
interface Asked {
  readonly facts: CallFacts
  readonly requests: readonly [CallRequest, ...CallRequest[]]
}

interface Decided {
  readonly decision: CallDecision
  readonly facts: CallFacts | null
  readonly request: CallRequest | null
}

function decided(asked: Asked | Refused, live: CallsInProgress): Decided {
  if ('refusal' in asked) return { decision: { ...asked, steps: [] }, facts: null, request: null }
  const { facts, requests } = asked
  const [first, ...others] = requests
  const decide = (request: CallRequest) => ({ decision: decideCall(request, facts, live), facts, request })
  const all = [first, ...others].map(decide)
  const isOwn = ({ decision }: Decided): boolean => decision.refusal !== 'DID of another trunk'
  return all.find(({ decision }) => decision.refusal === null) ?? all.find(isOwn) ?? decide(first)
}

async function placedBy(
  { directory, live }: LookupParts,
  { dialled, id, isPlaced }: DialplanLookup,
  { number, slug }: { readonly number: string; readonly slug: string },
): Promise<Asked | Refused> {
  const request: CallRequest = { from: 'extension', extension: number, dialled, isSentOn: !isPlaced }
  const facts = await directory.forCall(slug, request, { live: live.except(id) })
  return facts ? { facts, requests: [request] } : refused('unknown tenant', `there is no tenant ${slug}`)
}

async function brought(parts: LookupParts, lookup: DialplanLookup): Promise<Asked | Refused> {
  const { dialled, caller } = lookup
  const request = (trunk: string | null): CallRequest => ({ from: 'trunk', trunk, caller, dialled })
  const facts = await parts.directory.forDid(dialled)
  if (!facts) return refused('unknown DID', `no DID has the number ${dialled}`)
  // Several trunks may lead to one carrier: it is enough that one of them may bring the call.
  const [first = null, ...others] = await trunksAt(parts, lookup, facts.directory)
  return { facts, requests: [request(first), ...others.map(request)] }
}

/**
 * Returns the trunks that a call may have come by: that of the gateway it was sent to, whose name only the carrier
 * knows, else those with its address.
 */
async function trunksAt(
  { addresses, key }: LookupParts,
  { gateway, address }: DialplanLookup,
  { trunks }: TenantDirectory,
): Promise<readonly string[]> {
  const all = [...trunks.values()]
  const registered = all.filter(trunk => gateway === gatewayOf(trunk, key)).map(({ name }) => name)
  return registered.length > 0 ? registered : addresses.trunksAt(address, all)
}

async function queuesAnswer(directory: SwitchDirectory, name: string | null): Promise<string> {
  if (name === null) {
    const all = []
    for await (const each of directory.all()) all.push(...ringingQueues(each))
    return callcenterDocument(all)
  }
  const parts = partsOf(name)
  const found = parts ? await directory.whole(parts.slug) : null
  return callcenterDocument(found ? ringingQueues(found).filter(({ queue }) => queue.number === parts?.number) : [])
}

/** Trunks belong to no tenant, and are in every directory. */
async function anyDirectory(directory: SwitchDirectory): Promise<TenantDirectory | null> {
  for await (const each of directory.all()) return each
  return null
}
