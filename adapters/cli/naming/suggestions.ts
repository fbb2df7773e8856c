import type { Argument, Option } from 'commander'

const SUGGESTED = new WeakMap<Argument | Option, readonly string[]>()

/** Has a shell offer these values, which are not the only ones, or are checked elsewhere. */
export function suggests<T extends Argument | Option>(given: T, values: readonly string[]): T {
  SUGGESTED.set(given, values)
  return given
}

/** The values that a shell may offer; none where nothing is known. */
export const suggestionsFor = (given: Argument | Option): readonly string[] =>
  given.argChoices ?? SUGGESTED.get(given) ?? []
