import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { catalogs } from '../../../adapters/sqlite/catalogs.ts'
import type { Connection } from '../../../adapters/sqlite/database.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import { rates } from '../../../core/resources/rates.ts'
import { later, replaceDeck, storedRates } from '../../support/decks.ts'
import { insert } from '../../support/rows.ts'
import { asteriskRow, inWorld, replayed, type SwitchWorld, stored, taken } from '../../support/switch.ts'

// The world's clock stands at noon of 1 March 2026; 380 costs 0.0123 a minute there, by 60 seconds.
const NOON = '2026-03-01 12:00:00'
const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T00:00:00.000000Z`

/** Takes in a call of a minute to 380 that starts then, and says what it costs. */
const costAt = async (world: SwitchWorld, start: string, id: string): Promise<number | undefined> =>
  (await stored(world, { id, start, seconds: 60 }))?.cost

/** What each call costs, in the order of their ids. */
const costs = (world: SwitchWorld): number[] => world.calls().map(({ cost }) => cost)

const rerate = ({ storage, tenantId }: SwitchWorld) =>
  storage.calls.rerate({ ...FOREVER, tenantId, unratedOnly: false }, { dryRun: false, sample: 9 })

describe('a call', () => {
  it(
    'is rated by the deck that was in force when it started, however late its record comes',
    inWorld(async world => {
      await replaceDeck(world.storage, world.tenantId, [['380', 500]])
      assert.equal(await costAt(world, '2026-03-01 11:59:59', '1'), 123)
      assert.equal(await costAt(world, '2026-03-01 12:00:01', '2'), 500)
    }),
  )

  it(
    'that starts at the very moment is of the new deck',
    inWorld(async world => {
      await replaceDeck(world.storage, world.tenantId, [['380', 500]], day(2))
      assert.equal(await costAt(world, '2026-03-01 23:59:59', '1'), 123)
      assert.equal(await costAt(world, '2026-03-02 00:00:00', '2'), 500)
    }),
  )

  it(
    'is rated by the new deck before that has been put in force, and gets the ids of its rates then',
    inWorld(async world => {
      const { storage, tenantId, rateId } = world
      await replaceDeck(
        storage,
        tenantId,
        [
          ['380', 500],
          ['49', 700],
        ],
        day(2),
      )
      assert.equal(await costAt(world, '2026-03-02 08:00:00', '1'), 500)
      const { cost, rate_id, prefix } =
        (await stored(world, { id: '2', start: '2026-03-02 08:00:00', to: '4930', seconds: 60 })) ?? {}
      assert.deepEqual([cost, rate_id, prefix], [700, null, '49'])
      await later(world.path, day(3), ({ decks }) => decks.putInForce())
      assert.deepEqual(
        world.calls().map(({ rate_id }) => rate_id),
        [rateId, storedRates(storage, tenantId).at(-1)?.id],
      )
      assert.equal((await rerate(world)).changed, 0)
    }),
  )

  it(
    'that was put aside is rated by the deck of its time when it is replayed',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 500]])
      await taken(world, asteriskRow({ accountcode: 'late', start: '2026-03-01 11:00:00', seconds: 60 }))
      await storage.writer.write(() => storage.connection.db.exec(`UPDATE tenants SET slug = 'late'`))
      assert.equal(await replayed(storage.calls), 1)
      assert.deepEqual(costs(world), [123])
    }),
  )

  it(
    'of a time whose rates are not kept is stored without a cost, and those that are rated keep theirs',
    inWorld(async world => {
      const { storage, tenantId } = world
      await costAt(world, NOON, '1')
      await replaceDeck(storage, tenantId, [['380', 500]], day(2))
      await later(world.path, day(3), ({ decks }) => decks.putInForce())
      await storage.decks.forget(day(4))
      assert.deepEqual([await costAt(world, NOON, '2'), world.calls()[1]?.outcome], [0, 'no match'])
      const { examined, withoutDeck, changed } = await rerate(world)
      assert.deepEqual([examined, withoutDeck, changed], [0, 2, 0])
      assert.deepEqual(costs(world), [123, 0])
    }),
  )
})

describe('rating calls again', () => {
  const twoCalls = async (world: SwitchWorld): Promise<void> => {
    await costAt(world, '2026-03-01 11:00:00', '1')
    await replaceDeck(world.storage, world.tenantId, [['380', 500]])
    await costAt(world, '2026-03-01 13:00:00', '2')
  }

  it(
    'changes nothing when a deck has taken effect since',
    inWorld(async world => {
      await twoCalls(world)
      const { examined, changed } = await rerate(world)
      assert.deepEqual([examined, changed], [2, 0])
    }),
  )

  it(
    'goes by what was corrected of the present deck for its calls alone',
    inWorld(async world => {
      await twoCalls(world)
      await world.storage.records.update(rates, world.rateId, { cost_per_minute: 600 })
      await rerate(world)
      assert.deepEqual(costs(world), [123, 600])
      await world.storage.records.remove(rates, world.rateId, { cascade: false })
      const { stillUnrated } = await rerate(world)
      assert.deepEqual([costs(world), stillUnrated], [[123, 0], 1])
    }),
  )

  it(
    'goes by a whole deck that was put in the place of the present one, of a past one, or between two',
    inWorld(async world => {
      const { storage, tenantId } = world
      await later(world.path, day(5), other => replaceDeck(other, tenantId, [['380', 500]], day(5)))
      for (const number of [2, 4, 6]) await costAt(world, `2026-03-0${number} 12:00:00`, String(number))
      assert.deepEqual(costs(world), [123, 123, 500])
      const at = (effectiveAt: string, price: number) =>
        later(world.path, day(7), async other => replaceDeck(other, tenantId, [['380', price]], effectiveAt))
      await at(day(5), 501)
      await rerate(world)
      assert.deepEqual(costs(world), [123, 123, 501])
      await at(day(3), 200)
      await rerate(world)
      assert.deepEqual(costs(world), [123, 200, 501])
      await at(day(3), 201)
      await rerate(world)
      assert.deepEqual(costs(world), [123, 201, 501])
      assert.deepEqual(new Set(world.calls().map(({ rate_id }) => rate_id)), new Set([world.rateId]))
      assert.deepEqual(
        storedRates(storage, tenantId).map(({ cost_per_minute }) => cost_per_minute),
        [501],
      )
    }),
  )

  it(
    'in a dry run says what it would come to by each deck',
    inWorld(async world => {
      await twoCalls(world)
      await world.storage.records.update(rates, world.rateId, { cost_per_minute: 600 })
      const { tenantId } = world
      const query = { ...FOREVER, tenantId, unratedOnly: false }
      const { changes, oldCost, newCost } = await world.storage.calls.rerate(query, { dryRun: true, sample: 9 })
      assert.deepEqual(
        changes.map(({ old, new: now }) => [old.cost, now.cost]),
        [[500, 600]],
      )
      assert.deepEqual([oldCost, newCost], [623, 723])
    }),
  )
})

describe('unrated calls', () => {
  it(
    'of two decks are distinguished, so that each is looked for in its own',
    inWorld(async world => {
      const { storage, tenantId } = world
      for (const [id, start] of [
        ['1', '2026-03-01 11:00:00'],
        ['2', '2026-03-01 11:30:00'],
        ['3', '2026-03-01 13:00:00'],
      ] as const)
        await taken(world, asteriskRow({ id, start, to: '4930', seconds: 60 }))
      await replaceDeck(storage, tenantId, [['49', 500]])
      const found = await storage.calls.unratedDestinations(tenantId, FOREVER)
      assert.deepEqual(found.map(({ calls, startedAt }) => [calls, startedAt.slice(11, 13)]).sort(), [
        [1, '13'],
        [2, '11'],
      ])
    }),
  )
})

/** A connection that counts how often rates that are kept aside are read. */
function countingReads(connection: Connection): { connection: Connection; reads: () => number } {
  let count = 0
  const rows: Connection['rows'] = sql => {
    const statement = connection.rows(sql)
    if (!sql.includes('deck_rates')) return statement as never
    const all = (...given: unknown[]): unknown[] => {
      count++
      return statement.all(...given)
    }
    return { all } as never
  }
  return { connection: { ...connection, rows }, reads: () => count }
}

describe('the catalog of a tenant', () => {
  it(
    'reads a deck of another time once, and gets it ready where the calls of a batch need it',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 500]])
      await replaceDeck(storage, tenantId, [['380', 600]], day(2))
      const { connection, reads } = countingReads(storage.connection)
      const known = catalogs(connection)
      await known.ready(new Set([tenantId]), () => ({ from: day(2), to: day(3) }))
      assert.equal(reads(), 1)
      const catalog = known.of(tenantId)
      const priceAt = (moment: string) =>
        catalog?.deckAt(moment)?.match({ kind: 'plain', digits: '380441' })?.pricePerMinute
      assert.deepEqual([day(2), day(3), day(1), day(1)].map(priceAt), [600, 600, 123, 123])
      assert.equal(reads(), 2)
    }),
  )

  it(
    'is another as soon as a deck is brought in, put in force, cancelled or forgotten',
    inWorld(async world => {
      const { storage, tenantId } = world
      const known = catalogs(storage.connection)
      const isNew = async (act: () => Promise<unknown>): Promise<boolean> => {
        const before = known.of(tenantId)
        await act()
        return before !== null && !known.isCurrent(before)
      }
      assert.ok(await isNew(() => replaceDeck(storage, tenantId, [['380', 1]], day(2))))
      assert.ok(await isNew(() => storage.decks.cancel(1)))
      assert.ok(await isNew(() => replaceDeck(storage, tenantId, [['380', 1]], day(2))))
      assert.ok(await isNew(() => later(world.path, day(3), ({ decks }) => decks.putInForce())))
      assert.ok(await isNew(() => storage.decks.forget(day(9))))
      await insert(storage.records, 'tenants')
      assert.equal(await isNew(() => storage.decks.forget(day(9))), false)
    }),
  )
})
