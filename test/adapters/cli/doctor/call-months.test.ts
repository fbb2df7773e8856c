import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, withoutMonths } from '../../../../adapters/cli/doctor/service/call-months.ts'

test('months without a partition are named, and calls in the default partition are counted', () => {
  const unprepared = [
    { month: '1999-12', count: 1 },
    { month: '2024-05', count: 2 },
  ]
  const found = [...findingsIn({ missing: ['2026-12', '2027-01'], unprepared })]
  assert.deepEqual(
    found.map(({ kind, fix }) => [kind, fix]),
    [
      ['partition_missing', 'trunkline serve'],
      ['default_partition', 'trunkline cdr list --month 1999-12'],
    ],
  )
  assert.match(found[0]?.finding ?? '', /2026-12, 2027-01/)
  assert.match(found[1]?.finding ?? '', /3 calls of 1999-12 to 2024-05/)
})

test('nothing is found while every month has its partition', () => {
  assert.deepEqual([...findingsIn({ missing: [], unprepared: [] })], [])
})

test('the setting is found to have no effect on a PostgreSQL database without partitions', () => {
  const kindsWith = (cdr_partitions: string, path: string) =>
    [...withoutMonths({ settings: { cdr_partitions }, path })].map(({ kind }) => kind)
  assert.deepEqual(kindsWith('month', 'postgres://a@b/c'), ['not_partitioned'])
  assert.deepEqual(kindsWith('off', 'postgres://a@b/c'), [])
  assert.deepEqual(kindsWith('month', 'data/trunkline.db'), [])
})
