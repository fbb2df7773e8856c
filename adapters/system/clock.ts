import { formatTimestamp } from '../../core/dates.ts'
import type { Clock } from '../../core/ports.ts'

const MICROS_PER_SECOND = 1_000_000
const RESYNC_MICROS = 2_000

/**
 * The wall clock with microseconds from the monotonic one, set right whenever the two drift apart by more than two
 * milliseconds (a stepped clock), and never giving a moment twice or an earlier one while they agree.
 */
export function systemClock(): Clock {
  const monotonic = (): number => performance.now() * 1000
  let base = Date.now() * 1000 - monotonic()
  let last = 0
  let second = -1
  let prefix = ''
  return {
    now: () => {
      const wall = Date.now() * 1000
      let micros = Math.floor(base + monotonic())
      if (micros < wall || micros - wall > RESYNC_MICROS) {
        base += wall - micros
        if (Math.abs(wall - micros) > RESYNC_MICROS) last = 0
        micros = wall
      }
      if (micros <= last) micros = last + 1
      last = micros
      const seconds = Math.floor(micros / MICROS_PER_SECOND)
      if (seconds !== second) {
        second = seconds
        prefix = formatTimestamp(seconds * 1000, 0).slice(0, 20)
      }
      return `${prefix}${String(micros % MICROS_PER_SECOND).padStart(6, '0')}Z`
    },
  }
}
