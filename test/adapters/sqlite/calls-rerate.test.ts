import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { ingest } from '../../../adapters/pbx/ingest.ts'
import type { Rerated, RerateQuery } from '../../../core/ports/calls.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { rates } from '../../../core/resources/rates.ts'
import { insert } from '../../support/rows.ts'
import { asteriskRow, contentOf, inWorld, rules, type SwitchWorld } from '../../support/switch.ts'

const NUMBERS = ['00380501112233', '4930123456', '48221234567']

/** Calls of six hours, each hour one to each of the numbers, and one that was entered by hand. */
async function withCalls(world: SwitchWorld): Promise<void> {
  const rows = Array.from({ length: 18 }, (_, n) => {
    const start = `2026-10-01 1${Math.floor(n / 3)}:00:00`
    return asteriskRow({ id: `${n}`, to: NUMBERS[n % 3] ?? '', start, seconds: 60 + n })
  })
  const feed = { name: '-', rules: rules() }
  await ingest(Readable.from([Buffer.from(rows.join(''))]), { feed, format: 'auto' }, world.storage.calls)
  const of = { tenant_id: world.tenantId, destination_number: '4930123456' }
  await insert(world.storage.records, 'cdrs', { ...of, cost: 7, started_at: '2026-10-01T12:30:00.000000Z' })
}

const query = ({ tenantId }: SwitchWorld, more: Partial<RerateQuery> = {}): RerateQuery => ({
  ...FOREVER,
  tenantId,
  unratedOnly: false,
  ...more,
})

const history = ({ storage }: SwitchWorld) =>
  storage.connection.query<[], { cdr_id: number; cost: number; outcome: string; prefix: string | null }>(
    'SELECT cdr_id, cost, outcome, prefix FROM cdr_rating_history ORDER BY cdr_id',
  )

