import { formatTimestamp, parseDate, type Timestamp } from '../dates.ts'
import type { SwitchMoment } from './completed-call.ts'

const DAY = 86_400_000
const SECOND = 1000
const HOURS_KEPT = 10_000
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

/** Turns a switch's moment into UTC; null when its text is no date and time. */
export type SwitchClock = (moment: SwitchMoment) => Timestamp | null

/**
 * The clock of a switch whose records are in `timeZone`, any name that `isTimeZone` accepts; throws RangeError on others.
 *
 * An hour that comes twice, when clocks go back, is read as the first of the two. A time that clocks jump over is read
 * as if they had not jumped yet: 02:30 becomes 03:30. A feed in UTC has neither.
 */
export function switchClock(timeZone: string): SwitchClock {
  const offsetOf = offsetsByHour(utcOffsets(timeZone))
  return moment => {
    if ('epochMicros' in moment) return fromMicros(moment.epochMicros)
    const asUtc = parseDate(moment.local)
    if (asUtc === null) return null
    const local = Date.parse(asUtc)
    const offset = offsetOf(moment.local, local)
    return offset === 0 ? asUtc : formatTimestamp(local - offset, 0)
  }
}

function fromMicros(micros: number): Timestamp {
  const seconds = Math.floor(micros / 1e6)
  return formatTimestamp(seconds * SECOND, micros - seconds * 1e6)
}

/** Milliseconds that the zone is ahead of UTC at a moment. */
type UtcOffset = (utc: number) => number

function utcOffsets(timeZone: string): UtcOffset {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  return utc => {
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = OFFSET.exec(format.format(utc)) ?? []
    const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * SECOND
    return sign === '-' ? -offset : offset
  }
}

/** The offset in force at a local time. What Intl says is kept by the hour, save for one in which it changes. */
function offsetsByHour(offsetAt: UtcOffset): (text: string, local: number) => number {
  const known = new Map<string, number | null>()
  return (text, local) => {
    const hour = text.slice(0, 13)
    let offset = known.get(hour)
    if (offset === undefined) {
      const first = local - (local % 3_600_000)
      const start = resolve(first, offsetAt)
      offset = start === resolve(first + 3_599_000, offsetAt) ? start : null
      if (known.size >= HOURS_KEPT) known.clear()
      known.set(hour, offset)
    }
    return offset ?? resolve(local, offsetAt)
  }
}

/** Of the offsets before and after a change nearby, the earlier, unless only the later one leads to this local time. */
function resolve(local: number, offsetAt: UtcOffset): number {
  const before = offsetAt(local - DAY)
  const after = offsetAt(local + DAY)
  if (before === after || offsetAt(local - before) === before) return before
  return offsetAt(local - after) === after ? after : before
}
