/**
 * How delivered calls were rated, their former ratings, and unusable records. `catalog_revisions` counts the changes
 * of what a tenant's calls are rated by, whichever program makes them.
 */
const bumped = (table: string, event: string, row: 'new' | 'old', column: string): string => `
CREATE TRIGGER ${table}_${event}_revises AFTER ${event} ON ${table} BEGIN
  INSERT INTO catalog_revisions VALUES (${row}.${column}, 1)
  ON CONFLICT (tenant_id) DO UPDATE SET revision = revision + 1;
END;`

const bumpedBy = (table: string, column: string): string =>
  [
    bumped(table, 'insert', 'new', column),
    bumped(table, 'update', 'new', column),
    bumped(table, 'delete', 'old', column),
  ].join('')

export const rating = `
CREATE TABLE cdr_ratings (
  cdr_id INTEGER PRIMARY KEY REFERENCES cdrs (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  switch_call_id TEXT NOT NULL,
  outcome TEXT NOT NULL,
  rate_id INTEGER,
  prefix TEXT,
  cost_per_minute INTEGER,
  billing_increment INTEGER,
  UNIQUE (source, switch_call_id)
) STRICT;
CREATE INDEX cdr_ratings_unrated ON cdr_ratings (cdr_id) WHERE rate_id IS NULL AND outcome IN ('no match', 'too large');

CREATE TABLE cdr_rating_history (
  id INTEGER PRIMARY KEY,
  cdr_id INTEGER NOT NULL REFERENCES cdrs (id) ON DELETE CASCADE,
  replaced_at TEXT NOT NULL,
  bill_seconds INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  rate_id INTEGER,
  prefix TEXT,
  cost_per_minute INTEGER,
  billing_increment INTEGER
) STRICT;
CREATE INDEX cdr_rating_history_by_cdr ON cdr_rating_history (cdr_id);

CREATE TABLE quarantine (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  feed TEXT NOT NULL,
  format TEXT NOT NULL,
  rules TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  record TEXT NOT NULL,
  reason TEXT NOT NULL,
  seen INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  UNIQUE (format, fingerprint)
) STRICT;

CREATE TABLE feed_places (
  feed TEXT PRIMARY KEY,
  inode TEXT NOT NULL,
  position INTEGER NOT NULL,
  updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE catalog_revisions (tenant_id INTEGER PRIMARY KEY, revision INTEGER NOT NULL) STRICT;
${bumpedBy('rates', 'tenant_id')}
${bumpedBy('extensions', 'tenant_id')}
${bumpedBy('dids', 'tenant_id')}
${bumpedBy('tenants', 'id')}
`
