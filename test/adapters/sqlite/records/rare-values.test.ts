import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf } from '../../../../adapters/sqlite/records/list-plan.ts'
import { sorts } from '../../../../adapters/sqlite/records/sorted.ts'
import { openStorage } from '../../../../adapters/sqlite/storage.ts'
import { cdrs } from '../../../../core/resources/cdrs.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'
import { longestHold } from '../../../support/event-loop.ts'

const COUNT = 200_000

test('a search for a rare value without an index runs in steps that leave the event loop free', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  await insert(storage.records, 'tenants')
  await insert(storage.records, 'extensions')
  storage.connection.db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO cdrs (tenant_id, extension_id, caller_number, destination_number, direction, disposition,
         duration_seconds, bill_seconds, cost, started_at, ended_at, created_at, updated_at)
       SELECT 1, 1, '101', '+4420' || i, 'outbound', iif(i = 7, 'RARE', 'ANSWERED'), 60, 60, i,
         printf('2026-01-%02dT%02d:00:00.000000Z', 1 + (i * 7) % 28, i % 24), NULL, 'x', 'x' FROM n`,
    )
    .run(COUNT)
  const where = { disposition: 'RARE' }
  const selections = [{ where }, { where: { disposition: ['RARE', 'RARER'] } }]
  for (const selection of selections) {
    const found: number[] = []
    const held = await longestHold(async () => {
      for await (const page of storage.records.list(cdrs, { view: 'list', limit: 200, ...selection }))
        found.push(page.count)
      found.push(await storage.records.countUpTo(cdrs, selection, 10_001))
    })
    assert.deepEqual(found, [1, 1], JSON.stringify(selection))
    assert.ok(held < 60, `the event loop was held for ${held.toFixed(1)} ms`)
  }
  await storage.close()
})

test('a list by a value without an index walks the index of its order, and sorts only where there is none', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  const plan = (by: string) =>
    planOf(storage.connection, cdrs, {
      view: 'list',
      where: { disposition: 'ANSWERED' },
      sort: { by, isAscending: false },
    })
  assert.equal(sorts(plan('started_at')), false)
  assert.equal(sorts(plan('cost')), true)
  await storage.close()
})
