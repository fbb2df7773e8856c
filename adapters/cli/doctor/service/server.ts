import type { ServerFigures } from '../../../../core/ports/system.ts'
import { megabytes } from '../../commands/service/service-commands.ts'
import type { Check, Finding } from '../check.ts'
import { onServer } from './damage.ts'

/** Of the connections that the server allows. */
const MANY = 0.8
const LONG_SECONDS = 10
const FAR_BEHIND = 256e6

const BY_PROGRAM = 'SELECT usename, application_name, count(*) FROM pg_stat_activity GROUP BY 1, 2'
const BLOCKING =
  'SELECT pid, usename, state, left(query, 60) FROM pg_stat_activity WHERE pid IN (SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity)'
const REPLICAS = 'SELECT application_name, state, replay_lag FROM pg_stat_replication'
const SLOTS = 'SELECT slot_name, active, restart_lsn, wal_status FROM pg_replication_slots'

/** The server clears dead rows away from a fifth of the others on: twice as many say that it does not. */
const NEGLECTED = { share: 0.4, rows: 50_000 }
/** Beyond what searches and growth explain: a search index may have 256 MB that wait to be sorted in. */
const BLOATED = { times: 4, bytes: 512e6 }

/** Checks the connections, locks, replicas and neglected tables of a database server. */
export const server: Check = {
  about: 'the database server: its connections, locks, replicas, dead rows and indexes',
  async *examine(patient) {
    const { server: figures } = await (await patient.open()).maintenance.statistics()
    if (figures) yield* findingsIn(figures, patient.path)
  },
}

/** What is wrong with the server at that address. */
export function* findingsIn(figures: ServerFigures, path: string): Iterable<Finding> {
  const { connections, maxConnections, lockWaitSeconds, deadRows, largeIndexes } = figures
  if (connections >= MANY * maxConnections)
    yield {
      kind: 'connections',
      finding: `${connections} of the ${maxConnections} connections of the database server are taken`,
      fix: onServer({ path }, BY_PROGRAM),
    }
  if (lockWaitSeconds >= LONG_SECONDS)
    yield {
      kind: 'lock_wait',
      finding: `a statement has waited ${Math.round(lockWaitSeconds)} s for a lock`,
      fix: onServer({ path }, BLOCKING),
    }
  yield* replicaFindings(figures, path)
  for (const { table, dead, live } of deadRows)
    if (dead >= NEGLECTED.rows + NEGLECTED.share * live)
      yield {
        kind: 'dead_rows',
        finding: `the table ${table} has ${dead} dead rows beside ${live} live ones`,
        fix: onServer({ path }, `VACUUM (ANALYZE) ${table}`),
      }
  for (const { index, bytes, freshBytes } of largeIndexes)
    if (bytes >= BLOATED.bytes && bytes >= BLOATED.times * freshBytes)
      yield {
        kind: 'index_bloat',
        finding: `the index ${index} takes ${megabytes(bytes)}, and would take about ${megabytes(freshBytes)} if it were built again`,
        fix: onServer({ path }, `REINDEX INDEX CONCURRENTLY ${index}`),
      }
}

function* replicaFindings({ idleSlots, replicaLagBytes }: ServerFigures, path: string): Iterable<Finding> {
  for (const slot of idleSlots)
    yield {
      kind: 'replica_away',
      finding: `no replica is connected to the replication slot ${slot}, for which the server keeps its log`,
      fix: onServer({ path }, SLOTS),
    }
  if (replicaLagBytes !== null && replicaLagBytes >= FAR_BEHIND)
    yield {
      kind: 'replica_lag',
      finding: `a replica is ${megabytes(replicaLagBytes)} behind`,
      fix: onServer({ path }, idleSlots.length > 0 ? SLOTS : REPLICAS),
    }
}
