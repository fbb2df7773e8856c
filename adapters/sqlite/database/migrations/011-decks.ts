/**
 * A tenant's decks over time; see core/rating/deck-times.ts. `deck_rates` holds the rates of pending and past decks,
 * older before newer: `rate_id` is the id that a rate had, or that the rate of the same prefix has; null for rates
 * that get their id when the deck takes effect.
 */
const bumped = (event: string, row: 'new' | 'old'): string => `
CREATE TRIGGER decks_${event}_revises AFTER ${event} ON decks BEGIN
  INSERT INTO catalog_revisions VALUES (${row}.tenant_id, 1)
  ON CONFLICT (tenant_id) DO UPDATE SET revision = revision + 1;
END;`

export const decks = `
CREATE TABLE decks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
  effective_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'in force', 'past', 'forgotten')),
  file TEXT NOT NULL,
  rates INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  UNIQUE (tenant_id, effective_at)
) STRICT;
CREATE UNIQUE INDEX decks_in_force ON decks (tenant_id) WHERE state = 'in force';
CREATE INDEX decks_pending ON decks (effective_at) WHERE state = 'pending';

CREATE TABLE deck_rates (
  deck_id INTEGER NOT NULL REFERENCES decks (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  rate_id INTEGER,
  prefix TEXT NOT NULL,
  destination TEXT NOT NULL,
  cost_per_minute INTEGER NOT NULL,
  billing_increment INTEGER NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (deck_id, seq)
) STRICT, WITHOUT ROWID;
${bumped('insert', 'new')}
${bumped('update', 'new')}
${bumped('delete', 'old')}
`