describe('rerating calls', () => {
  test(
    'changes nothing while the rates are what they were',
    inWorld(async world => {
      await withCalls(world)
      const before = contentOf(world.storage)
      const result = await world.storage.calls.rerate(query(world), { dryRun: false, sample: 9 })
      assert.deepEqual([result.examined, result.changed, result.stillUnrated], [18, 0, 12])
      assert.equal(result.oldCost, result.newCost)
      assert.deepEqual(contentOf(world.storage), before)
      assert.deepEqual(history(world).all(), [])
    }),
  )

  test(
    'does what the dry run said, keeps what was, and leaves calls entered by hand alone',
    inWorld(async world => {
      await withCalls(world)
      await insert(world.storage.records, 'rates', { tenant_id: world.tenantId, prefix: '49', cost_per_minute: 200 })
      await world.storage.records.update(rates, world.rateId, { cost_per_minute: 1000 })
      const before = contentOf(world.storage)
      const said = await world.storage.calls.rerate(query(world), { dryRun: true, sample: 100 })
      assert.deepEqual(contentOf(world.storage), before)
      const done = await world.storage.calls.rerate(query(world), { dryRun: false, sample: 100 })
      assert.deepEqual(done, said)
      assert.deepEqual([done.examined, done.changed, done.stillUnrated], [18, 12, 6])
      const costs = new Map(world.calls().map(({ id, cost }) => [id, cost]))
      for (const change of done.changes) assert.equal(costs.get(change.id), change.new.cost)
      const rated = world.calls().filter(({ source }) => source !== null)
      assert.equal(
        done.newCost,
        rated.reduce((sum, { cost }) => sum + cost, 0),
      )
      assert.deepEqual(
        history(world)
          .all()
          .map(({ cdr_id, cost, prefix }) => ({ id: cdr_id, cost, prefix })),
        done.changes.map(({ id, old }) => ({ id, cost: old.cost, prefix: old.prefix })).sort((a, b) => a.id - b.id),
      )
      assert.equal(world.calls().find(({ source }) => source === null)?.cost, 7)
      const again = await world.storage.calls.rerate(query(world), { dryRun: false, sample: 100 })
      assert.deepEqual([again.changed, again.oldCost], [0, done.newCost])
    }),
  )

  test(
    'takes unrated calls alone when told to, and calls of the period alone',
    inWorld(async world => {
      await withCalls(world)
      await insert(world.storage.records, 'rates', { tenant_id: world.tenantId, prefix: '49', cost_per_minute: 200 })
      await world.storage.records.update(rates, world.rateId, { cost_per_minute: 1000 })
      const period = { from: '2026-10-01T11:00:00.000000Z', to: '2026-10-01T13:00:00.000000Z' }
      const unrated = await world.storage.calls.rerate(query(world, { ...period, unratedOnly: true }), {
        ...{ dryRun: false, sample: 100 },
      })
      assert.deepEqual([unrated.examined, unrated.changed, unrated.stillUnrated], [4, 2, 2])
      assert.deepEqual(
        new Set(unrated.changes.map(({ started_at }) => started_at.slice(11, 13))),
        new Set(['11', '12']),
      )
      const all = await world.storage.calls.rerate(query(world, period), { dryRun: true, sample: 100 })
      assert.deepEqual([all.examined, all.changed], [6, 2])
    }),
  )

  test(
    'keeps the rate in force with a call that costs the same by it',
    inWorld(async world => {
      await withCalls(world)
      await world.storage.records.update(rates, world.rateId, { billing_increment: 120, prefix: '3805' })
      const { changes } = await world.storage.calls.rerate(query(world), { dryRun: false, sample: 100 })
      const same = changes.filter(({ old, new: now }) => old.cost === now.cost)
      assert.ok(same.length > 0)
      assert.deepEqual(new Set(world.calls().flatMap(({ prefix }) => prefix ?? [])), new Set(['3805']))
    }),
  )

  test(
    'goes through pages of calls that began at the same moment, each once',
    inWorld(async world => {
      const rows = Array.from({ length: 4_500 }, (_, n) => asteriskRow({ id: `${n}` })).join('')
      const feed = { name: '-', rules: rules() }
      await ingest(Readable.from([Buffer.from(rows)]), { feed, format: 'auto' }, world.storage.calls)
      await world.storage.records.update(rates, world.rateId, { cost_per_minute: 1000 })
      const result = await world.storage.calls.rerate(query(world), { dryRun: false, sample: 3 })
      assert.deepEqual([result.examined, result.changed, result.changes.length], [4_500, 4_500, 3])
      assert.equal(history(world).all().length, 4_500)
    }),
  )

  test(
    'hands over every change, of a dry run and of what was stored',
    inWorld(async world => {
      const rows = Array.from({ length: 4_500 }, (_, n) => asteriskRow({ id: `${n}` })).join('')
      const feed = { name: '-', rules: rules() }
      await ingest(Readable.from([Buffer.from(rows)]), { feed, format: 'auto' }, world.storage.calls)
      const gathered = async (dryRun: boolean): Promise<Rerated[]> => {
        const all: Rerated[] = []
        const onChanges = async (changes: readonly Rerated[]): Promise<void> => {
          assert.ok(changes.length <= 2_000, 'so many are held')
          assert.equal(history(world).all().length % 4_500, 0, 'all is stored, or nothing')
          all.push(...changes)
        }
        await world.storage.calls.rerate(query(world), { dryRun, sample: 0, onChanges })
        return all
      }
      await world.storage.records.update(rates, world.rateId, { cost_per_minute: 1000 })
      await gathered(false)
      await world.storage.records.update(rates, world.rateId, { cost_per_minute: 2000 })
      const said = await gathered(true)
      assert.equal(said.length, 4_500)
      assert.deepEqual([said[0]?.old.cost, said[0]?.new.cost], [2000, 4000])
      assert.deepEqual(await gathered(false), said)
      assert.deepEqual(await gathered(false), [])
    }),
  )

  test(
    'shows the costs that were edited by hand since they were rated',
    inWorld(async world => {
      await withCalls(world)
      const [first, , third] = world.calls().filter(({ prefix }) => prefix === '380')
      assert.ok(first && third)
      for (const { id } of [first, third]) await world.storage.records.update(cdrs, id, { cost: 5 })
      await world.storage.records.update(rates, world.rateId, { cost_per_minute: 1000 })
      const { changes, changed, editedByHand } = await world.storage.calls.rerate(query(world), {
        ...{ dryRun: true, sample: 100 },
      })
      assert.ok(changed > 2)
      assert.equal(editedByHand, 2)
      assert.deepEqual(
        new Set(changes.filter(each => each.editedByHand).map(({ id }) => id)),
        new Set([first.id, third.id]),
      )
    }),
  )

  test(
    'of a tenant that is not there is refused',
    inWorld(async world => {
      const { calls } = world.storage
      await assert.rejects(calls.rerate(query(world, { tenantId: 99 }), { dryRun: true, sample: 1 }), /not found/)
    }),
  )
})
