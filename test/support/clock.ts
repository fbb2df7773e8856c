import { addSeconds, type Timestamp } from '../../core/dates.ts'
import type { Clock } from '../../core/ports/system.ts'

export interface ManualClock extends Clock {
  advance(seconds: number): void
  /** As if somebody set the system's clock back: no time passes. */
  setBack(seconds: number): void
}

/** A clock that stands still until moved, but never returns a moment twice. */
export function manualClock(start: Timestamp = '2026-03-01T12:00:00.000000Z'): ManualClock {
  let base = start
  let [ticks, passed] = [0, 0]
  return {
    advance: seconds => {
      base = addSeconds(base, seconds)
      passed += seconds
    },
    setBack: seconds => {
      base = addSeconds(base, -seconds)
    },
    monotonic: () => passed,
    now: () => `${base.slice(0, 20)}${String(Number(base.slice(20, 26)) + ++ticks).padStart(6, '0')}Z`,
  }
}
