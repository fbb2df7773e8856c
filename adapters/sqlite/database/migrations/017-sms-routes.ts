/** The gateways of messages that name none: ids in a JSON array, in the order to try. */
export const smsRoutes = `
CREATE TABLE sms_routes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id INTEGER REFERENCES tenants (id) ON DELETE CASCADE,
  prefix TEXT NOT NULL,
  gateways TEXT NOT NULL
) STRICT;
CREATE INDEX sms_routes_by_tenant ON sms_routes (tenant_id, prefix);`
