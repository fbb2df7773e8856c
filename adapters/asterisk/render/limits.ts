import {
  LIMIT_NAMES,
  type LimitSettings,
  type Limits,
  type LimitUse,
  PRICED,
  type Used,
} from '../../../core/switching/limits/limits.ts'

/** More calls than any switch has. */
export const NO_LIMIT = 999_999

/** What is left of limits, as numbers that a dialplan compares with the calls in progress. */
export interface Room {
  /** The most calls in progress, including this one. */
  readonly calls: number
  /** The most outgoing calls in progress, including this one; 0 if the limits forbid any. */
  readonly callsOut: number
}

/** A call in progress counts as one of the hour and the day, and costs nothing until it has ended. */
export function roomOf({ most, unreadable }: Limits, used: Used): Room {
  const left = usesIn(most, used).flatMap(use => callsLeft(use) ?? [])
  return {
    calls: most.concurrent_calls ?? NO_LIMIT,
    callsOut: unreadable.length > 0 ? 0 : Math.min(NO_LIMIT, ...left),
  }
}

const usesIn = (most: Limits['most'], used: Used): LimitUse[] =>
  LIMIT_NAMES.flatMap(name => {
    const limit = name === 'concurrent_calls' ? undefined : most[name]
    return limit === undefined ? [] : [{ name, used: used[name], limit }]
  })

/** Returns how many more outgoing calls a limit leaves; null if that is not known, for a cost. */
function callsLeft({ name, used, limit }: LimitUse): number | null {
  const rest = Math.max(0, limit - used)
  return name === 'cost_per_hour' || name === 'cost_per_day' ? (rest > 0 ? null : 0) : rest
}

/**
 * Returns the limit on what outgoing calls use that leaves the fewest, as reached: what stored calls have not used of
 * it, calls in progress do. Null without such a limit.
 */
export function tightest({ most }: Limits, used: Used): LimitUse | null {
  const [first] = usesIn(most, used)
    .flatMap(use => {
      const left = callsLeft(use)
      return left === null ? [] : [{ use, left }]
    })
    .toSorted((one, other) => one.left - other.left)
  return first ? { ...first.use, used: Math.max(first.use.used, first.use.limit) } : null
}

/** The limits of most extensions, and those of exceptions; `TL_LIMITS` says which apply to a call. */
export const extensionLimits = ({ extension, extensions }: LimitSettings): readonly Limits[] => [
  extension,
  ...extensions.values(),
]

/** True if any extension has limits that are counted. */
export const isAnyExtensionCounted = (limits: LimitSettings): boolean => extensionLimits(limits).some(isCounted)

export const isAnyCounted = (limits: LimitSettings): boolean =>
  isCounted(limits.tenant) || isAnyExtensionCounted(limits)

export const isAnyRated = (limits: LimitSettings): boolean =>
  [limits.tenant, ...extensionLimits(limits)].some(({ ratedOnly }) => ratedOnly)

/** True if a limit is on what calls out use in an hour or a day. */
export const isMetered = ({ most }: Limits): boolean =>
  LIMIT_NAMES.some(name => name !== 'concurrent_calls' && most[name] !== undefined)

/** True if a limit is on what they cost. */
export const isOnCost = ({ most }: Limits): boolean => PRICED.some(name => most[name] !== undefined)

const isCounted = ({ most, unreadable }: Limits): boolean => Object.keys(most).length > 0 || unreadable.length > 0
