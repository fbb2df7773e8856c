/**
 * Which tenants' records for switches changed last, whichever program changes them; 0 stands for all tenants. New
 * extensions and DIDs show by their id, so that a large import is no slower.
 */
const noted = (name: string, when: string, tenant: string): string => `
CREATE TRIGGER ${name}_switched AFTER ${when} BEGIN
  INSERT INTO switch_changes
  SELECT tenant, 1 + coalesce((SELECT max(seq) FROM switch_changes), 0) FROM (SELECT ${tenant} AS tenant) WHERE tenant IS NOT NULL
  ON CONFLICT (tenant_id) DO UPDATE SET seq = excluded.seq;
END;`

const changed = (table: string, tenantOf: (row: 'new' | 'old') => string): string =>
  noted(`${table}_update`, `UPDATE ON ${table}`, tenantOf('new')) +
  noted(`${table}_leave`, `UPDATE ON ${table} WHEN ${tenantOf('old')} IS NOT ${tenantOf('new')}`, tenantOf('old')) +
  noted(`${table}_delete`, `DELETE ON ${table}`, tenantOf('old'))

const followed = (table: string, tenantOf: (row: 'new' | 'old') => string): string =>
  noted(`${table}_insert`, `INSERT ON ${table}`, tenantOf('new')) + changed(table, tenantOf)

const own = (row: string): string => `${row}.tenant_id`
const ofParent =
  (parent: string, column: string) =>
  (row: string): string =>
    `(SELECT tenant_id FROM ${parent} WHERE id = ${row}.${column})`

export const switchChanges = `
CREATE TABLE switch_changes (tenant_id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
CREATE INDEX switch_changes_by_seq ON switch_changes (seq);
${followed('tenants', row => `${row}.id`)}
${changed('extensions', own)}
${changed('dids', own)}
${followed('queues', own)}
${followed('devices', ofParent('extensions', 'extension_id'))}
${followed('agents', ofParent('queues', 'queue_id'))}
${followed('routes', ofParent('dids', 'did_id'))}
${followed('trunks', () => '0')}
${followed('trunk_routes', row => `coalesce(${row}.tenant_id, 0)`)}
`
