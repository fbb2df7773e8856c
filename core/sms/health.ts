/** That many failed sends in a row make a gateway suspect. */
export const SUSPECT_AFTER = 5

/** A message without a final status for longer, in seconds, is worth a look. */
export const OVERDUE_AFTER = 3_600
