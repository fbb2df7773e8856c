import { switchClock } from '../calls/switch-time.ts'
import type { Timestamp } from '../dates.ts'
import { AppError } from '../errors.ts'

/** A period in UTC; `to` is exclusive. */
export interface Period {
  readonly from: Timestamp
  readonly to: Timestamp
}

export const FOREVER: Period = { from: '0000-01-01T00:00:00.000000Z', to: '9999-12-31T23:59:59.999999Z' }

export interface Day extends Period {
  /** `YYYY-MM-DD` in the zone. */
  readonly day: string
}

const pad = (value: number): string => String(value).padStart(2, '0')

const MONTH = /^(?!9999)([1-9]\d{3})-(0[1-9]|1[0-2])$/

/** True for `YYYY-MM`, from 1000-01 to 9998-12. */
export const isMonth = (text: string): boolean => MONTH.test(text)

/**
 * Returns a function that gives the start of a day, `YYYY-MM-DD`, in a zone; it throws `invalid` if the text is not a
 * day.
 */
export function midnights(timeZone: string): (day: string) => Timestamp {
  const clock = switchClock(timeZone)
  return day => {
    const moment = clock({ local: `${day} 00:00:00` })
    if (moment === null) throw new AppError('invalid', `${JSON.stringify(day)} is not a day; write it like 2026-10-01.`)
    return moment
  }
}

/** Returns the days of a month, `YYYY-MM`, with their bounds in a zone. Throws `invalid` if the text is not a month. */
export function daysOfMonth(month: string, timeZone: string): Day[] {
  const { begin, count } = monthIn(month, timeZone)
  return Array.from({ length: count }, (_, i) => ({
    day: `${month}-${pad(i + 1)}`,
    from: begin(i + 1),
    to: begin(i + 2),
  }))
}

/** Returns the bounds of a month, `YYYY-MM`, in a zone. Throws `invalid` if the text is not a month. */
export function monthOf(month: string, timeZone: string): Period {
  const { begin, count } = monthIn(month, timeZone)
  return { from: begin(1), to: begin(count + 1) }
}

/** Returns the number of days in a month, and the start of each, including the day after the last. */
function monthIn(month: string, timeZone: string): { readonly count: number; begin(day: number): Timestamp } {
  const parts = MONTH.exec(month)
  if (!parts) throw new AppError('invalid', `${JSON.stringify(month)} is not a month; write it like 2026-10.`)
  const midnight = midnights(timeZone)
  const [year, number] = [Number(parts[1]), Number(parts[2])]
  return {
    count: new Date(Date.UTC(year, number, 0)).getUTCDate(),
    begin: day => midnight(new Date(Date.UTC(year, number - 1, day)).toISOString().slice(0, 10)),
  }
}
