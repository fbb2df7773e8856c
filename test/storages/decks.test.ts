import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ALL_ALONG } from '../../core/rating/deck-times.ts'
import { tenants } from '../../core/resources/tenants.ts'
import { replaceDeck } from '../support/cli/replace-deck.ts'
import { inShort, later, storedRates } from '../support/data/decks.ts'
import { columnOf } from '../support/data/stored.ts'
import { inWorld, type SwitchWorld } from '../support/data/switch.ts'

// The world's clock shows noon of 1 March 2026.
const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T00:00:00.000000Z`

const shortRates = async ({ storage, tenantId }: SwitchWorld): Promise<string[]> =>
  inShort(await storedRates(storage, tenantId))

/** The tenant's decks: id, state, the day it takes effect and the number of rates. */
const decksOf = async ({ storage, tenantId }: SwitchWorld): Promise<string[]> =>
  (await storage.decks.list({ tenantId, all: true })).map(
    ({ id, state, effectiveAt, rates }) =>
      `${id} ${state} ${effectiveAt === ALL_ALONG ? '-' : effectiveAt.slice(0, 10)} ${rates}`,
  )

const auditOf = async ({ storage }: Pick<SwitchWorld, 'storage'>, action: string): Promise<unknown[]> =>
  (await columnOf(storage, `SELECT changes FROM audit WHERE action = '${action}' ORDER BY id`)).map(text =>
    JSON.parse(String(text)),
  )

const asideOf = async ({ storage }: SwitchWorld): Promise<number[]> =>
  (await columnOf(storage, 'SELECT count(*) FROM deck_rates GROUP BY deck_id ORDER BY deck_id')).map(Number)

describe('a deck that takes effect later', () => {
  it(
    'is put in force once its moment has come, with what it changes in the audit trail',
    inWorld(async world => {
      const { storage, tenantId, rateId } = world
      await replaceDeck(
        storage,
        tenantId,
        [
          ['49', 1],
          ['380', 5],
        ],
        day(2),
      )
      const [applied] = await later(world.db, day(2), ({ decks }) => decks.putInForce())
      assert.deepEqual([applied?.created, applied?.updated, applied?.removed], [1, 1, 0])
      assert.deepEqual(await shortRates(world), [`${rateId} 380 5`, `${rateId + 1} 49 1`])
      assert.deepEqual(await decksOf(world), ['2 past - 1', '1 in force 2026-03-02 2'])
      assert.deepEqual(await auditOf(world, 'apply'), [
        { deck: 1, tenant_id: tenantId, file: 'deck.csv', created: 1, updated: 1, unchanged: 0, removed: 0 },
      ])
      assert.equal(await storage.decks.nextMoment(), null)
      assert.deepEqual(await asideOf(world), [1], 'only the rates of before are kept aside')
    }),
  )

  it(
    'is put in force once, however many try at the same time',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['49', 1]], day(2))
      const tries = Array.from({ length: 5 }, () => later(world.db, day(3), ({ decks }) => decks.putInForce()))
      assert.equal((await Promise.all(tries)).flat().length, 1)
      assert.equal((await auditOf(world, 'apply')).length, 1)
      assert.equal((await storedRates(storage, tenantId)).length, 1)
    }),
  )

  it(
    'can be cancelled until then, and not after',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 5]], day(2))
      await replaceDeck(storage, tenantId, [['380', 6]], day(3))
      assert.equal((await storage.decks.cancel(1)).effectiveAt, day(2))
      await later(world.db, day(4), ({ decks }) => decks.putInForce())
      assert.deepEqual(
        (await storedRates(storage, tenantId)).map(({ cost_per_minute }) => cost_per_minute),
        [6],
      )
      assert.deepEqual((await auditOf(world, 'apply')).length, 1)
      await assert.rejects(storage.decks.cancel(2), { code: 'conflict' })
      await assert.rejects(storage.decks.cancel(99), { code: 'not_found' })
      assert.deepEqual(await asideOf(world), [1])
    }),
  )

  it(
    'goes with its tenant, with all that is kept aside',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 5]])
      await replaceDeck(storage, tenantId, [['380', 6]], day(2))
      await storage.records.remove(tenants, tenantId, { cascade: true })
      assert.deepEqual([await storage.decks.list({ all: true }), await asideOf(world)], [[], []])
    }),
  )
})

describe('a deck that was replaced', () => {
  it(
    'is forgotten once that is long ago, in steps, and no other is',
    inWorld(async world => {
      const { storage, tenantId } = world
      const large = Array.from({ length: 1_200 }, (_, n): [string, number] => [`9${n}`, 1])
      await replaceDeck(storage, tenantId, large)
      await later(world.db, day(5), other => replaceDeck(other, tenantId, [['380', 2]]))
      await later(world.db, day(9), other => replaceDeck(other, tenantId, [['380', 3]]))
      assert.equal(await storage.decks.forget(day(3)), 1, 'that of before the first one')
      assert.deepEqual(await asideOf(world), [1_200, 1])
      assert.equal(await storage.decks.forget(day(6)), 1)
      assert.equal(await storage.decks.forget(day(6)), 0)
      assert.deepEqual(await decksOf(world), [
        '1 forgotten - 1',
        '2 forgotten 2026-03-01 1200',
        '3 past 2026-03-05 1',
        '4 in force 2026-03-09 1',
      ])
      assert.deepEqual(await asideOf(world), [1])
      assert.deepEqual(await storage.maintenance.check(), [])
    }),
  )

  it(
    'is forgotten completely, even if that was interrupted',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(
        storage,
        tenantId,
        Array.from({ length: 1_200 }, (_, n): [string, number] => [`9${n}`, 1]),
      )
      await later(world.db, day(5), other => replaceDeck(other, tenantId, [['380', 2]]))
      const stopped = AbortSignal.abort()
      assert.equal(await storage.decks.forget(day(6), stopped), 2)
      assert.deepEqual(await asideOf(world), [1, 1_200])
      assert.equal(await storage.decks.forget(day(6)), 0)
      assert.deepEqual(await asideOf(world), [])
    }),
  )
})
