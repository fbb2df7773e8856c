/** Calls without a cost are listed and counted; the condition is exactly that of `UNRATED`. */
export const unratedCalls = `
CREATE INDEX cdr_ratings_unrated ON cdr_ratings (cdr_id) WHERE outcome IN ('no match', 'too large');`
