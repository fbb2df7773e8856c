/**
 * Data against hostile clients: the service's own keys, its notices, and the sender of each parked receipt, so that
 * one sender cannot push out another's.
 */
export const outside = `
CREATE TABLE server_keys (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
  code TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL,
  first_at TEXT NOT NULL,
  last_at TEXT NOT NULL,
  PRIMARY KEY (code, subject)
) STRICT, WITHOUT ROWID;

ALTER TABLE parked_receipts ADD COLUMN sender TEXT NOT NULL DEFAULT '';
CREATE INDEX parked_receipts_by_sender ON parked_receipts (sms_gateway_id, sender);
CREATE INDEX sms_messages_waiting ON sms_messages (sms_gateway_id) WHERE delivery_status = 'queued';`
