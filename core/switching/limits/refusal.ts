import type { CallFacts, CallsInProgress, LiveCall } from '../../ports/switching.ts'
import { type Refused, refused, type Step } from '../decision.ts'
import type { SwitchExtension, TenantDirectory } from '../directory.ts'
import { isReached, type Limits, type Live, limitsInUse, type Used } from './limits.ts'

/** The inputs of one decision, and the steps taken so far. */
export interface DecisionContext {
  readonly facts: CallFacts
  /** The calls in progress on all switches, without the one being decided. */
  readonly live: CallsInProgress
  readonly steps: Step[]
}

/** One owner of limits, with the limits and their use. */
export interface Account {
  /** The extension's number; null for the tenant. */
  readonly of: string | null
  readonly limits: Limits
  readonly used: Used
  readonly live: Live
}

/** Returns the accounts that a call counts against: the tenant, and the extension that places it. */
export function accounts({ facts, live }: DecisionContext, caller: SwitchExtension | null): Account[] {
  const { tenant, limits } = facts.directory
  const own = live.ofTenant(tenant.slug)
  const ofTenant = { of: null, limits: limits.tenant, used: facts.used.tenant, live: counted(own) }
  if (!caller) return [ofTenant]
  const { number } = caller
  return [
    ofTenant,
    {
      of: number,
      limits: limits.extensions.get(number) ?? limits.extension,
      used: facts.used.extension,
      live: counted(own.filter(call => call.extension === number)),
    },
  ]
}

const counted = (live: readonly LiveCall[]): Live => ({
  calls: live.length,
  callsOut: live.filter(({ direction }) => direction === 'outbound').length,
})

/** Refuses a call that exceeds a limit. */
export function limitRefusal(
  { facts, steps }: DecisionContext,
  all: readonly Account[],
  isOut: boolean,
): Refused | null {
  for (const { of, limits, ...measured } of all)
    for (const use of limitsInUse(limits, { ...measured, isOut })) {
      steps.push({ kind: 'limit', of, ...use })
      if (isReached(use)) return refused('limit reached', `${nameOf(of, facts.directory)} has reached its ${use.name}`)
    }
  return null
}

/** Names the owner of a limit or permission. */
export const nameOf = (of: string | null, { tenant }: TenantDirectory): string =>
  of === null ? `tenant ${tenant.slug}` : `extension ${of} of tenant ${tenant.slug}`
