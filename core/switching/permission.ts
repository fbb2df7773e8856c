import type { LiveCall } from '../ports/switching.ts'
import { LIMIT_NAMES, type LimitName, type Limits, type Used } from './limits.ts'

/** Whose limits they are, and what was used of them. */
export interface Account {
  /** The extension's number; null for the tenant. */
  readonly of: string | null
  readonly limits: Limits
  readonly used: Used
  /** Its calls that are up. */
  readonly live: readonly LiveCall[]
}

export interface Permission {
  /** The prefix that decides; null where none fits. */
  readonly prefix: string | null
  readonly rule: 'allowed' | 'blocked' | 'not listed'
}

/** May such numbers be called? The longest prefix of both lists decides, and of the same in both, the blocked one. */
export function permissionTo(digits: string, { blockedPrefixes, allowedPrefixes }: Limits): Permission {
  const blocked = longest(blockedPrefixes, digits)
  const allowed = longest(allowedPrefixes ?? [], digits)
  if (blocked !== null && blocked.length >= (allowed ?? '').length) return { prefix: blocked, rule: 'blocked' }
  return allowedPrefixes === null || allowed !== null
    ? { prefix: allowed, rule: 'allowed' }
    : { prefix: null, rule: 'not listed' }
}

const longest = (prefixes: readonly string[], digits: string): string | null =>
  prefixes
    .filter(prefix => digits.startsWith(prefix))
    .reduce<string | null>((best, prefix) => (best === null || prefix.length > best.length ? prefix : best), null)

export interface LimitUse {
  readonly name: LimitName
  readonly of: string | null
  /** Calls, or units of 0.0001. */
  readonly used: number
  readonly limit: number
}

/** How far each limit is used that is set; a call that is up counts as made, and costs nothing yet. */
export const limitUses = ({ of, limits, used, live }: Account): LimitUse[] =>
  LIMIT_NAMES.flatMap(name => {
    const limit = limits.most[name]
    return limit === undefined ? [] : [{ name, of, used: used[name] + callsUp(name, live), limit }]
  })

function callsUp(name: LimitName, live: readonly LiveCall[]): number {
  switch (name) {
    case 'concurrent_calls':
      return live.length
    case 'calls_per_hour':
    case 'calls_per_day':
      return live.filter(({ direction }) => direction === 'outbound').length
    case 'cost_per_hour':
    case 'cost_per_day':
      return 0
  }
}
