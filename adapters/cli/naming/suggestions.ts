import type { Argument, Option } from 'commander'

const SUGGESTED = new WeakMap<Argument | Option, readonly string[]>()

/** Lets a shell offer these values, which are not the only ones, or are checked elsewhere. */
export function suggests<T extends Argument | Option>(given: T, values: readonly string[]): T {
  SUGGESTED.set(given, values)
  return given
}

/** Returns the values that a shell may offer; none if unknown. */
export const suggestionsFor = (given: Argument | Option): readonly string[] =>
  given.argChoices ?? SUGGESTED.get(given) ?? []
