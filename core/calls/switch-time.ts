import { formatTimestamp, parseDate, type Timestamp } from '../dates.ts'
import type { SwitchMoment } from './completed-call.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const SECOND = 1000
const HOURS_KEPT = 10_000
/** Accepts a time whose date and hour were read before. */
const MINUTES = /^.{13}:[0-5]\d:[0-5]\d$/
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

/** Converts a switch's timestamp to UTC; null if its text is not a date and time. */
export type SwitchClock = (moment: SwitchMoment) => Timestamp | null

/**
 * Returns the clock of a switch whose records are in `timeZone`. Throws RangeError unless `isTimeZone` accepts the name.
 *
 * When clocks go back, a repeated hour is read as the first of the two. A time that clocks skip is read as if they had
 * not jumped yet: 02:30 becomes 03:30. A feed in UTC has neither.
 */
export function switchClock(timeZone: string): SwitchClock {
  const offsetAt = utcOffsets(timeZone)
  const hours = new Map<string, string | null>()
  return moment => {
    if ('epochMicros' in moment) return fromMicros(moment.epochMicros)
    const { local } = moment
    const hour = local.slice(0, 13)
    const cached = hours.get(hour)
    if (cached && MINUTES.test(local)) return `${cached}${local.slice(13)}.000000Z`
    const asUtc = parseDate(local)
    if (asUtc === null) return null
    if (cached === undefined) {
      if (hours.size >= HOURS_KEPT) hours.clear()
      hours.set(hour, utcHour(asUtc, offsetAt))
    }
    const there = Date.parse(asUtc)
    return formatTimestamp(there - resolve(there, offsetAt), 0)
  }
}

/** A time with a zone. */
const ZONED = /:\d\d.*(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/

/**
 * Reads a day, or a day and time, as a person writes it: by the clock of the given zone (see {@link switchClock}), or
 * by the zone in the text. Returns null for anything else.
 */
export function momentIn(timeZone: string): (text: string) => Timestamp | null {
  const clock = switchClock(timeZone)
  return text => (ZONED.test(text.trim()) ? parseDate(text.trim()) : clock({ local: text.trim() }))
}

/** Formats a moment by the zone's clock, as `2026-12-01 00:00`, with seconds only if they are not zero. */
export function wallClock(timeZone: string): (moment: Timestamp) => string {
  const offsetAt = utcOffsets(timeZone)
  return moment => {
    const utc = Date.parse(`${moment.slice(0, 19)}Z`)
    const shown = new Date(utc + offsetAt(utc)).toISOString().slice(0, 19).replace('T', ' ')
    return shown.replace(/:00$/, '')
  }
}

/** Formats a moment for a person in that zone, with UTC in brackets. */
export const shownMoment = (moment: Timestamp, timeZone: string): string =>
  `${wallClock(timeZone)(moment)} ${timeZone} (${moment.slice(0, 19)}Z)`

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

/** Returns the UTC hour that equals a local hour; null if it is not a whole one, or the offset changes within it. */
function utcHour(local: Timestamp, offsetAt: UtcOffset): string | null {
  const first = Date.parse(`${local.slice(0, 13)}:00:00Z`)
  const offset = resolve(first, offsetAt)
  const isWhole = offset % HOUR === 0 && offset === resolve(first + HOUR - SECOND, offsetAt)
  return isWhole ? formatTimestamp(first - offset, 0).slice(0, 13) : null
}

/** Returns the earlier of the offsets around a nearby change, unless only the later one leads to this local time. */
function resolve(local: number, offsetAt: UtcOffset): number {
  const before = offsetAt(local - DAY)
  const after = offsetAt(local + DAY)
  if (before === after || offsetAt(local - before) === before) return before
  return offsetAt(local - after) === after ? after : before
}
