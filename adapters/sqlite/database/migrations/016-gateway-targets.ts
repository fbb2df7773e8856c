const TARGET = ['server_host', 'server_port', 'use_ssl', 'username']

/**
 * Keeps when a gateway's password last changed its destination, by whichever statement. Changes of gateways belong to
 * the security trail.
 */
export const gatewayTargets = `
CREATE TABLE gateway_targets (
  gateway_id INTEGER PRIMARY KEY REFERENCES sms_gateways (id) ON DELETE CASCADE,
  changed_at TEXT NOT NULL
) STRICT;
CREATE TRIGGER sms_gateways_retarget AFTER UPDATE OF ${TARGET.join()} ON sms_gateways
  WHEN ${TARGET.map(name => `old.${name} IS NOT new.${name}`).join(' OR ')} BEGIN
  INSERT INTO gateway_targets VALUES (new.id, new.updated_at)
  ON CONFLICT (gateway_id) DO UPDATE SET changed_at = excluded.changed_at;
END;
DROP INDEX audit_security;
CREATE INDEX audit_security ON audit (id)
  WHERE (action IN ('login','login-failed','lockout','logout','revoke','token-refused','backup','restore','export') OR resource = 'accounts' OR (resource = 'sms_gateways' AND action = 'update'));`
