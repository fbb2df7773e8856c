import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOREVER } from '../../core/rating/period.ts'
import { cdrs } from '../../core/resources/cdrs.ts'
import { idsOf, insert } from '../support/data/rows.ts'
import { execute } from '../support/data/stored.ts'
import { asteriskRow, inWorld, type SwitchWorld, taken } from '../support/data/switch.ts'
import { BUCKETED, onCitus } from '../support/storages.ts'

const NOWHERE = '0088123456'

/** A rated call, an unanswered one, two without a matching rate, one too expensive and one entered by hand. */
async function mixed(world: SwitchWorld): Promise<void> {
  const { records } = world.storage
  await insert(records, 'rates', { tenant_id: world.tenantId, prefix: '44', cost_per_minute: 9_000_000_000_000 })
  await taken(
    world,
    [
      asteriskRow({ id: '1' }),
      asteriskRow({ id: '2', seconds: 0, to: NOWHERE }),
      asteriskRow({ id: '3', to: NOWHERE, start: '2026-10-03 12:00:00' }),
      asteriskRow({ id: '4', to: NOWHERE, start: '2026-10-02 12:00:00' }),
      asteriskRow({ id: '5', to: '00441234567', seconds: 100_000_000, start: '2026-10-01 13:00:00' }),
    ].join(''),
  )
  await insert(records, 'cdrs', { tenant_id: world.tenantId, cost: 0 })
}

async function idsBySwitch(world: SwitchWorld, ...ids: string[]) {
  const calls = await world.calls()
  return ids.map(id => calls.find(({ switch_call_id }) => switch_call_id === `${id}/7`)?.id)
}

const BUCKET = onCitus ? 'bucket, ' : ''

/** Ratings without a rate, for this many calls older than all others. */
const addUnrated = ({ storage, tenantId }: SwitchWorld, count: number): Promise<void> =>
  execute(
    storage,
    `INSERT INTO cdrs (${BUCKETED.columns}tenant_id, caller_number, destination_number, direction, disposition, duration_seconds, bill_seconds,
      cost, started_at, created_at, updated_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    SELECT ${BUCKETED.values}${tenantId}, '101', '${NOWHERE}', 'outbound', 'ANSWERED', 60, 60, 0, '2025-01-01T00:00:00.000000Z', '', '' FROM n;
    INSERT INTO cdr_ratings (${BUCKET}cdr_id, source, switch_call_id, outcome)
    SELECT ${BUCKET}id, 'asterisk', 'many-' || id, 'no match' FROM cdrs WHERE started_at < '2026'`,
  )

async function assertUnrated(world: SwitchWorld): Promise<void> {
  const { records, bulk, calls } = world.storage
  const unrated = true
  const [three, four, five] = await idsBySwitch(world, '3', '4', '5')
  const period = { from: '2026-01-01T00:00:00.000000Z', to: FOREVER.to }
  assert.deepEqual(await idsOf(records, 'cdrs', { unrated, period }), [three, four, five])
  assert.deepEqual(await idsOf(records, 'cdrs', { unrated, limit: 2 }), [three, four])
  assert.deepEqual(await idsOf(records, 'cdrs', { unrated, limit: 1, after: three ?? 0 }), [four])
  assert.deepEqual(await idsOf(records, 'cdrs', { unrated, search: NOWHERE, period }), [three, four])
  assert.deepEqual(await idsOf(records, 'cdrs', { unrated, tenantId: world.tenantId, period }), [three, four, five])
  assert.deepEqual(await idsOf(records, 'cdrs', { unrated, where: { tenant_id: 99 } }), [])
  const sort = { by: 'duration_seconds', isAscending: false }
  assert.deepEqual(await idsOf(records, 'cdrs', { unrated, sort, limit: 1 }), [five])
  const dumped = async (of: { period?: typeof period }) => {
    const all = []
    for await (const page of bulk.dump(cdrs, ['destination_number', 'outcome'], { unrated, ...of })) all.push(...page)
    return all
  }
  assert.deepEqual(await dumped({ period }), [
    ['00441234567', 'too large'],
    [NOWHERE, 'no match'],
    [NOWHERE, 'no match'],
  ])
  assert.equal((await dumped({})).length, await calls.unratedCount())
}

test(
  'unrated calls are those that no rate matched or whose cost is too large, in lists, exports, searches and their count',
  inWorld(async world => {
    assert.equal(await world.storage.calls.unratedCount(), 0)
    assert.deepEqual(await idsOf(world.storage.records, 'cdrs', { unrated: true }), [])
    await mixed(world)
    assert.equal(await world.storage.calls.unratedCount(), 3)
    await assertUnrated(world)
  }),
)

test(
  'unrated calls are the same where there are many of them',
  inWorld(async world => {
    await mixed(world)
    await addUnrated(world, 12_000)
    assert.equal(await world.storage.calls.unratedCount(), 12_003)
    await assertUnrated(world)
  }),
)

test(
  'a call that a new rate matches is unrated no longer',
  inWorld(async world => {
    const { records, calls } = world.storage
    await mixed(world)
    await insert(records, 'rates', { tenant_id: world.tenantId, prefix: '88' })
    const options = { dryRun: false, sample: 0 }
    await calls.rerate({ ...FOREVER, tenantId: world.tenantId, unratedOnly: true }, options)
    assert.equal(await calls.unratedCount(), 1)
    assert.deepEqual(await idsOf(records, 'cdrs', { unrated: true }), await idsBySwitch(world, '5'))
  }),
)
