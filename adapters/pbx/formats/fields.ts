import type { CompletedCall, SwitchMoment, UnreadableRecord } from '../../../core/calls/completed-call.ts'
import { parseDate } from '../../../core/dates.ts'

const WALL_CLOCK = /^(?:19[7-9]|20\d|21\d)\d-(?:0[1-9]|1[0-2])-[0-3]\d (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
const SECONDS = /^(\d{1,10})(?:\.\d*)?$/
const MOST_SECONDS = 2 ** 31 - 1
const SHOWN = 40

/** Reads typed values from a record's named fields, and keeps the first error. */
export interface Fields {
  text(name: string): string
  /** Text that must not be empty. */
  required(name: string): string
  /** Whole seconds; drops a fraction. */
  seconds(name: string): number
  /** `YYYY-MM-DD HH:MM:SS`. */
  moment(name: string): SwitchMoment
  /** The same; null if empty. */
  optionalMoment(name: string): SwitchMoment | null
  /** Reports what is wrong with a field. */
  problem(name: string, what: string): void
  /** Returns the call, or the first error. */
  finish(call: CompletedCall): CompletedCall | UnreadableRecord
}

/** `place` names a field in an error: `column 10 (start)`. */
export function fields(get: (name: string) => string, place: (name: string) => string): Fields {
  let reason: string | null = null
  const problem = (name: string, what: string): void => {
    reason ??= `${place(name)} ${what}`
  }
  const moment = (name: string): SwitchMoment => {
    const local = get(name)
    if (!isWallClock(local)) problem(name, `is no date and time: ${quoted(local)}`)
    return { local }
  }
  return {
    text: get,
    required(name) {
      const value = get(name)
      if (value === '') problem(name, 'is empty')
      return value
    },
    seconds(name) {
      const whole = Number(SECONDS.exec(get(name))?.[1] ?? Number.NaN)
      if (!(whole <= MOST_SECONDS)) problem(name, `is no number of seconds: ${quoted(get(name))}`)
      return whole
    },
    moment,
    optionalMoment: name => (get(name) === '' ? null : moment(name)),
    problem,
    finish: call => (reason === null ? call : { reason }),
  }
}

/** True for `YYYY-MM-DD HH:MM:SS` of an existing day. */
export function isWallClock(text: string): boolean {
  if (!WALL_CLOCK.test(text)) return false
  const day = text.slice(8, 10)
  return (day >= '01' && day <= '28') || parseDate(text) !== null
}

/** Quotes a value for an error, shortened. */
export const quoted = (value: string): string => `"${value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value}"`

/** Returns fields that are columns, with the names of their places. */
export function columnFields(names: readonly string[], values: readonly string[]): Fields {
  return fields(
    name => values[names.indexOf(name)] ?? '',
    name => `column ${names.indexOf(name) + 1} (${name})`,
  )
}
