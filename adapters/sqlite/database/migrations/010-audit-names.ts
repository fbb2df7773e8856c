/** The name of the changed record at the time, such as acme/101. */
export const auditNames = `
ALTER TABLE audit ADD COLUMN record_name TEXT;`
