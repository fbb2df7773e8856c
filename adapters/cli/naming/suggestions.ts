import type { Argument, Option } from 'commander'

const SUGGESTED = new WeakMap<Argument | Option, readonly string[]>()

/** Lets a shell offer these values, which are not the only ones, or are checked elsewhere. */
export function suggests<T extends Argument | Option>(parameter: T, values: readonly string[]): T {
  SUGGESTED.set(parameter, values)
  return parameter
}

/** Returns the values that a shell may offer; none if unknown. */
export const suggestionsFor = (parameter: Argument | Option): readonly string[] =>
  parameter.argChoices ?? SUGGESTED.get(parameter) ?? []
