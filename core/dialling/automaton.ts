import { type Expression, expressions } from './expressions.ts'
import { parsePattern } from './pattern.ts'

/** What `match` returns of a text that has other symbols than digits. */
export const NO_DIGITS = -1

const DIGITS = 10
const UNKNOWN = -1
const FIRST_STATES = 64

/** Matches digits with several patterns at once. */
export interface Automaton {
  /** The sum of `1 << n` for each pattern n that matches the digits as a whole; {@link NO_DIGITS} for what are none. */
  match(text: string): number
  /** The same for each pattern that more digits may make match. */
  begin(text: string): number
}

/**
 * An automaton of patterns, at most 30, as {@link parsePattern} reads them; an empty one matches nothing. A state is made
 * when the first number gets there, so that an automaton costs nothing but what is dialled.
 */
export function automaton(patterns: readonly string[]): Automaton {
  const make = expressions()
  const states = new Map<string, number>()
  const expressionsOf: (readonly Expression[])[] = []
  let matched = new Int32Array(FIRST_STATES)
  let next = new Int32Array(FIRST_STATES * DIGITS)

  const stateOf = (each: readonly Expression[]): number => {
    const key = each.map(({ id }) => id).join()
    const known = states.get(key)
    if (known !== undefined) return known
    const state = states.size
    if (state === matched.length) {
      matched = larger(matched)
      next = larger(next)
    }
    states.set(key, state)
    expressionsOf.push(each)
    matched[state] = sumOf(each, ({ isNullable }) => isNullable)
    next.fill(UNKNOWN, state * DIGITS, state * DIGITS + DIGITS)
    return state
  }
  const step = (state: number, digit: number): number => {
    const following = stateOf((expressionsOf[state] ?? []).map(one => one.after(digit)))
    next[state * DIGITS + digit] = following
    return following
  }
  const first = stateOf(patterns.map(pattern => (pattern === '' ? make.nothing : parsePattern(pattern, make))))
  const stateAfter = (text: string): number => {
    let state = first
    for (let i = 0; i < text.length; i++) {
      const digit = text.charCodeAt(i) - 48
      if (digit < 0 || digit >= DIGITS) return NO_DIGITS
      const following = next[state * DIGITS + digit] ?? UNKNOWN
      state = following === UNKNOWN ? step(state, digit) : following
    }
    return state
  }
  return {
    match(text) {
      // The state first: on the way to it, the array may be put in the place of a larger one.
      const state = stateAfter(text)
      return matched[state] ?? NO_DIGITS
    },
    begin(text) {
      const state = stateAfter(text)
      return sumOf(expressionsOf[state] ?? [], one => one !== make.nothing)
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
