/** The members of `settings.limits` of a tenant, and of its `extension` and `extensions[number]`. All are optional. */
export const LIMIT_NAMES = [
  'concurrent_calls',
  'calls_per_hour',
  'calls_per_day',
  'cost_per_hour',
  'cost_per_day',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

/** What one tenant or one extension may do. Amounts in units of 0.0001; an absent limit is none. */
export interface Limits {
  readonly most: Readonly<Partial<Record<LimitName, number>>>
  /** Beginnings of `ReadNumber.digits`; the longest that fits, of both lists, decides. */
  readonly blockedPrefixes: readonly string[]
  /** null: all are allowed. */
  readonly allowedPrefixes: readonly string[] | null
  readonly maxSeconds: number | null
  /** Does a call out need a rate? */
  readonly ratedOnly: boolean
  /** Members that cannot be read, such as `limits.calls_per_day`. Each counts as reached: calls out are refused. */
  readonly unreadable: readonly string[]
}

export interface LimitSettings {
  /** Of all calls of the tenant together. */
  readonly tenant: Limits
  /** Of each extension that has none of its own. */
  readonly extension: Limits
  /** By extension number. */
  readonly extensions: ReadonlyMap<string, Limits>
}

/**
 * Calls out that have ended, of one tenant or extension, and what they cost, in units of 0.0001; no `concurrent_calls`,
 * since calls that are up have no record yet.
 */
export type Used = Readonly<Record<LimitName, number>>

export const NOTHING_USED: Used = {
  concurrent_calls: 0,
  calls_per_hour: 0,
  calls_per_day: 0,
  cost_per_hour: 0,
  cost_per_day: 0,
}

/** How many calls are up, of one tenant or extension. */
export interface Live {
  readonly calls: number
  /** Those of them that go out. */
  readonly callsOut: number
}

/** A limit and what is used of it: calls, or units of 0.0001. */
export interface LimitUse {
  readonly name: LimitName
  readonly used: number
  readonly limit: number
}

/**
 * The limits that a further call is measured by, with what is used of them. Only a call out is measured by more than the
 * calls that are up; those count among the calls of the hour and the day, and have no cost yet.
 */
export function limitsInUse({ most }: Limits, { used, live, isOut }: Measured): readonly LimitUse[] {
  const now: Readonly<Record<LimitName, number>> = {
    ...used,
    concurrent_calls: used.concurrent_calls + live.calls,
    calls_per_hour: used.calls_per_hour + live.callsOut,
    calls_per_day: used.calls_per_day + live.callsOut,
  }
  return LIMIT_NAMES.flatMap(name => {
    const limit = isOut || name === 'concurrent_calls' ? most[name] : undefined
    return limit === undefined ? [] : [{ name, used: now[name], limit }]
  })
}

export interface Measured {
  readonly used: Used
  readonly live: Live
  readonly isOut: boolean
}

export const isReached = ({ used, limit }: LimitUse): boolean => used >= limit

/** What the limits say of calling a number, by the prefix that decides; null where none fits. */
export interface Permission {
  readonly prefix: string | null
  readonly rule: 'allowed' | 'blocked' | 'not listed'
}

/** May a number be called, by its digits? What is both blocked and allowed is blocked. */
export function permission({ blockedPrefixes, allowedPrefixes }: Limits, digits: string): Permission {
  const blocked = longest(blockedPrefixes, digits)
  const allowed = longest(allowedPrefixes ?? [], digits)
  if (blocked !== null && blocked.length >= (allowed ?? '').length) return { prefix: blocked, rule: 'blocked' }
  if (allowed !== null || allowedPrefixes === null) return { prefix: allowed, rule: 'allowed' }
  return { prefix: null, rule: 'not listed' }
}

function longest(prefixes: readonly string[], digits: string): string | null {
  let found: string | null = null
  for (const prefix of prefixes)
    if (digits.startsWith(prefix) && (found === null || prefix.length > found.length)) found = prefix
  return found
}
