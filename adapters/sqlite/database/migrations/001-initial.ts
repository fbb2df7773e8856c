/** Amounts are integers in units of 0.0001, timestamps are UTC text with microseconds, JSON is text. */
export const initial = `
CREATE TABLE tenants (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  domain TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  timezone TEXT NOT NULL,
  max_extensions INTEGER NOT NULL CHECK (max_extensions >= 1),
  settings TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE extensions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL REFERENCES tenants (id),
  extension_number TEXT NOT NULL,
  display_name TEXT NOT NULL,
  email TEXT,
  secret TEXT NOT NULL,
  status TEXT NOT NULL,
  voicemail_enabled INTEGER NOT NULL CHECK (voicemail_enabled IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (tenant_id, extension_number)
) STRICT;
CREATE INDEX extensions_by_tenant ON extensions (tenant_id);

CREATE TABLE queues (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL REFERENCES tenants (id),
  name TEXT NOT NULL,
  queue_number TEXT NOT NULL,
  strategy TEXT NOT NULL,
  timeout INTEGER NOT NULL CHECK (timeout >= 1),
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX queues_by_tenant ON queues (tenant_id);

CREATE TABLE rates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL REFERENCES tenants (id),
  prefix TEXT NOT NULL,
  destination TEXT NOT NULL,
  cost_per_minute INTEGER NOT NULL CHECK (cost_per_minute >= 0),
  billing_increment INTEGER NOT NULL CHECK (billing_increment >= 1),
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX rates_by_tenant ON rates (tenant_id);
CREATE INDEX rates_by_prefix ON rates (tenant_id, prefix);

CREATE TABLE dids (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL REFERENCES tenants (id),
  number TEXT NOT NULL,
  provider TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX dids_by_tenant ON dids (tenant_id);
CREATE INDEX dids_by_number ON dids (number);

CREATE TABLE cdrs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER NOT NULL REFERENCES tenants (id),
  extension_id INTEGER REFERENCES extensions (id) ON DELETE SET NULL,
  caller_number TEXT NOT NULL,
  destination_number TEXT NOT NULL,
  direction TEXT NOT NULL,
  disposition TEXT NOT NULL,
  duration_seconds INTEGER NOT NULL CHECK (duration_seconds >= 0),
  bill_seconds INTEGER NOT NULL CHECK (bill_seconds >= 0),
  cost INTEGER NOT NULL CHECK (cost >= 0),
  started_at TEXT NOT NULL,
  ended_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX cdrs_by_start ON cdrs (started_at);
CREATE INDEX cdrs_by_tenant ON cdrs (tenant_id, started_at);
CREATE INDEX cdrs_by_extension ON cdrs (extension_id) WHERE extension_id IS NOT NULL;

CREATE TABLE devices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  extension_id INTEGER NOT NULL REFERENCES extensions (id) ON DELETE CASCADE,
  mac TEXT NOT NULL UNIQUE,
  model TEXT NOT NULL
) STRICT;
CREATE INDEX devices_by_extension ON devices (extension_id);

CREATE TABLE agents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue_id INTEGER NOT NULL REFERENCES queues (id) ON DELETE CASCADE,
  extension_id INTEGER NOT NULL REFERENCES extensions (id) ON DELETE CASCADE,
  penalty INTEGER NOT NULL CHECK (penalty >= 0),
  UNIQUE (queue_id, extension_id)
) STRICT;
CREATE INDEX agents_by_extension ON agents (extension_id);

CREATE TABLE routes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  did_id INTEGER NOT NULL REFERENCES dids (id) ON DELETE CASCADE,
  target_type TEXT NOT NULL CHECK (target_type IN ('extension', 'queue')),
  target_id INTEGER NOT NULL,
  UNIQUE (did_id, target_type, target_id)
) STRICT;
CREATE INDEX routes_by_target ON routes (target_type, target_id);
CREATE TRIGGER routes_follow_extensions AFTER DELETE ON extensions BEGIN
  DELETE FROM routes WHERE target_type = 'extension' AND target_id = old.id;
END;
CREATE TRIGGER routes_follow_queues AFTER DELETE ON queues BEGIN
  DELETE FROM routes WHERE target_type = 'queue' AND target_id = old.id;
END;

CREATE TABLE sms_gateways (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  provider_type TEXT NOT NULL,
  server_host TEXT NOT NULL,
  server_port INTEGER NOT NULL CHECK (server_port BETWEEN 1 AND 65535),
  api_path TEXT,
  username TEXT NOT NULL,
  password TEXT NOT NULL,
  default_sender_id TEXT,
  callback_token TEXT,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
  use_ssl INTEGER NOT NULL CHECK (use_ssl IN (0, 1)),
  notes TEXT,
  meta TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

-- Messages outlive their gateway, so its id is no foreign key.
CREATE TABLE sms_messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sms_gateway_id INTEGER NOT NULL,
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE SET NULL,
  to_number TEXT NOT NULL,
  from_sender TEXT NOT NULL,
  message TEXT NOT NULL,
  external_message_id TEXT NOT NULL,
  delivery_status TEXT NOT NULL,
  direction TEXT NOT NULL,
  callback_url TEXT NOT NULL,
  remote_response TEXT,
  error_message TEXT,
  requested_at TEXT NOT NULL,
  submitted_at TEXT,
  delivered_at TEXT,
  -- When the sender must have settled it; set with the record.
  deadline_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX sms_messages_by_external_id ON sms_messages (sms_gateway_id, external_message_id);
CREATE INDEX sms_messages_by_gateway ON sms_messages (sms_gateway_id, created_at);
CREATE INDEX sms_messages_by_tenant ON sms_messages (tenant_id) WHERE tenant_id IS NOT NULL;
CREATE INDEX sms_messages_queued ON sms_messages (deadline_at) WHERE delivery_status = 'queued';

CREATE TABLE parked_receipts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sms_gateway_id INTEGER NOT NULL,
  external_message_id TEXT NOT NULL,
  status TEXT NOT NULL,
  payload TEXT NOT NULL,
  received_at TEXT NOT NULL
) STRICT;
CREATE INDEX parked_receipts_by_external_id ON parked_receipts (sms_gateway_id, external_message_id);
CREATE INDEX parked_receipts_by_age ON parked_receipts (received_at);

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'manager', 'supervisor')),
  password_hash TEXT NOT NULL,
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX accounts_by_email ON accounts (lower(email));

CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- How far each search index follows the records, and which changed behind it; see search-index.ts.
CREATE TABLE search_indexes (
  resource TEXT PRIMARY KEY,
  fields TEXT NOT NULL,
  through_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE search_changes (
  resource TEXT NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (resource, id)
) STRICT, WITHOUT ROWID;

-- Written by the readiness check.
CREATE TABLE heartbeat (id INTEGER PRIMARY KEY CHECK (id = 1), beaten_at TEXT NOT NULL) STRICT;
`
