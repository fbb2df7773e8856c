/**
 * Carriers, and which of them numbers are sent through: ids in a JSON array, in the order to try. A deleted trunk is
 * removed from routes; a route left without trunks stays, so that its calls are refused instead of going another way.
 */
export const trunks = `
CREATE TABLE trunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
  transport TEXT,
  username TEXT,
  secret TEXT,
  registers INTEGER NOT NULL CHECK (registers IN (0, 1)),
  number_form TEXT,
  codecs TEXT,
  max_calls INTEGER CHECK (max_calls >= 1),
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE trunk_routes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE CASCADE,
  prefix TEXT NOT NULL,
  trunks TEXT NOT NULL
) STRICT;
CREATE INDEX trunk_routes_by_tenant ON trunk_routes (tenant_id, prefix);

CREATE TRIGGER trunk_routes_follow_trunks AFTER DELETE ON trunks BEGIN
  UPDATE trunk_routes
  SET trunks = (SELECT json_group_array(value) FROM (SELECT value FROM json_each(trunks) WHERE value <> old.id ORDER BY key))
  WHERE EXISTS (SELECT 1 FROM json_each(trunks) WHERE value = old.id);
END;`
