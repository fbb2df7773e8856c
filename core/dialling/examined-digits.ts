/**
 * Records which digits of a number decide how it is read, so that a table can be made that reads every number the same.
 */

/** Receives the place of a digit that was examined, counted from the end: 0 is the last digit. */
type Report = (place: number) => void
let observer: Report | null = null

/**
 * Runs a function that reads a number, and returns the places of the digits that it has examined, counted from the end.
 * The other digits do not change what it does. Every text that it derives from the number must keep the number's end.
 */
export function observed<T>(read: () => T): { readonly result: T; readonly places: ReadonlySet<number> } {
  const outer = observer
  const places = new Set<number>()
  observer = place => places.add(place)
  try {
    return { result: read(), places }
  } finally {
    observer = outer
  }
}

/** True while a reading is observed. What reads digits often asks this before it reports. */
export const isObserved = (): boolean => observer !== null

/** `startsWith` for readings that may be {@link observed}. */
export const begins = (text: string, prefix: string): boolean => {
  if (observer) examine(text, prefix, observer)
  return text.startsWith(prefix)
}

function examine(text: string, prefix: string, report: Report): void {
  for (let i = 0; i < Math.min(text.length, prefix.length); i++) {
    report(text.length - 1 - i)
    if (text[i] !== prefix[i]) return
  }
}

/** Stands for a sum of patterns where it matters which beginnings of a text match, not which patterns match all of it. */
export const BEGINNINGS = -1

/** The states of an automaton, as `after` leads from one to the next. `matching` is the sum of patterns that match. */
export interface States {
  readonly first: number
  after(state: number, digit: number): number
  matching(state: number): number
  /** Returns the same text for states that these patterns cannot tell apart. */
  name(state: number, patterns: number): string
}

/** Returns a function that reports which digits of a text decide whether it matches one of the patterns. */
export function observation(states: States): (text: string, patterns: number) => void {
  const { first, after } = states
  const outcome = outcomes(states)
  const alike = new Map<string, boolean>()
  const isAnyAlike = (state: number, patterns: number): boolean => {
    const key = `${state} ${patterns}`
    const cached = alike.get(key)
    if (cached !== undefined) return cached
    const name = states.name(after(state, 0), patterns)
    const found = OTHER_DIGITS.every(digit => states.name(after(state, digit), patterns) === name)
    alike.set(key, found)
    return found
  }
  return (text, patterns) => {
    let state = first
    for (let i = 0; outcome(state, text.length - i, patterns) === null; i++) {
      if (!isAnyAlike(state, patterns)) observer?.(text.length - 1 - i)
      state = after(state, text.charCodeAt(i) - 48)
    }
  }
}

const OTHER_DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9]

/**
 * Returns a function that tells which patterns match after any `left` further digits from a state; null if that
 * depends on the digits.
 */
function outcomes({ after, matching }: States) {
  const cache = new Map<string, string | null>()
  const outcome = (state: number, left: number, patterns: number): string | null => {
    const own = String(matching(state) & patterns)
    if (left === 0) return own
    const key = `${state} ${left} ${patterns}`
    const former = cache.get(key)
    if (former !== undefined) return former
    const first = outcome(after(state, 0), left - 1, patterns)
    const isSettled =
      first !== null && OTHER_DIGITS.every(digit => outcome(after(state, digit), left - 1, patterns) === first)
    const found = isSettled ? (patterns === BEGINNINGS ? `${own},${first}` : first) : null
    cache.set(key, found)
    return found
  }
  return outcome
}
