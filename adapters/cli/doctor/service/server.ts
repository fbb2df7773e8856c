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

/** Checks the connections, locks and replicas of a database server. */
export const server: Check = {
  about: 'the database server: its connections, locks and replicas',
  async *examine(patient) {
    const { server: figures } = await (await patient.open()).maintenance.statistics()
    if (figures) yield* findingsIn(figures, patient.path)
  },
}

/** What is wrong with the server at that address. */
export function* findingsIn(figures: ServerFigures, path: string): Iterable<Finding> {
  const { connections, maxConnections, lockWaitSeconds, replicaLagBytes } = figures
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
  if (replicaLagBytes !== null && replicaLagBytes >= FAR_BEHIND)
    yield {
      kind: 'replica_lag',
      finding: `a replica is ${megabytes(replicaLagBytes)} behind`,
      fix: onServer({ path }, REPLICAS),
    }
}
