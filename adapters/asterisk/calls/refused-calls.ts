import type { CallsInProgress, SwitchDirectory } from '../../../core/ports/switching.ts'
import type { Refusal } from '../../../core/switching/decision.ts'
import type { TenantDirectory } from '../../../core/switching/directory.ts'
import type { Limits, LimitUse } from '../../../core/switching/limits/limits.ts'
import { type ManagerMessage, valueIn } from '../manager-messages.ts'
import { tightest } from '../render/limits.ts'
import { REACHED, REFUSED_EVENT, type Reached, reasonNamed } from '../render/refused.ts'

/** A call that the dialplan has refused. */
export interface RefusedCall {
  readonly refusal: Refusal
  /** A slug; null if no tenant is known. */
  readonly tenant: string | null
  /** The extension whose call it is; null for a call from a carrier. */
  readonly extension: string | null
  readonly dialled: string
}

/** The limit that refused a call, with the directory of its tenant. */
export interface ReachedLimit {
  readonly directory: TenantDirectory
  /** `of` is the extension's number; null if the limit is the tenant's. */
  readonly use: LimitUse & { readonly of: string | null }
}

interface Reported extends RefusedCall {
  readonly reached: Reached | null
}

const isReached = (reason: string): reason is Reached => REACHED.some(each => each === reason)

/** Returns the call that an event reports as refused; null for other events. */
export function refusedIn(event: ManagerMessage): Reported | null {
  const reason = valueIn(event, 'userevent') === REFUSED_EVENT ? reasonNamed(valueIn(event, 'refusal')) : null
  if (reason === null) return null
  return {
    ...(isReached(reason) ? { refusal: 'limit reached', reached: reason } : { refusal: reason, reached: null }),
    tenant: valueIn(event, 'tenant') || null,
    extension: valueIn(event, 'extension') || null,
    dialled: valueIn(event, 'dialled'),
  }
}

export interface RefusalParts {
  readonly directory: Pick<SwitchDirectory, 'forCall' | 'forDid'>
  /** Called with each refused call, and the limit that it has reached, if that is why. */
  onRefused(call: RefusedCall, reached: ReachedLimit | null): void
  onTrouble(error: unknown): void
}

/** Returns what reports the refused calls among Asterisk's events. */
export function refusals(
  { directory, onRefused, onTrouble }: RefusalParts,
  calls: () => CallsInProgress,
): (event: ManagerMessage) => void {
  return event => {
    const call = refusedIn(event)
    if (!call) return
    const { reached, ...refused } = call
    if (reached === null) onRefused(refused, null)
    else limitReached(call, directory, calls()).then(limit => onRefused(refused, limit), onTrouble)
  }
}

/**
 * Returns the limit that refused a call. The dialplan only knows how much was left of all limits together, so of several
 * on what calls use, this is the one with the least left; null if it has been removed meanwhile.
 */
async function limitReached(
  { reached, tenant, extension, dialled }: Reported,
  directory: Pick<SwitchDirectory, 'forCall' | 'forDid'>,
  live: CallsInProgress,
): Promise<ReachedLimit | null> {
  if (reached === null || tenant === null) return null
  const facts =
    extension === null
      ? await directory.forDid(dialled)
      : await directory.forCall(tenant, { from: 'extension', extension, dialled }, { live })
  if (!facts) return null
  const { limits } = facts.directory
  const isTenants = reached === 'tenant full' || reached === 'tenant spent'
  const of = isTenants ? null : extension
  const own = of === null ? limits.tenant : (limits.extensions.get(of) ?? limits.extension)
  const isFull = reached === 'tenant full' || reached === 'extension full'
  const use = isFull ? fullUse(own) : tightest(own, of === null ? facts.used.tenant : facts.used.extension)
  return use && { directory: facts.directory, use: { ...use, of } }
}

function fullUse({ most: { concurrent_calls: limit } }: Limits): LimitUse | null {
  return limit === undefined ? null : { name: 'concurrent_calls', used: limit, limit }
}
