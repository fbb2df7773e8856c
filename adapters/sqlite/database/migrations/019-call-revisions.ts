/**
 * Counts changes of a tenant's stored calls that affect its limits, whichever program makes them. New calls show by
 * their id. Deleting an extension changes nothing for the others.
 */
const bumped = (name: string, event: string, row: 'new' | 'old'): string => `
CREATE TRIGGER ${name} AFTER ${event} ON cdrs BEGIN
  INSERT INTO call_revisions VALUES (${row}.tenant_id, 1)
  ON CONFLICT (tenant_id) DO UPDATE SET revision = revision + 1;
END;`

export const callRevisions = `
CREATE TABLE call_revisions (tenant_id INTEGER PRIMARY KEY, revision INTEGER NOT NULL) STRICT;
${bumped('cdrs_update_revises', 'UPDATE OF tenant_id, direction, cost, started_at, ended_at', 'new')}
${bumped('cdrs_move_revises', 'UPDATE OF tenant_id', 'old')}
${bumped('cdrs_delete_revises', 'DELETE', 'old')}
`
