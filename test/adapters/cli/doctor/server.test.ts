import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../adapters/cli/doctor/service/server.ts'
import type { ServerFigures } from '../../../../core/ports/system.ts'

const WELL: ServerFigures = {
  connections: 12,
  maxConnections: 97,
  lockWaitSeconds: 0.2,
  replicaLagBytes: 1e6,
  searchIndexBytes: 1e9,
}

const found = (figures: Partial<ServerFigures>): string[] =>
  [...findingsIn({ ...WELL, ...figures }, 'postgres://db.example.com/trunkline')].map(({ kind, finding, fix }) => {
    assert.match(fix, /^psql postgres:\/\/db\.example\.com\/trunkline -c 'SELECT /)
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
