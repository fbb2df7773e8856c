/**
 * The tenant that an account is tied to. No foreign key: without its tenant an account sees nothing, rather than
 * everything.
 */
export const accountTenants = `
ALTER TABLE accounts ADD COLUMN tenant_id INTEGER;`
