import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raw, sql } from '../../../adapters/postgres/database/sql.ts'
import { allByIdsSql, planOf } from '../../../adapters/postgres/records/list-plan.ts'
import type { PostgresStorage } from '../../../adapters/postgres/storage.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { manualClock } from '../../support/clock.ts'
import { insert, listOf } from '../../support/data/rows.ts'
import { openEmptyByMonth } from '../../support/postgres/databases.ts'

const JANUARY = '2026-01-15T12:00:00.000000Z'
const FEBRUARY = '2026-02-15T12:00:00.000000Z'
const MARCH = '2026-03-15T12:00:00.000000Z'
const LONG_AGO = '1999-12-31T23:59:59.000000Z'

/** The columns of calls but for those that tell them apart. */
const COPIED = sql`SELECT attname FROM pg_attribute WHERE attrelid = 'cdrs'::regclass AND attnum > 0 AND NOT attisdropped
  AND attname NOT IN ('id', 'started_at')`

/** Stores a call for each start; returns their ids. */
async function calls({ records }: PostgresStorage, ...starts: readonly string[]): Promise<number[]> {
  const { id: tenant_id } = await insert(records, 'tenants')
  const ids: number[] = []
  for (const started_at of starts) ids.push((await insert(records, 'cdrs', { tenant_id, started_at })).id)
  return ids
}

const rate = ({ database }: PostgresStorage, id: number): Promise<number> =>
  database.single.run(sql`INSERT INTO cdr_ratings (cdr_id, source, switch_call_id, outcome)
    VALUES (${id}, 'asterisk', ${`call ${id}`}, 'no match')`)

const partOf = ({ database }: PostgresStorage, id: number): Promise<string | undefined> =>
  database.value<string>(sql`SELECT tableoid::regclass::text FROM cdrs WHERE id = ${id}`)

const rated = ({ database }: PostgresStorage): Promise<number[]> =>
  database.values<number>(sql`SELECT cdr_id FROM cdr_ratings ORDER BY 1`)

test('a call is in the partition of its month, and moves with its start, with its rating', async () => {
  const storage = await openEmptyByMonth(manualClock())
  const [january = 0, old = 0] = await calls(storage, JANUARY, LONG_AGO)
  await rate(storage, january)
  assert.equal(await partOf(storage, january), 'cdrs_2026_01')
  assert.equal(await partOf(storage, old), 'cdrs_other')
  await storage.records.update(cdrs, january, { started_at: FEBRUARY })
  assert.equal(await partOf(storage, january), 'cdrs_2026_02')
  assert.deepEqual(await rated(storage), [january])
  await storage.records.remove(cdrs, january, { cascade: false })
  assert.deepEqual(await rated(storage), [])
  await storage.close()
})

test('calls of several months are found in one read, and a deleted one is not', async () => {
  const storage = await openEmptyByMonth(manualClock())
  const ids = await calls(storage, JANUARY, FEBRUARY, MARCH, LONG_AGO, JANUARY)
  const [first = 0, gone = 0, ...others] = ids
  await storage.records.remove(cdrs, gone, { cascade: false })
  const asked = [first, gone, ...others, first]
  const found = await Promise.all(asked.map(id => storage.records.find(cdrs, id)))
  assert.deepEqual(
    found.map(row => row?.['id'] ?? null),
    [first, null, ...others, first],
  )
  assert.equal(JSON.parse((await storage.records.show(cdrs, first)) ?? '').tenant.id, found[0]?.['tenant_id'])
  await storage.close()
})

test('calls that a search has found are looked up one by one, in whatever month they are', async () => {
  const storage = await openEmptyByMonth(manualClock())
  const { database } = storage
  await calls(storage, JANUARY)
  const copied = (await database.values<string>(COPIED)).join()
  await database.session().run(sql`INSERT INTO cdrs (id, started_at, ${raw(copied)})
    SELECT 1000 + n, (ARRAY[${JANUARY}, ${FEBRUARY}, ${MARCH}])[1 + n % 3], ${raw(copied)}
    FROM (SELECT * FROM cdrs LIMIT 1) c, generate_series(1, 3000) n`)
  await database.session().run(raw('ANALYZE cdrs'))
  const plan = await planOf(database, cdrs, { view: 'plain' })
  const ids = Array.from({ length: 100 }, (_, place) => 4000 - 3 * place)
  const steps = await database.planned.values<string>(sql`EXPLAIN ${allByIdsSql(plan, ids)}`)
  assert.doesNotMatch(steps.join('\n'), /Seq Scan on cdrs_2026_0[123]/)
  const found = await database.planned.row<{ json: string; count: number }>(allByIdsSql(plan, [...ids, 999_999]))
  assert.deepEqual(
    JSON.parse(`[${found?.json}]`).map(({ id }: { id: number }) => id),
    ids,
  )
  await storage.close()
})

test('retention drops whole months with their ratings, and deletes the rest call by call', async () => {
  const storage = await openEmptyByMonth(manualClock())
  const [january = 0, february = 0, later = 0] = await calls(storage, JANUARY, FEBRUARY, '2026-02-20', LONG_AGO)
  for (const id of [january, february, later]) await rate(storage, id)
  assert.equal(await storage.retention.deleteBefore('cdrs', '2026-02-16T00:00:00.000000Z'), 3)
  assert.deepEqual(
    (await listOf(storage.records, 'cdrs')).map(call => call.id),
    [later],
  )
  assert.deepEqual(await rated(storage), [later])
  const tables = await storage.database.values<string>(
    sql`SELECT relname::text FROM pg_class WHERE relname ~ '^cdrs_(gone|2026_0[12])' AND relkind = 'r' ORDER BY 1`,
  )
  assert.deepEqual(tables, ['cdrs_2026_02'])
  await storage.close()
})

test('retention that was interrupted goes on with the months it had taken out', async () => {
  const storage = await openEmptyByMonth(manualClock())
  const [january = 0] = await calls(storage, JANUARY)
  await rate(storage, january)
  await storage.database.single.script('ALTER TABLE cdrs DETACH PARTITION cdrs_2026_01')
  await storage.database.single.script('ALTER TABLE cdrs_2026_01 RENAME TO cdrs_gone_2026_01')
  assert.equal(await storage.retention.deleteBefore('cdrs', MARCH), 1)
  assert.deepEqual(await rated(storage), [])
  await storage.close()
})

test('calls of a month without a partition are counted, and get one later', async () => {
  const storage = await openEmptyByMonth(manualClock())
  const start = '2024-05-05T05:05:05.000000Z'
  const [id = 0, old = 0] = await calls(storage, start, LONG_AGO)
  await rate(storage, id)
  const { unprepared, missing } = (await storage.maintenance.callMonths(MARCH)) ?? {}
  assert.deepEqual(unprepared, [
    { month: '1999-12', count: 1 },
    { month: '2024-05', count: 1 },
  ])
  assert.deepEqual(missing, [])
  assert.deepEqual((await storage.maintenance.callMonths('2026-06-01T00:00:00.000000Z'))?.missing.slice(0, 1), [
    '2026-07',
  ])
  await storage.retention.prepareMonths(MARCH)
  assert.equal(await partOf(storage, id), 'cdrs_2024_05')
  assert.equal(await partOf(storage, old), 'cdrs_other')
  assert.deepEqual(await rated(storage), [id])
  assert.equal((await listOf(storage.records, 'cdrs')).find(call => call.id === id)?.started_at, start)
  await storage.database.single.script('DROP TABLE cdrs_2024_05')
  await storage.close()
})
