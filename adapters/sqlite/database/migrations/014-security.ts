/** Finds the trail's entries on logins, accounts and secrets. */
export const security = `
CREATE INDEX audit_security ON audit (id)
  WHERE (action IN ('login','login-failed','lockout','logout','revoke','token-refused','backup','restore','export') OR resource = 'accounts');`
