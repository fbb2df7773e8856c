/** At most this many characters of `search` are taken; more is a validation error. */
export const MAX_SEARCH = 255

/** What two texts have in common when they differ only by case, in any script. */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** True when one of the texts contains the needle, without regard to case. The needle must be folded. */
export const contains = (texts: readonly string[], foldedNeedle: string): boolean =>
  texts.some(text => fold(text).includes(foldedNeedle))
