import assert from 'node:assert/strict'
import type { Rerated, RerateQuery } from '../../../core/ports/calls.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { rates } from '../../../core/resources/rates.ts'
import { insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'
import { acme, completedCall, SWITCH_PORTS, type SwitchPorts, storedCalls, taken } from './switch.ts'

export const reratingContract = contract('rating calls again', SWITCH_PORTS)
const { behaviour } = reratingContract

const NUMBERS = ['00380501112233', '4930123456', '48221234567']

/** Acme with calls over six hours, each hour one to each number, and one entered by hand. */
async function withCalls(ports: SwitchPorts) {
  const world = await acme(ports)
  const calls = Array.from({ length: 18 }, (_, n) =>
    completedCall({
      switchCallId: `${n}`,
      destinationNumber: NUMBERS[n % 3] ?? '',
      start: `2026-10-01 1${Math.floor(n / 3)}:00:00`,
      answeredSeconds: 60 + n,
    }),
  )
  await taken(ports, calls)
  const of = { tenant_id: world.tenantId, destination_number: '4930123456' }
  await insert(ports.records, 'cdrs', { ...of, cost: 7, started_at: '2026-10-01T12:30:00.000000Z' })
  return world
}

/** Acme with more calls than are rated at once, all of the same moment. */
async function withMany(ports: SwitchPorts, count: number) {
  const world = await acme(ports)
  await taken(
    ports,
    Array.from({ length: count }, (_, n) => completedCall({ switchCallId: `${n}` })),
  )
  return world
}

const query = (tenantId: number, more: Partial<RerateQuery> = {}): RerateQuery => ({
  ...FOREVER,
  tenantId,
  unratedOnly: false,
  ...more,
})

/** Creates a rate for 49, and changes that of 380. */
async function changeRates({ records }: SwitchPorts, { tenantId, rateId }: Awaited<ReturnType<typeof acme>>) {
  await insert(records, 'rates', { tenant_id: tenantId, prefix: '49', cost_per_minute: 200 })
  await records.update(rates, rateId, { cost_per_minute: 1000 })
}

behaviour('changes nothing while the rates are unchanged', async ports => {
  const { tenantId } = await withCalls(ports)
  const before = await storedCalls(ports)
  const result = await ports.calls.rerate(query(tenantId), { dryRun: false, sample: 9 })
  assert.deepEqual([result.examined, result.changed, result.stillUnrated], [18, 0, 12])
  assert.equal(result.oldCost, result.newCost)
  assert.deepEqual(await storedCalls(ports), before)
  for (const { id } of before) assert.ok((await ports.calls.ratings(id)).length < 2)
})

behaviour(
  'does what the dry run showed, keeps the former ratings, and leaves calls entered by hand unchanged',
  async ports => {
    const world = await withCalls(ports)
    await changeRates(ports, world)
    const before = await storedCalls(ports)
    const said = await ports.calls.rerate(query(world.tenantId), { dryRun: true, sample: 100 })
    assert.deepEqual(await storedCalls(ports), before)
    const done = await ports.calls.rerate(query(world.tenantId), { dryRun: false, sample: 100 })
    assert.deepEqual(done, said)
    assert.deepEqual([done.examined, done.changed, done.stillUnrated], [18, 12, 6])
    const after = await storedCalls(ports)
    const costs = new Map(after.map(({ id, units }) => [id, units]))
    for (const { id, old, new: now } of done.changes) {
      assert.equal(costs.get(id), now.cost)
      const [former, present, ...others] = await ports.calls.ratings(id)
      assert.deepEqual([former?.cost, former?.prefix, present?.cost, others], [old.cost, old.prefix, now.cost, []])
      assert.ok(former?.replaced_at && present?.replaced_at === null)
    }
    const rated = after.filter(({ source }) => source !== null)
    assert.equal(
      done.newCost,
      rated.reduce((sum, { units }) => sum + units, 0),
    )
    assert.equal(after.find(({ source }) => source === null)?.units, 7)
    const again = await ports.calls.rerate(query(world.tenantId), { dryRun: false, sample: 100 })
    assert.deepEqual([again.changed, again.oldCost], [0, done.newCost])
  },
)

behaviour('takes only unrated calls if asked to, and only calls of the period', async ports => {
  const world = await withCalls(ports)
  await changeRates(ports, world)
  const period = { from: '2026-10-01T11:00:00.000000Z', to: '2026-10-01T13:00:00.000000Z' }
  const asked = query(world.tenantId, { ...period, unratedOnly: true })
  const unrated = await ports.calls.rerate(asked, { dryRun: false, sample: 100 })
  assert.deepEqual([unrated.examined, unrated.changed, unrated.stillUnrated], [4, 2, 2])
  assert.deepEqual(new Set(unrated.changes.map(({ started_at }) => started_at.slice(11, 13))), new Set(['11', '12']))
  const all = await ports.calls.rerate(query(world.tenantId, period), { dryRun: true, sample: 100 })
  assert.deepEqual([all.examined, all.changed], [6, 2])
})

behaviour('keeps the rate in force with a call that costs the same by it', async ports => {
  const { tenantId, rateId } = await withCalls(ports)
  await ports.records.update(rates, rateId, { billing_increment: 120, prefix: '3805' })
  const { changes } = await ports.calls.rerate(query(tenantId), { dryRun: false, sample: 100 })
  assert.ok(changes.some(({ old, new: now }) => old.cost === now.cost))
  const prefixes = (await storedCalls(ports)).flatMap(({ prefix }) => prefix ?? [])
  assert.deepEqual(new Set(prefixes), new Set(['3805']))
})

behaviour('passes on every change, of a dry run and of stored ones, some at a time', async ports => {
  const { tenantId, rateId } = await withMany(ports, 2_500)
  const gathered = async (dryRun: boolean): Promise<Rerated[]> => {
    const all: Rerated[] = []
    const onChanges = async (changes: readonly Rerated[]): Promise<void> => {
      assert.ok(changes.length <= 2_000, 'so many are held')
      const ratings = await ports.calls.ratings(changes.at(-1)?.id ?? 0)
      assert.equal(ratings.length, dryRun ? 1 : 2, 'all is stored by then, or nothing')
      all.push(...changes)
    }
    const { changed, changes } = await ports.calls.rerate(query(tenantId), { dryRun, sample: 3, onChanges })
    assert.deepEqual([changed, changes], [all.length, all.slice(0, 3)])
    return all
  }
  await ports.records.update(rates, rateId, { cost_per_minute: 1000 })
  const said = await gathered(true)
  assert.equal(new Set(said.map(({ id }) => id)).size, 2_500)
  assert.deepEqual([said[0]?.old.cost, said[0]?.new.cost], [246, 2000])
  assert.deepEqual(await gathered(false), said)
  assert.deepEqual(await gathered(false), [])
})

behaviour('reports costs that were edited by hand since they were rated', async ports => {
  const { tenantId, rateId } = await withCalls(ports)
  const [first, , third] = (await storedCalls(ports)).filter(({ prefix }) => prefix === '380')
  assert.ok(first && third)
  for (const { id } of [first, third]) await ports.records.update(cdrs, id, { cost: 5 })
  await ports.records.update(rates, rateId, { cost_per_minute: 1000 })
  const result = await ports.calls.rerate(query(tenantId), { dryRun: true, sample: 100 })
  assert.ok(result.changed > 2)
  assert.equal(result.editedByHand, 2)
  assert.deepEqual(
    new Set(result.changes.filter(each => each.editedByHand).map(({ id }) => id)),
    new Set([first.id, third.id]),
  )
})

behaviour('makes a call that a new rate matches unrated no longer', async ports => {
  const { tenantId } = await withCalls(ports)
  assert.equal(await ports.calls.unratedCount(), 12)
  await insert(ports.records, 'rates', { tenant_id: tenantId, prefix: '49' })
  await ports.calls.rerate(query(tenantId, { unratedOnly: true }), { dryRun: false, sample: 0 })
  assert.equal(await ports.calls.unratedCount(), 6)
})

behaviour('is refused for a missing tenant', async ({ calls }) => {
  await assert.rejects(calls.rerate(query(99), { dryRun: true, sample: 1 }), { code: 'not_found' })
})
