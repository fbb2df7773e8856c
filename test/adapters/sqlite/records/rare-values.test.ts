import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf } from '../../../../adapters/sqlite/records/list-plan.ts'
import { sorts } from '../../../../adapters/sqlite/records/sorted.ts'
import { openStorage, type SqliteStorage } from '../../../../adapters/sqlite/storage.ts'
import { resources } from '../../../../core/resources/all.ts'
import { cdrs } from '../../../../core/resources/cdrs.ts'
import { indexed } from '../../../../core/resources/resource.ts'
import { manualClock } from '../../../support/clock.ts'
import { idsOf, insert } from '../../../support/data/rows.ts'
import { longestHold } from '../../../support/event-loop.ts'

const COUNT = 200_000

/** A storage with many calls, whose starts and costs are in no order of their ids. */
async function withMany(): Promise<SqliteStorage> {
  const storage = openStorage(':memory:', { clock: manualClock() })
  await insert(storage.records, 'tenants')
  await insert(storage.records, 'extensions')
  storage.connection.db
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO cdrs (tenant_id, extension_id, caller_number, destination_number, direction, disposition,
         duration_seconds, bill_seconds, cost, started_at, ended_at, created_at, updated_at)
       SELECT 1, 1, '101', '+4420' || i, 'outbound', iif(i = 7, 'RARE', 'ANSWERED'), 60, 60, (i * 7919) % 100003,
         printf('2026-01-%02dT%02d:00:00.000000Z', 1 + (i * 7) % 28, i % 24), NULL, 'x', 'x' FROM n`,
    )
    .run(COUNT)
  return storage
}

test('a search for a rare value without an index runs in steps that leave the event loop free', async () => {
  const storage = await withMany()
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

test('a list sorted by what has no index examines the records in steps, and shows the first of all of them', async () => {
  const storage = await withMany()
  const first = (way: string, after: string) =>
    storage.connection.value<[], number>(`SELECT id FROM cdrs ${after} ORDER BY cost ${way}, id ${way} LIMIT 200`).all()
  for (const isAscending of [false, true]) {
    const [sort, way] = [{ by: 'cost', isAscending }, isAscending ? 'ASC' : 'DESC']
    let found: readonly number[] = []
    const held = await longestHold(async () => {
      found = await idsOf(storage.records, 'cdrs', { limit: 200, sort })
    })
    assert.deepEqual(found, first(way, ''), way)
    assert.ok(held < 60, `the event loop was held for ${held.toFixed(1)} ms`)
    const last = found.at(-1) ?? 0
    const next = await idsOf(storage.records, 'cdrs', { limit: 200, sort, after: last })
    const beyond = `WHERE (cost, id) ${isAscending ? '>' : '<'} (SELECT cost, id FROM cdrs WHERE id = ${last})`
    assert.deepEqual(next, first(way, beyond), way)
  }
  await storage.close()
})

test('each order that is declared to have an index has one', async () => {
  const storage = openStorage(':memory:', { clock: manualClock() })
  for (const resource of resources)
    for (const by of indexed(resource))
      for (const isAscending of [false, true]) {
        const plan = planOf(storage.connection, resource, { view: 'list', sort: { by, isAscending } })
        assert.equal(sorts(plan), false, `${resource.name} by ${by}`)
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
