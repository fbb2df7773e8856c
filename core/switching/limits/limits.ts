/** The members of a tenant's `settings.limits`, of its `extension` and of `extensions[number]`. All are optional. */
export const LIMIT_NAMES = [
  'concurrent_calls',
  'calls_per_hour',
  'calls_per_day',
  'cost_per_hour',
  'cost_per_day',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]
/** Those on cost. */
export const PRICED = ['cost_per_hour', 'cost_per_day'] as const satisfies readonly LimitName[]

/** What one tenant or extension may do. Amounts in units of 0.0001; a missing limit means no limit. */
export interface Limits {
  readonly most: Readonly<Partial<Record<LimitName, number>>>
  /** Beginnings of `ReadNumber.digits`; the longest match in both lists decides. */
  readonly blockedPrefixes: readonly string[]
  /** null: all are allowed. */
  readonly allowedPrefixes: readonly string[] | null
  readonly maxSeconds: number | null
  /** True if outgoing calls need a rate. */
  readonly ratedOnly: boolean
  /** Unreadable members, such as `limits.calls_per_day`. Each counts as reached: outgoing calls are refused. */
  readonly unreadable: readonly string[]
}

export interface LimitSettings {
  /** For all calls of the tenant together. */
  readonly tenant: Limits
  /** For each extension without its own. */
  readonly extension: Limits
  /** By extension number. */
  readonly extensions: ReadonlyMap<string, Limits>
}

/** True if the tenant or any extension has a limit on cost. */
export const isPriced = ({ tenant, extension, extensions }: LimitSettings): boolean =>
  [tenant, extension, ...extensions.values()].some(({ most }) => PRICED.some(name => most[name] !== undefined))

/**
 * What ended outgoing calls of one tenant or extension have used; costs in units of 0.0001. `concurrent_calls` is
 * always 0, since calls in progress have no record yet.
 */
export type Used = Readonly<Record<LimitName, number>>

export const NOTHING_USED: Used = {
  concurrent_calls: 0,
  calls_per_hour: 0,
  calls_per_day: 0,
  cost_per_hour: 0,
  cost_per_day: 0,
}

/** The calls in progress of one tenant or extension. */
export interface Live {
  readonly calls: number
  /** The outgoing ones among them. */
  readonly callsOut: number
}

/** A limit and its use: calls, or units of 0.0001. */
export interface LimitUse {
  readonly name: LimitName
  readonly used: number
  readonly limit: number
}

/**
 * Returns the limits that apply to one more call, with their use. Only an outgoing call is measured by more than the
 * calls in progress; those count as calls of the hour and the day, but have no cost yet.
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

/** Whether a number may be called, and the prefix that decides; null if no prefix matches. */
export interface Permission {
  readonly prefix: string | null
  readonly rule: 'allowed' | 'blocked' | 'not listed'
}

/** Decides whether the limits permit a number, by its digits. A prefix in both lists is blocked. */
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
