import type { CallFacts, LiveCall } from '../ports/switching.ts'
import { type Refused, refused, type Step } from './decision.ts'
import type { SwitchExtension, TenantDirectory } from './directory.ts'
import type { Account, LimitUse } from './permission.ts'

/** What one decision is made of, and the steps that it has taken so far. */
export interface Deciding {
  readonly facts: CallFacts
  /** The calls that are up on all switches, without the one that is decided on. */
  readonly live: readonly LiveCall[]
  readonly steps: Step[]
}

/** Whose limits a call counts for: the tenant's, and those of the extension that places it. */
export function accounts({ facts, live }: Deciding, caller: SwitchExtension | null): Account[] {
  const { tenant, limits } = facts.directory
  const own = live.filter(call => call.tenant === tenant.slug)
  const ofTenant = { of: null, limits: limits.tenant, used: facts.used.tenant, live: own }
  if (!caller) return [ofTenant]
  const { number } = caller
  return [
    ofTenant,
    {
      of: number,
      limits: limits.extensions.get(number) ?? limits.extension,
      used: facts.used.extension,
      live: own.filter(call => call.extension === number),
    },
  ]
}

export function reachedLimit({ facts, steps }: Deciding, uses: readonly LimitUse[]): Refused | null {
  for (const use of uses) {
    steps.push({ kind: 'limit', ...use })
    if (use.used >= use.limit)
      return refused('limit reached', `${nameOf(use.of, facts.directory)} has reached its ${use.name}`)
  }
  return null
}

/** Whose limit or permission it is. */
export const nameOf = (of: string | null, { tenant }: TenantDirectory): string =>
  of === null ? `tenant ${tenant.slug}` : `extension ${of} of tenant ${tenant.slug}`
