import { LIMIT_NAMES, type LimitSettings, type Limits, type Used } from '../../../core/switching/limits/limits.ts'

/** More than any switch has calls. */
export const NO_LIMIT = 999_999

/** What is left of limits, as numbers that a dialplan compares with the calls that are up. */
export interface Room {
  /** How many calls may be up, this one included. */
  readonly calls: number
  /** How many calls out may be up, this one included; 0 where the limits forbid any. */
  readonly callsOut: number
}

/** A call that is up counts among those of the hour and the day, and costs nothing until it has ended. */
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

/** The limits of most extensions, and those of others; `TL_LIMITS` says which of them a call goes by. */
export const extensionLimits = ({ extension, extensions }: LimitSettings): readonly Limits[] => [
  extension,
  ...extensions.values(),
]

/** Has any extension limits that are counted? */
export const isAnyExtensionCounted = (limits: LimitSettings): boolean => extensionLimits(limits).some(isCounted)

export const isAnyCounted = (limits: LimitSettings): boolean =>
  isCounted(limits.tenant) || isAnyExtensionCounted(limits)

export const isAnyRated = (limits: LimitSettings): boolean =>
  [limits.tenant, ...extensionLimits(limits)].some(({ ratedOnly }) => ratedOnly)

const isCounted = ({ most, unreadable }: Limits): boolean => Object.keys(most).length > 0 || unreadable.length > 0
