/** The calls of one extension are read page by page in the order of their start; without it, each page sorted them all. */
export const callOrder = `
DROP INDEX cdrs_by_extension;
CREATE INDEX cdrs_by_extension ON cdrs (extension_id, started_at) WHERE extension_id IS NOT NULL;`
