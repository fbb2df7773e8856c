import { citus } from '../../adapters/citus/citus.ts'
import { connect } from '../../adapters/postgres/database/database.ts'
import { raw } from '../../adapters/postgres/database/sql.ts'
import { openStorage, type PostgresStorage } from '../../adapters/postgres/storage.ts'
import type { ManualClock } from './clock.ts'

/** The address of a cluster's coordinator, with a database whose name holds "test": the tests empty it. */
export const CLUSTER = 'TRUNKLINE_TEST_CITUS'
const LEAST_WORKERS = 2

/** The address in the environment. Throws, with advice, if there is none for tests. */
export function clusterAddress(): string {
  const address = process.env[CLUSTER] ?? ''
  if (!/^citus:\/\/[^?]*\/[^/?]*test[^/?]*(?:\?|$)/.test(address))
    throw new Error(
      `${CLUSTER} must be the address of a coordinator and of a database for tests, such as citus://trunkline@127.0.0.1/trunkline_test; its tables are emptied.`,
    )
  return address
}

/** Throws if there is no cluster with enough workers. */
export async function assertCluster(): Promise<void> {
  const database = connect(clusterAddress(), citus)
  try {
    const workers = (await database.value<number>(raw('SELECT count(*) FROM citus_get_active_worker_nodes()'))) ?? 0
    if (workers < LEAST_WORKERS)
      throw new Error(`The cluster needs ${LEAST_WORKERS} workers for the tests, and has ${workers}.`)
  } finally {
    await database.close()
  }
}

const EMPTY = `DO $$ DECLARE name text; BEGIN
  DELETE FROM cdrs;
  PERFORM set_config('session_replication_role', 'replica', true);
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
    AND tablename NOT IN ('schema_version', 'cdrs', 'cdr_ratings', 'cdr_rating_history')
    LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL
    LOOP PERFORM setval(name::regclass, 1, false); END LOOP; END $$`

/** An empty storage of the present schema on the cluster. */
export async function openEmptyCluster(clock: ManualClock): Promise<PostgresStorage> {
  const storage = await openStorage(clusterAddress(), { clock, create: true, migrate: true }, citus)
  await storage.database.script(EMPTY)
  return storage
}
