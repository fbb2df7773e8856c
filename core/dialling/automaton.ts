import { BEGINNINGS, isObserved, observation } from './examined-digits.ts'
import { type Expression, expressions } from './expressions.ts'
import { parsePattern } from './pattern.ts'

/** What `match` returns for a text that is not all digits. */
export const NO_DIGITS = -1

const DIGITS = 10
/** Columns of a state's row, after those of its ten digits: the patterns that match here, and those that still may. */
const MATCHING = 10
const POSSIBLE = 11
const ROW = 12
const UNKNOWN = -1
const FIRST_STATES = 64

/** Matches digits with several patterns at once. */
export interface Automaton {
  /**
   * Returns the sum of `1 << n` for each pattern n that matches all the digits; {@link NO_DIGITS} if they are not
   * digits.
   */
  match(text: string): number
  /** Reports the digits that decide whether one of these patterns, a sum, matches. */
  observe(text: string, patterns: number): void
  /** Returns the same sum for the patterns that more digits may complete. */
  begin(text: string): number
  /** Returns the length of the longest beginning that any pattern matches; 0 if none does. */
  beginning(text: string): number
}

/**
 * Builds an automaton of at most 30 patterns, in the syntax of {@link parsePattern}; an empty one matches nothing.
 * Creates a state when a number first reaches it, so that an automaton costs no more than the numbers dialled.
 */
export function automaton(patterns: readonly string[]): Automaton {
  const make = expressions()
  const rowOf = new Map<string, number>()
  const expressionsOf: (readonly Expression[])[] = []
  let rows = new Int32Array(FIRST_STATES * ROW)

  const rowFor = (each: readonly Expression[]): number => {
    const key = each.map(({ id }) => id).join()
    const existing = rowOf.get(key)
    if (existing !== undefined) return existing
    const row = expressionsOf.push(each) * ROW - ROW
    if (row === rows.length) rows = larger(rows)
    rowOf.set(key, row)
    rows.fill(UNKNOWN, row, row + DIGITS)
    rows[row + MATCHING] = sumOf(each, ({ isNullable }) => isNullable)
    rows[row + POSSIBLE] = sumOf(each, one => one !== make.nothing)
    return row
  }
  const step = (row: number, digit: number): number => {
    const following = rowFor((expressionsOf[row / ROW] ?? []).map(one => one.after(digit)))
    rows[row + digit] = following
    return following
  }
  const first = rowFor(patterns.map(pattern => (pattern === '' ? make.nothing : parsePattern(pattern, make))))
  const after = (row: number, digit: number): number => {
    const following = rows[row + digit] ?? UNKNOWN
    return following === UNKNOWN ? step(row, digit) : following
  }
  const rowAfter = (text: string): number => {
    let row = first
    for (let i = 0; i < text.length; i++) {
      const digit = text.charCodeAt(i) - 48
      if (digit < 0 || digit >= DIGITS) return NO_DIGITS
      const following = rows[row + digit] ?? UNKNOWN
      row = following === UNKNOWN ? step(row, digit) : following
    }
    return row
  }
  const observe = observation({
    ...{ first, after, matching: row => rows[row + MATCHING] ?? 0 },
    name: (row, sum) => (expressionsOf[row / ROW] ?? []).map(({ id }, n) => ((sum >> n) & 1 ? id : '')).join(),
  })
  // Evaluates the row first, since finding it may replace the array by a larger one.
  const sumAt = (row: number, column: number): number => (row === NO_DIGITS ? NO_DIGITS : (rows[row + column] ?? 0))
  return {
    match: text => sumAt(rowAfter(text), MATCHING),
    observe,
    begin: text => sumAt(rowAfter(text), POSSIBLE),
    beginning: text => {
      if (isObserved()) observe(text, BEGINNINGS)
      let [longest, row] = [0, first]
      for (let i = 0; i < text.length && sumAt(row, POSSIBLE) > 0; i++) {
        const digit = text.charCodeAt(i) - 48
        if (digit < 0 || digit >= DIGITS) break
        row = after(row, digit)
        if (sumAt(row, MATCHING) > 0) longest = i + 1
      }
      return longest
    },
  }
}

/** Returns true if `sum`, which `match` has returned for the text, has any of these patterns. May be observed. */
export function has(of: Pick<Automaton, 'observe'>, text: string, sum: number, patterns: number): boolean {
  if (isObserved()) of.observe(text, patterns)
  return (sum & patterns) !== 0
}

const sumOf = (each: readonly Expression[], holds: (one: Expression) => boolean): number =>
  each.reduce((sum, one, n) => sum + (holds(one) ? 1 << n : 0), 0)

function larger(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const made = new Int32Array(array.length * 2)
  made.set(array)
  return made
}
