/** A moment in UTC as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, so that text order is time order. */
export type Timestamp = string

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

const pad = (value: number, width: number): string => String(value).padStart(width, '0')

/**
 * Reads `YYYY-MM-DD[ HH:MM[:SS[.ffffff]]]` and ISO 8601 / RFC 3339; without a zone it means UTC. Cuts digits past the
 * microsecond. Returns null for anything else, including 30 February.
 */
export const parseDate = (text: string): Timestamp | null => plainDate(text) ?? anyDate(text)

function anyDate(text: string): Timestamp | null {
  const parts = DATE.exec(text)
  if (!parts) return null
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = parts
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return null
  if (hour > '23' || minute > '59' || second > '59') return null
  const micros = fraction.slice(0, 6).padEnd(6, '0')
  const offset = offsetMinutes(zone)
  if (offset === null) return null
  if (offset === 0) return `${year}-${month}-${day}T${hour}:${minute}:${second}.${micros}Z`
  const local = new Date(0)
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  local.setUTCHours(Number(hour), Number(minute) - offset, Number(second))
  const shifted = local.getUTCFullYear()
  return shifted < 0 || shifted > 9999 ? null : formatTimestamp(local.getTime(), Number(micros))
}

/** A fast path for the two usual forms, `YYYY-MM-DD HH:MM:SS` and the stored one. Returns null for all others. */
function plainDate(text: string): string | null {
  const isStored = text.length === 27 && text.charCodeAt(19) === 46 && text.charCodeAt(26) === 90
  if (text.length !== 19 && !isStored) return null
  const separator = text.charCodeAt(10)
  if (separator !== 84 && separator !== 32) return null
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return null
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return null
  if (isStored && !(twoDigits(text, 20) + twoDigits(text, 22) + twoDigits(text, 24) < 300)) return null
  const day = text.slice(0, 10)
  if (!isDay(day)) return null
  if (isStored) return separator === 84 ? text : `${day}T${text.slice(11)}`
  return `${day}T${text.slice(11)}.000000Z`
}

/** Returns the number that two digits form, or a number above any limit if they are not digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48
  const ones = text.charCodeAt(at + 1) - 48
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 1_000
}

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/

/** Records mostly come in time order, so the day is mostly the same as last time. */
let lastDay = ''

function isDay(text: string): boolean {
  if (text === lastDay) return true
  const [, year, month, day] = DAY.exec(text) ?? []
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return false
  lastDay = text
  return true
}

/** Formats `milliseconds` since 1970 (whole seconds count) with the microseconds within that second. */
export function formatTimestamp(milliseconds: number, microseconds: number): Timestamp {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.${pad(microseconds, 6)}Z`
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31)
}

function offsetMinutes(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/** Returns the moment `seconds` after another, or before it if negative. */
export function addSeconds(moment: Timestamp, seconds: number): Timestamp {
  const whole = Math.floor(seconds)
  const micros = Number(moment.slice(20, 26)) + Math.round((seconds - whole) * 1_000_000)
  const carry = micros < 1_000_000 ? 0 : 1
  const shifted = Date.parse(`${moment.slice(0, 19)}Z`) + (whole + carry) * 1000
  return formatTimestamp(shifted, micros - carry * 1_000_000)
}

/** In lower case, so that the cache never outgrows the number of zones. */
const zones = new Set<string>()

/** Returns true for a name that ICU resolves as an IANA zone or link, in any case; false for a bare offset. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false
  const zone = name.toLowerCase()
  if (zones.has(zone)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    zones.add(zone)
    return true
  } catch {
    return false
  }
}
