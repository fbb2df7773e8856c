import type { DeadRows, IndexSize, ServerFigures } from '../../../core/ports/system.ts'
import type { Queries } from '../database/queries.ts'
import { sql } from '../database/sql.ts'

/** The newest place in the log; on a replica, where it is itself. */
const NOW = sql`CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END`

/**
 * One row, read from the server's own tables. A backup by pg_basebackup is connected like a replica. What a slot keeps
 * begins at its `restart_lsn`.
 */
const FIGURES = sql`SELECT
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
  current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint AS "maxConnections",
  (SELECT coalesce(extract(epoch FROM max(clock_timestamp() - l.waitstart)), 0)::double precision
    FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()) AS "lockWaitSeconds",
  (SELECT count(*) FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup') AS replicas,
  (SELECT coalesce(array_agg(slot_name::text ORDER BY slot_name), '{}') FROM pg_replication_slots
    WHERE NOT active AND NOT temporary) AS "idleSlots",
  greatest(
    (SELECT max(pg_wal_lsn_diff(${NOW}, replay_lsn)) FROM pg_stat_replication),
    (SELECT max(pg_wal_lsn_diff(${NOW}, restart_lsn)) FROM pg_replication_slots WHERE NOT active)
  )::bigint AS "replicaLagBytes",
  (SELECT coalesce(sum(pg_relation_size(i.oid)), 0)::bigint FROM pg_class i JOIN pg_am ON pg_am.oid = i.relam
    WHERE i.relkind = 'i' AND i.relnamespace = current_schema()::regnamespace AND amname = 'gin') AS "searchIndexBytes"`

/** Fewer dead rows are not worth a thought. */
const SOME = 10_000
const MOST_TABLES = 10

const DEAD_ROWS = sql`SELECT relname::text AS table, n_dead_tup AS dead, n_live_tup AS live FROM pg_stat_user_tables
  WHERE schemaname = current_schema() AND n_dead_tup >= ${SOME} ORDER BY n_dead_tup DESC LIMIT ${MOST_TABLES}`

const LARGE = 64 * 1024 * 1024

/**
 * Indexes of that size in bytes. The size of a new index, from the statistics that the server gathers of its values. An entry of a B-tree has its
 * values and some 20 bytes, in pages filled to 90 %. In a search index, each character begins a trigram, and a place in
 * a trigram's list takes some 2 bytes.
 */
const largeIndexes = (large: number) => sql`WITH large AS MATERIALIZED (
    SELECT x.indexrelid, x.indrelid, x.indkey, i.relname AS index, i.reltuples AS entries, t.relname AS of,
      t.reltuples AS rows, amname AS kind, pg_relation_size(i.oid) AS bytes
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
      JOIN pg_am ON pg_am.oid = i.relam
    WHERE i.relkind = 'i' AND i.relnamespace = current_schema()::regnamespace AND amname IN ('btree', 'gin')
      AND i.reltuples >= 0 AND t.reltuples >= 0 AND pg_relation_size(i.oid) >= ${large}
  ), widths AS (
    SELECT indexrelid, sum(s.avg_width) AS width, bool_and(s.avg_width IS NOT NULL) AS is_known
    FROM large CROSS JOIN unnest(indkey) WITH ORDINALITY key(attribute, place)
      LEFT JOIN pg_attribute a ON (a.attrelid, a.attnum) =
        (CASE attribute WHEN 0 THEN indexrelid ELSE indrelid END, CASE attribute WHEN 0 THEN place ELSE attribute END)
      LEFT JOIN pg_stats s ON s.schemaname = current_schema() AND NOT s.inherited AND s.attname = a.attname
        AND s.tablename = CASE attribute WHEN 0 THEN index ELSE of END
    GROUP BY indexrelid
  )
  SELECT index::text, bytes,
    (CASE kind WHEN 'gin' THEN rows * width * 2 ELSE entries * (width + 20) / 0.9 END)::bigint AS "freshBytes"
  FROM large JOIN widths USING (indexrelid) WHERE is_known ORDER BY bytes DESC`

export async function serverFigures(queries: Queries, large = LARGE): Promise<ServerFigures | null> {
  const figures = await queries.row<Omit<ServerFigures, 'deadRows' | 'largeIndexes'>>(FIGURES)
  if (figures === undefined) return null
  const deadRows = await queries.rows<DeadRows>(DEAD_ROWS)
  return { ...figures, deadRows, largeIndexes: await queries.rows<IndexSize>(largeIndexes(large)) }
}
