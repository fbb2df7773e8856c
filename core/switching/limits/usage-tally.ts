import { switchClock, wallClock } from '../../calls/switch-time.ts'
import { addSeconds, isTimeZone, type Timestamp } from '../../dates.ts'
import type { UsedBy } from '../../ports/switching.ts'
import type { Period } from '../../rating/period.ts'
import { NOTHING_USED, type Used } from './limits.ts'

/** An outgoing call that has ended. */
export interface EndedCall {
  readonly extensionId: number | null
  /** Units of 0.0001. */
  readonly cost: number
  readonly endedAt: Timestamp
}

/** Adds up one tenant's outgoing calls that count for its limits. */
export interface UsageTally {
  /** Calls that ended earlier do not count. */
  readonly since: Timestamp
  add(call: EndedCall): void
  /** Returns the use at that moment; null on a new day, which needs a new tally. */
  at(now: Timestamp): UsedBy | null
}

const HOUR = 3600

interface Sum {
  calls: number
  cost: number
}

/** By extension id; the whole tenant's under an id that none has. */
type Sums = Map<number, Sum>
const TENANT = 0

function addTo(sums: Sums, id: number, cost: number): void {
  const sum = sums.get(id)
  if (sum) {
    sum.calls++
    sum.cost += cost
  } else sums.set(id, { calls: 1, cost })
}

const minuteOf = (moment: Timestamp): string => moment.slice(0, 16)
const hourBefore = (now: Timestamp): string => minuteOf(addSeconds(now, -HOUR))

interface Day extends Period {
  /** Returns whether a moment is on this day, by the clock of the zone. */
  holds(moment: Timestamp): boolean
}

/** Returns the calendar day in a zone; the UTC day if there is no such zone. */
export function dayAt(timezone: string, now: Timestamp): Day {
  const zone = isTimeZone(timezone) ? timezone : 'UTC'
  const [clock, shown] = [switchClock(zone), wallClock(zone)]
  const dateOf = (moment: Timestamp): string => shown(moment).slice(0, 10)
  const begin = (date: string): Timestamp => clock({ local: `${date} 00:00:00` }) ?? now
  const today = dateOf(now)
  const from = begin(today)
  const to = begin(new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10))
  // If clocks go back at midnight, an hour of the day is still to come.
  return { from, to, holds: moment => moment >= from && (moment < to || dateOf(moment) === today) }
}

export function usageTally(timezone: string, begun: Timestamp): UsageTally {
  const day = dayAt(timezone, begun)
  const ofDay: Sums = new Map()
  const ofMinutes = new Map<string, Sums>()
  const minuteSums = (minute: string): Sums => {
    const sums = ofMinutes.get(minute) ?? new Map()
    ofMinutes.set(minute, sums)
    return sums
  }
  const usedBy = (id: number, from: string): Used => {
    const today = ofDay.get(id)
    const used = { ...NOTHING_USED, calls_per_day: today?.calls ?? 0, cost_per_day: today?.cost ?? 0 }
    for (const [minute, sums] of ofMinutes) {
      const sum = minute >= from ? sums.get(id) : undefined
      used.calls_per_hour += sum?.calls ?? 0
      used.cost_per_hour += sum?.cost ?? 0
    }
    return used
  }
  const hourAtFirst = hourBefore(begun)
  return {
    since: day.from < hourAtFirst ? day.from : hourAtFirst,
    add: ({ extensionId, cost, endedAt }) => {
      const minute = minuteOf(endedAt)
      const counted = [...(endedAt >= day.from ? [ofDay] : []), ...(minute >= hourAtFirst ? [minuteSums(minute)] : [])]
      for (const sums of counted) {
        addTo(sums, TENANT, cost)
        if (extensionId !== null) addTo(sums, extensionId, cost)
      }
    },
    at: now => {
      if (!day.holds(now)) return null
      const from = hourBefore(now)
      for (const minute of ofMinutes.keys()) if (minute < from) ofMinutes.delete(minute)
      return {
        tenant: usedBy(TENANT, from),
        extension: id => usedBy(id, from),
        extensions: () => {
          const ids = [ofDay, ...ofMinutes.values()].flatMap(sums => [...sums.keys()])
          return new Set(ids.filter(id => id !== TENANT))
        },
      }
    },
  }
}
