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
  /** Beginnings of E.164 numbers without the plus; the longest that fits, of both lists, decides. */
  readonly blockedPrefixes: readonly string[]
  /** null: all are allowed. */
  readonly allowedPrefixes: readonly string[] | null
  readonly maxSeconds: number | null
  /** Does a call out need a rate? */
  readonly ratedOnly: boolean
  /** The members that cannot be read. Each counts as reached: calls out are refused. */
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

/** Calls that are up and that have been made, of one tenant or extension. Costs in units of 0.0001. */
export type Used = Readonly<Record<LimitName, number>>
