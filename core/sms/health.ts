/** So many sends in a row that failed make a gateway suspect. */
export const SUSPECT_AFTER = 5

/** A message that nothing final is known of for longer, in seconds, is worth a look. */
export const OVERDUE_AFTER = 3_600
