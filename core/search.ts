/** The most characters of `search`; more is a validation error. */
export const MAX_SEARCH = 255

/** Folds case in any script, so that texts can be compared. */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')
