/**
 * The calls of one extension and all messages are read page by page in the order of their lists; without an index that
 * has it, each page sorted all of them. The index of unrated calls was used by no query.
 */
export const listOrder = `
DROP INDEX cdrs_by_extension;
CREATE INDEX cdrs_by_extension ON cdrs (extension_id, started_at) WHERE extension_id IS NOT NULL;
CREATE INDEX sms_messages_by_creation ON sms_messages (created_at);
DROP INDEX cdr_ratings_unrated;`
