import { type Expression, expressions } from './expressions.ts'
import { parsePattern } from './pattern.ts'

/** What `match` returns of a text that has other symbols than digits. */
export const NO_DIGITS = -1

const DIGITS = 10
/** In the row of a state, behind the rows that its digits lead to: which patterns match there, and which still may. */
const MATCHING = 10
const POSSIBLE = 11
const ROW = 12
const UNKNOWN = -1
const FIRST_STATES = 64

/** Matches digits with several patterns at once. */
export interface Automaton {
  /** The sum of `1 << n` for each pattern n that matches the digits as a whole; {@link NO_DIGITS} for what are none. */
  match(text: string): number
  /** The same for each pattern that more digits may make match. */
  begin(text: string): number
  /** How many of the first digits are the longest that any pattern matches; 0 where none does. */
  beginning(text: string): number
}

/**
 * An automaton of patterns, at most 30, as {@link parsePattern} reads them; an empty one matches nothing. A state is made
 * when the first number gets there, so that an automaton costs nothing but what is dialled.
 */
export function automaton(patterns: readonly string[]): Automaton {
  const make = expressions()
  const rowOf = new Map<string, number>()
  const expressionsOf: (readonly Expression[])[] = []
  let rows = new Int32Array(FIRST_STATES * ROW)

  const rowFor = (each: readonly Expression[]): number => {
    const key = each.map(({ id }) => id).join()
    const known = rowOf.get(key)
    if (known !== undefined) return known
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
  // The row first: on the way to it, the array may be put in the place of a larger one.
  const sumAt = (row: number, column: number): number => (row === NO_DIGITS ? NO_DIGITS : (rows[row + column] ?? 0))
  return {
    match: text => sumAt(rowAfter(text), MATCHING),
    begin: text => sumAt(rowAfter(text), POSSIBLE),
    beginning: text => {
      let [longest, row] = [0, first]
      for (let i = 0; i < text.length && sumAt(row, POSSIBLE) > 0; i++) {
        const digit = text.charCodeAt(i) - 48
        if (digit < 0 || digit >= DIGITS) break
        const following = rows[row + digit] ?? UNKNOWN
        row = following === UNKNOWN ? step(row, digit) : following
        if (sumAt(row, MATCHING) > 0) longest = i + 1
      }
      return longest
    },
  }
}

const sumOf = (each: readonly Expression[], holds: (one: Expression) => boolean): number =>
  each.reduce((sum, one, n) => sum + (holds(one) ? 1 << n : 0), 0)

function larger(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const made = new Int32Array(array.length * 2)
  made.set(array)
  return made
}
