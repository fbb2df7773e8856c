/** Changes of trunks and of their routes belong to the security trail: they decide where calls and passwords go. */
export const trunkSecurity = `
DROP INDEX audit_security;
CREATE INDEX audit_security ON audit (id)
  WHERE (action IN ('login','login-failed','lockout','logout','revoke','token-refused','backup','restore','export') OR resource = 'accounts' OR (resource IN ('sms_gateways','trunks') AND action = 'update') OR resource = 'trunk_routes');`
