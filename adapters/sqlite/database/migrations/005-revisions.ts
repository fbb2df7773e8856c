/**
 * New rows of a catalog show by their id, which is never reused; only changes and deletions are counted, since
 * counting each row of a deck costs as much as the row. Moving a row to another tenant changes both catalogs.
 */
const perTenant = ['rates', 'extensions', 'dids']

export const revisions = perTenant
  .map(
    table => `
DROP TRIGGER ${table}_insert_revises;
CREATE TRIGGER ${table}_leave_revises AFTER UPDATE OF tenant_id ON ${table} WHEN old.tenant_id <> new.tenant_id BEGIN
  INSERT INTO catalog_revisions VALUES (old.tenant_id, 1)
  ON CONFLICT (tenant_id) DO UPDATE SET revision = revision + 1;
END;`,
  )
  .join('')
