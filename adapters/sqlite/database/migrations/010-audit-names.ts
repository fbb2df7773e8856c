/** What a person called the record of a change when it was made, such as acme/101. */
export const auditNames = `
ALTER TABLE audit ADD COLUMN record_name TEXT;`
