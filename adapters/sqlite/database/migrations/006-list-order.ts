/**
 * The calls of one extension, and all messages, are read page by page in list order; without an index in that order,
 * each page sorted all of them. No query used the index of unrated calls.
 */
export const listOrder = `
DROP INDEX cdrs_by_extension;
CREATE INDEX cdrs_by_extension ON cdrs (extension_id, started_at) WHERE extension_id IS NOT NULL;
CREATE INDEX sms_messages_by_creation ON sms_messages (created_at);
DROP INDEX cdr_ratings_unrated;`
