import { LIMIT_NAMES, type LimitSettings, type Limits, type Used } from '../../../core/switching/limits/limits.ts'

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
  const left = LIMIT_NAMES.flatMap(name => {
    const limit = most[name]
    if (limit === undefined || name === 'concurrent_calls') return []
    const rest = Math.max(0, limit - used[name])
    return name === 'cost_per_hour' || name === 'cost_per_day' ? (rest > 0 ? [] : [0]) : [rest]
  })
  return {
    calls: most.concurrent_calls ?? NO_LIMIT,
    callsOut: unreadable.length > 0 ? 0 : Math.min(NO_LIMIT, ...left),
  }
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

const isCounted = ({ most, unreadable }: Limits): boolean => Object.keys(most).length > 0 || unreadable.length > 0
