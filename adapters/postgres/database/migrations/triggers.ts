/**
 * Statement triggers: row triggers make the load of many rows quadratic. Each sees the rows before (`gone`) and after
 * (`made`) the statement.
 */
const EVENTS = {
  INSERT: { rows: 'made', referencing: 'NEW TABLE AS made' },
  UPDATE: { rows: 'both', referencing: 'OLD TABLE AS gone NEW TABLE AS made' },
  DELETE: { rows: 'gone', referencing: 'OLD TABLE AS gone' },
} as const

type Event = keyof typeof EVENTS

const after = (name: string, table: string, event: Event, body: (rows: string) => string): string => {
  const { rows, referencing } = EVENTS[event]
  const all = rows === 'both' ? '(SELECT * FROM gone UNION ALL SELECT * FROM made)' : rows
  return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body(`${all} AS r`)} RETURN NULL; END $$;
CREATE TRIGGER ${name} AFTER ${event} ON ${table} REFERENCING ${referencing} FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`
}

const always = (name: string, table: string, body: (rows: string) => string): string =>
  (['INSERT', 'UPDATE', 'DELETE'] as const)
    .map(event => after(`${table}_${event.toLowerCase()}_${name}`, table, event, body))
    .join('')

/** Counts changes to what rates a tenant's calls. Ids cannot show them, since they are committed out of order. */
const revised = (table: string, column: string): string =>
  always(
    'revises',
    table,
    rows => `INSERT INTO catalog_revisions SELECT DISTINCT r.${column}, 1 FROM ${rows} ORDER BY 1
  ON CONFLICT (tenant_id) DO UPDATE SET revision = catalog_revisions.revision + 1;`,
  )

/** Notes which tenants' records for switches have changed, and in which transaction; 0 stands for all tenants. */
const switched = (table: string, tenant: string): string =>
  always(
    'switched',
    table,
    rows => `INSERT INTO switch_changes
  SELECT DISTINCT t.tenant, pg_current_xact_id() FROM (SELECT ${tenant} AS tenant FROM ${rows}) t WHERE t.tenant IS NOT NULL ORDER BY 1
  ON CONFLICT (tenant_id) DO UPDATE SET changed_by = excluded.changed_by;`,
  )

const ofParent = (parent: string, column: string): string =>
  `(SELECT p.tenant_id FROM ${parent} p WHERE p.id = r.${column})`

const TARGET = ['server_host', 'server_port', 'use_ssl', 'username']

export const revisions = `
${revised('rates', 'tenant_id')}
${revised('extensions', 'tenant_id')}
${revised('dids', 'tenant_id')}
${revised('tenants', 'id')}
${revised('decks', 'tenant_id')}
${switched('tenants', 'r.id')}
${switched('extensions', 'r.tenant_id')}
${switched('dids', 'r.tenant_id')}
${switched('queues', 'r.tenant_id')}
${switched('devices', ofParent('extensions', 'extension_id'))}
${switched('agents', ofParent('queues', 'queue_id'))}
${switched('routes', ofParent('dids', 'did_id'))}
${switched('trunks', '0')}
${switched('trunk_routes', 'coalesce(r.tenant_id, 0)')}
${after('routes_follow_extensions', 'extensions', 'DELETE', rows => `DELETE FROM routes WHERE target_type = 'extension' AND target_id IN (SELECT r.id FROM ${rows});`)}
${after('routes_follow_queues', 'queues', 'DELETE', rows => `DELETE FROM routes WHERE target_type = 'queue' AND target_id IN (SELECT r.id FROM ${rows});`)}
${after(
  'sms_gateways_retire',
  'sms_gateways',
  'DELETE',
  rows => `INSERT INTO retired_gateways (id, callback_token, meta)
  SELECT r.id, r.callback_token, r.meta FROM ${rows} WHERE r.callback_token IS NOT NULL OR r.meta IS NOT NULL;`,
)}
${after(
  'sms_gateways_retarget',
  'sms_gateways',
  'UPDATE',
  () => `INSERT INTO gateway_targets
  SELECT n.id, n.updated_at FROM made n JOIN gone o ON o.id = n.id
  WHERE ${TARGET.map(name => `o.${name} IS DISTINCT FROM n.${name}`).join(' OR ')}
  ON CONFLICT (gateway_id) DO UPDATE SET changed_at = excluded.changed_at;`,
)}
${after(
  'trunk_routes_follow_trunks',
  'trunks',
  'DELETE',
  rows => `UPDATE trunk_routes SET trunks = (
    SELECT '[' || coalesce(string_agg(e.value, ',' ORDER BY e.place), '') || ']'
    FROM json_array_elements_text(trunks::json) WITH ORDINALITY AS e(value, place)
    WHERE e.value::bigint NOT IN (SELECT r.id FROM ${rows}))
  WHERE EXISTS (SELECT 1 FROM json_array_elements_text(trunks::json) AS e(value) WHERE e.value::bigint IN (SELECT r.id FROM ${rows}));`,
)}
`
