/**
 * The id of the call that a record is an attempt of, if it differs from that of the channel that its own id begins
 * with.
 */
export const linkedCalls = `
ALTER TABLE cdr_ratings ADD COLUMN linked_id TEXT;
CREATE INDEX cdr_ratings_linked ON cdr_ratings (linked_id) WHERE linked_id IS NOT NULL;`
