import type { Spread } from '../sql/spread.ts'

const BUCKETS = 4_096

/** Calls and what belongs to them: only they grow. The ids of their records are a sequence's number × 4096 + bucket. */
const TABLES = ['cdrs', 'cdr_ratings', 'cdr_rating_history'] as const

const NAMES = TABLES.map(table => `'${table}'::regclass`).join()

/** What no spread table may have: identities, triggers, and keys without the bucket. */
const BARE = `
DO $$ DECLARE each record; BEGIN
  FOR each IN SELECT conrelid::regclass AS spread, conname FROM pg_constraint
    WHERE conrelid IN (${NAMES}) AND contype IN ('f', 'p') ORDER BY contype
    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', each.spread, each.conname); END LOOP;
  FOR each IN SELECT tgrelid::regclass AS spread, tgname FROM pg_trigger WHERE tgrelid IN (${NAMES}) AND NOT tgisinternal
    LOOP EXECUTE format('DROP TRIGGER %I ON %s', each.tgname, each.spread); END LOOP;
END $$;
ALTER TABLE cdrs ALTER id DROP IDENTITY;
ALTER TABLE cdr_rating_history ALTER id DROP IDENTITY;
CREATE SEQUENCE cdrs_id_seq;
CREATE SEQUENCE cdr_rating_history_id_seq;
ALTER TABLE cdr_rating_history ALTER id SET DEFAULT nextval('cdr_rating_history_id_seq');
DROP INDEX cdr_ratings_once;
DROP FUNCTION cdrs_refer, cdrs_delete_take_ratings, tenants_delete_keep_cdrs, extensions_delete_leave_cdrs CASCADE;`

/** The lock of a bucket, shared by those who store calls, and exclusive to who deletes what calls refer to. */
const lock = (kind: string, take: string, ids: string): string =>
  `PERFORM ${take}(hashtext('${kind}'), b.bucket) FROM (SELECT DISTINCT (id % ${BUCKETS})::int AS bucket FROM unnest(${ids}) AS x(id) ORDER BY 1) b;`

/** No constraint reaches from a spread table to one on the coordinator, so this is called before calls are stored. */
const MAY_REFER = `
CREATE FUNCTION calls_may_refer(tenant_ids bigint[], extension_ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  ${lock('calls of tenants', 'pg_advisory_xact_lock_shared', 'tenant_ids')}
  ${lock('calls of extensions', 'pg_advisory_xact_lock_shared', 'extension_ids')}
  IF EXISTS (SELECT 1 FROM unnest(tenant_ids) AS x(id) WHERE NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id = x.id)) THEN
    RAISE foreign_key_violation USING MESSAGE = 'a call refers to a tenant that is not there';
  END IF;
  IF EXISTS (SELECT 1 FROM unnest(extension_ids) AS x(id)
    WHERE x.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM extensions e WHERE e.id = x.id)) THEN
    RAISE foreign_key_violation USING MESSAGE = 'a call refers to an extension that is not there';
  END IF;
END $$;`

const deletion = (table: string, name: string, body: string): string => `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ids bigint[] := array(SELECT id FROM gone); each bigint; BEGIN ${body} RETURN NULL; END $$;
CREATE TRIGGER ${name} AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION ${name}();`

const DELETIONS = `${deletion(
  'tenants',
  'tenants_keep_spread_calls',
  `${lock('calls of tenants', 'pg_advisory_xact_lock', 'ids')}
  FOREACH each IN ARRAY ids LOOP
    IF EXISTS (SELECT 1 FROM cdrs WHERE bucket = (each % ${BUCKETS})::int AND tenant_id = each) THEN
      RAISE foreign_key_violation USING MESSAGE = 'a call refers to the tenant';
    END IF;
  END LOOP;`,
)}
${deletion(
  'extensions',
  'extensions_leave_spread_calls',
  `${lock('calls of extensions', 'pg_advisory_xact_lock', 'ids')}
  IF cardinality(ids) > 0 THEN UPDATE cdrs SET extension_id = NULL WHERE extension_id = ANY(ids); END IF;`,
)}`

const SPREAD = `
ALTER TABLE cdrs ADD bucket int NOT NULL CHECK (bucket = id % ${BUCKETS} AND bucket = tenant_id % ${BUCKETS}),
  ADD PRIMARY KEY (id, bucket);
ALTER TABLE cdr_ratings ADD bucket int NOT NULL, ADD PRIMARY KEY (cdr_id, bucket);
ALTER TABLE cdr_rating_history ADD bucket int NOT NULL, ADD PRIMARY KEY (id, bucket);
CREATE UNIQUE INDEX cdr_ratings_once ON cdr_ratings (source, call_key(switch_call_id), bucket);
SELECT create_distributed_table('cdrs', 'bucket', colocate_with => 'none');
SELECT create_distributed_table('cdr_ratings', 'bucket', colocate_with => 'cdrs');
SELECT create_distributed_table('cdr_rating_history', 'bucket', colocate_with => 'cdrs');
ALTER TABLE cdr_ratings ADD FOREIGN KEY (cdr_id, bucket) REFERENCES cdrs (id, bucket) ON DELETE CASCADE;
ALTER TABLE cdr_rating_history ADD FOREIGN KEY (cdr_id, bucket) REFERENCES cdrs (id, bucket) ON DELETE CASCADE;`

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** PostgreSQL with Citus: calls are spread over its nodes, and everything else stays on the coordinator. */
export const citus: Spread = {
  name: 'Citus',
  tables: new Set(TABLES),
  buckets: BUCKETS,
  creation: `SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true);${BARE}${SPREAD}${MAY_REFER}${DELETIONS}`,
  // Settings of a transaction, such as what a planner may use, hold on every node.
  options: '-c citus.propagate_set_commands=local',
  isFit: `SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')`,
  hint: 'CREATE EXTENSION citus',
  backupHint: 'archive the write-ahead log of every node, with points of restoration by citus_create_restore_point',
  everywhere: statement => `SELECT success, result FROM run_command_on_all_nodes(${quoted(statement)})`,
  rowsAbout: table => `SELECT coalesce(sum(greatest(result::float8, 0)), 0)::bigint
    FROM run_command_on_shards('${table}', ${quoted("SELECT reltuples FROM pg_class WHERE oid = '%s'::regclass")}) WHERE success`,
  bytes: TABLES.map(table => `citus_total_relation_size('${table}')`).join(' + '),
}
