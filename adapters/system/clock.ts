import { formatTimestamp } from '../../core/dates.ts'
import type { Clock } from '../../core/ports/system.ts'

const MICROS_PER_SECOND = 1_000_000
const RESYNC_MICROS = 2_000
const SET_BACK_MICROS = 1_000_000

/**
 * The wall clock with the microseconds of the monotonic clock, adjusted whenever the two drift apart by more than two
 * milliseconds. Moments strictly increase, unless the wall clock is set back by more than a second.
 */
export function systemClock(): Clock {
  let base = performance.timeOrigin * 1000
  let last = 0
  let second = -1
  let prefix = ''

  const micros = (): number => {
    const wall = Date.now() * 1000
    const monotonic = performance.now() * 1000
    if (Math.abs(base + monotonic - wall) > RESYNC_MICROS) {
      base = wall - monotonic
      if (last - wall > SET_BACK_MICROS) last = 0
    }
    last = Math.max(last + 1, Math.floor(base + monotonic))
    return last
  }

  return {
    monotonic: () => performance.now() / 1000,
    now: () => {
      const now = micros()
      const seconds = Math.floor(now / MICROS_PER_SECOND)
      if (seconds !== second) {
        second = seconds
        prefix = formatTimestamp(seconds * 1000, 0).slice(0, 20)
      }
      return `${prefix}${String(now % MICROS_PER_SECOND).padStart(6, '0')}Z`
    },
  }
}
