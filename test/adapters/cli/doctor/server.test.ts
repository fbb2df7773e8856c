import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../adapters/cli/doctor/service/server.ts'
import type { ServerFigures } from '../../../../core/ports/system.ts'

const WELL: ServerFigures = {
  connections: 12,
  maxConnections: 97,
  lockWaitSeconds: 0.2,
  replicas: 1,
  idleSlots: [],
  replicaLagBytes: 1e6,
  searchIndexBytes: 1e9,
  deadRows: [{ table: 'cdrs', dead: 2_000_000, live: 10_000_000 }],
  largeIndexes: [{ index: 'cdrs_search_1ae7c736', bytes: 1e9, freshBytes: 0.6e9 }],
}

const found = (figures: Partial<ServerFigures>): string[] =>
  [...findingsIn({ ...WELL, ...figures }, 'postgres://db.example.com/trunkline')].map(({ kind, finding, fix }) => {
    assert.match(fix, /^psql postgres:\/\/db\.example\.com\/trunkline -c '(?:SELECT|VACUUM|REINDEX) /)
    return `${kind}: ${finding}`
  })

test('a server that is well, or has no replica, has no findings', () => {
  assert.deepEqual(found({}), [])
  assert.deepEqual(found({ replicaLagBytes: null }), [])
})

test('few free connections, a long wait for a lock and a replica far behind are found, with a statement to see more', () => {
  assert.deepEqual(found({ connections: 80, lockWaitSeconds: 12.3, replicaLagBytes: 300e6 }), [
    'connections: 80 of the 97 connections of the database server are taken',
    'lock_wait: a statement has waited 12 s for a lock',
    'replica_lag: a replica is 300.0 MB behind',
  ])
})

test('a replication slot without its replica is found, since the log that is kept for it fills the disk', () => {
  assert.deepEqual(found({ idleSlots: ['replica_1'] }), [
    'replica_away: no replica is connected to the replication slot replica_1, for which the server keeps its log',
  ])
})

test('a table whose dead rows nobody clears away is found, with the command that does', () => {
  const deadRows = [
    { table: 'cdrs', dead: 5_000_000, live: 10_000_000 },
    { table: 'audit', dead: 40_000, live: 100 },
  ]
  assert.deepEqual(found({ deadRows }), ['dead_rows: the table cdrs has 5000000 dead rows beside 10000000 live ones'])
})

test('an index that takes several times what a new one would is found, with the command that builds it again', () => {
  const largeIndexes = [
    { index: 'cdrs_search_1ae7c736', bytes: 3e9, freshBytes: 0.5e9 },
    { index: 'cdrs_by_start', bytes: 0.4e9, freshBytes: 0 },
  ]
  assert.deepEqual(found({ largeIndexes }), [
    'index_bloat: the index cdrs_search_1ae7c736 takes 3000.0 MB, and would take about 500.0 MB if it were built again',
  ])
})
