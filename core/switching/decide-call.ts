import type { ReadNumber } from '../dialling/read-number.ts'
import type { CallFacts, CallsInProgress } from '../ports/switching.ts'
import { isActive } from '../rating/deck.ts'
import { tenantRefusal } from './decide-registration.ts'
import { type CallDecision, type CallRequest, type PutThrough, type Refused, refused, type Step } from './decision.ts'
import type { SwitchDid, SwitchExtension, TenantDirectory } from './directory.ts'
import { isFitE164, isFitNumber } from './fit.ts'
import { type End, endRefusal, insideTargets } from './inside.ts'
import { accounts, type DecisionContext, limitRefusal } from './limits/refusal.ts'
import { goOut } from './outside.ts'

type Placed = Extract<CallRequest, { from: 'extension' }>

/**
 * Decides where a call goes. `live` are the calls in progress, of all tenants, without this one. A phone that sends a
 * call on to another number (302, REFER) asks again, on behalf of the extension whose call it is.
 */
export function decideCall(request: CallRequest, facts: CallFacts, live: CallsInProgress): CallDecision {
  const { tenant } = facts.directory
  const steps: Step[] = [{ kind: 'tenant', tenant }]
  const deciding = { facts, live, steps }
  const unfit = isFitNumber(request.dialled)
    ? null
    : refused('unfit number', `${JSON.stringify(request.dialled)} is not a number that can be dialled`)
  const outcome =
    tenantRefusal(tenant) ??
    unfit ??
    (request.from === 'extension' ? placed(deciding, request) : arrived(deciding, request.trunk, request.dialled))
  if (outcome.refusal === null) for (const target of outcome.targets) steps.push({ kind: 'target', target })
  return { ...outcome, steps }
}

/** What a phone dials to listen to the messages of its own extension, unless the tenant has such a number. */
export const FETCH_VOICEMAIL = '*97'

/** Decides a call placed by one of the tenant's extensions. */
function placed(
  deciding: DecisionContext,
  { extension: number, dialled, isSentOn = false }: Placed,
): PutThrough | Refused {
  const { directory } = deciding.facts
  const { slug } = directory.tenant
  const caller = directory.extensions.get(number)
  if (!caller) return refused('unknown extension', `tenant ${slug} has no extension ${number}`)
  deciding.steps.push({ kind: 'caller', extension: caller })
  if (!isActive(caller.status))
    return refused('extension not active', `extension ${number} of tenant ${slug} is ${caller.status}`)
  const type = directory.extensions.has(dialled) ? 'extension' : directory.queues.has(dialled) ? 'queue' : null
  if (type !== null) return within(deciding, caller, dialled, { type, number: dialled })
  if (dialled === FETCH_VOICEMAIL) return toMailbox(deciding, caller, isSentOn)
  const read = directory.dialling.read(dialled)
  deciding.steps.push({ kind: 'number', given: dialled, read, country: directory.dialling.country })
  const did = didWith(directory, read)
  return did ? toDid(deciding, caller, did, read) : goOut(deciding, caller, dialled, read)
}

/** Decides a call that a carrier delivers to a DID. */
function arrived(deciding: DecisionContext, trunk: string | null, dialled: string): PutThrough | Refused {
  const { directory } = deciding.facts
  const found = didDialled(directory, dialled)
  if (!found) return refused('unknown DID', `no DID has the number ${dialled}`)
  const { did, read } = found
  deciding.steps.push({ kind: 'number', given: dialled, read, country: directory.dialling.country })
  const from = trunk === null ? undefined : directory.trunks.get(trunk)
  if (from && !isActive(from.status))
    return refused('trunk not active', `the call came from trunk ${from.name}, which is ${from.status}`)
  if (directory.trunks.has(did.provider) && did.provider !== trunk)
    return refused(
      'DID of another trunk',
      `calls for the DID ${did.number} come from trunk ${did.provider}, and this one came from ${trunk ?? 'elsewhere'}`,
    )
  return toDid(deciding, null, did, read)
}

/** Returns the trunk that must bring calls for the dialled DID; null if they may come from anywhere. */
export function trunkOfDid(directory: TenantDirectory, dialled: string): string | null {
  const provider = didDialled(directory, dialled)?.did.provider
  return provider !== undefined && directory.trunks.has(provider) ? provider : null
}

/**
 * Finds the dialled DID. Carriers mostly write the country code, often without a plus; else the number is as dialled
 * in the country.
 */
function didDialled(directory: TenantDirectory, dialled: string): { did: SwitchDid; read: ReadNumber } | null {
  for (const number of [`+${dialled.replace(/^\+/, '')}`, dialled]) {
    const read = directory.dialling.read(number)
    const did = didWith(directory, read)
    if (did) return { did, read }
  }
  return null
}

function didWith({ tenant, dids }: TenantDirectory, { digits }: ReadNumber): SwitchDid | null {
  const did = digits === '' ? undefined : dids.get(digits)
  return did?.tenantId === tenant.id ? did : null
}

function within(deciding: DecisionContext, caller: SwitchExtension, dialled: string, end: End): PutThrough | Refused {
  deciding.steps.push({ kind: 'inside', what: end.type, number: end.number })
  const { directory } = deciding.facts
  const refusal = endRefusal(directory, end) ?? limitRefusal(deciding, accounts(deciding, caller), false)
  if (refusal) return refusal
  return through(deciding, 'internal', dialled, [end])
}

/** Opens the caller's own mailbox, without a PIN: so nobody else may be sent there. */
function toMailbox(deciding: DecisionContext, caller: SwitchExtension, isSentOn: boolean): PutThrough | Refused {
  const { slug } = deciding.facts.directory.tenant
  const { number, hasVoicemail } = caller
  if (isSentOn)
    return refused('no voicemail', 'a mailbox opens to a call that its own phone places, not to one that is sent on')
  if (!hasVoicemail) return refused('no voicemail', `extension ${number} of tenant ${slug} has no voicemail`)
  const refusal = limitRefusal(deciding, accounts(deciding, caller), false)
  if (refusal) return refusal
  const targets = [{ to: 'mailbox', extension: caller }] as const
  return { refusal: null, direction: 'internal', number: FETCH_VOICEMAIL, targets, maxSeconds: null }
}

/** Sends a call to a DID along its routes, each tried if the previous one does not take it. */
function toDid(
  deciding: DecisionContext,
  caller: SwitchExtension | null,
  did: SwitchDid,
  read: ReadNumber,
): PutThrough | Refused {
  deciding.steps.push({ kind: 'inside', what: 'DID', number: did.number })
  const { directory } = deciding.facts
  if (!isActive(did.status)) return refused('DID not active', `the DID ${did.number} is ${did.status}`)
  const ends = did.targets.filter(end => endRefusal(directory, end) === null)
  if (ends.length === 0)
    return refused('no route', `no route of the DID ${did.number} leads to an active extension or queue`)
  const refusal = limitRefusal(deciding, accounts(deciding, caller), false)
  if (refusal) return refusal
  const number = isFitE164(read.digits) ? `+${read.digits}` : read.digits
  return through(deciding, caller ? 'internal' : 'inbound', number, ends)
}

function through(
  { facts }: DecisionContext,
  direction: PutThrough['direction'],
  number: string,
  ends: readonly End[],
): PutThrough | Refused {
  const [first, ...others] = insideTargets(facts.directory, ends)
  if (!first) return refused('no route', `${number} leads to nothing that takes calls`)
  return { refusal: null, direction, number, targets: [first, ...others], maxSeconds: null }
}
