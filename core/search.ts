/** At most this many characters of `search` are taken; more is a validation error. */
export const MAX_SEARCH = 255

/** What two texts have in common when they differ only by case, in any script. */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')
