/** What decides on receipts for messages of deleted gateways. */
export const retiredGateways = `
CREATE TABLE retired_gateways (
  id INTEGER PRIMARY KEY,
  callback_token TEXT,
  meta TEXT
) STRICT;
CREATE TRIGGER sms_gateways_retire AFTER DELETE ON sms_gateways
WHEN old.callback_token IS NOT NULL OR old.meta IS NOT NULL
BEGIN
  INSERT INTO retired_gateways (id, callback_token, meta) VALUES (old.id, old.callback_token, old.meta);
END;`
