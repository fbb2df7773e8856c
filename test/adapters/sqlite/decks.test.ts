import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ALL_ALONG } from '../../../core/rating/deck-times.ts'
import { rates } from '../../../core/resources/rates.ts'
import { tenants } from '../../../core/resources/tenants.ts'
import { inShort, later, replaceDeck, storedRates } from '../../support/decks.ts'
import { insert } from '../../support/rows.ts'
import { inWorld, type SwitchWorld } from '../../support/switch.ts'

// The world's clock stands at noon of 1 March 2026.
const day = (number: number): string => `2026-03-${String(number).padStart(2, '0')}T00:00:00.000000Z`

const shortRates = ({ storage, tenantId }: SwitchWorld): string[] => inShort(storedRates(storage, tenantId))

/** The tenant's decks, each as its id, state, the day on which it takes effect and its number of rates. */
const decksOf = async ({ storage, tenantId }: SwitchWorld): Promise<string[]> =>
  (await storage.decks.list({ tenantId, all: true })).map(
    ({ id, state, effectiveAt, rates }) =>
      `${id} ${state} ${effectiveAt === ALL_ALONG ? '-' : effectiveAt.slice(0, 10)} ${rates}`,
  )

const auditOf = ({ storage }: Pick<SwitchWorld, 'storage'>, action: string): Record<string, unknown>[] =>
  storage.connection
    .value<[string], string>('SELECT changes FROM audit WHERE action = ? ORDER BY id')
    .all(action)
    .map(text => JSON.parse(text))

const asideOf = ({ storage }: SwitchWorld): number[] =>
  storage.connection.value<[], number>('SELECT count(*) FROM deck_rates GROUP BY deck_id ORDER BY deck_id').all()

describe('a deck that is replaced at once', () => {
  it(
    'is what the rows say, and what stays the same keeps its id and times',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [
        ['380', 123],
        ['44', 200],
        ['49', 300],
      ])
      const before = storedRates(storage, tenantId)
      const counts = await replaceDeck(storage, tenantId, [
        ['49', 300],
        ['44', 201],
        ['48', 400],
      ])
      assert.deepEqual({ ...counts }, { created: 1, updated: 1, unchanged: 1, removed: 1, skipped: 0, rejected: 0 })
      const [, uk, germany] = before
      const after = storedRates(storage, tenantId)
      assert.deepEqual(inShort(after), [
        `${uk?.id} 44 201`,
        `${germany?.id} 49 300`,
        `${Number(germany?.id) + 1} 48 400`,
      ])
      assert.deepEqual(after[1], germany)
      assert.deepEqual(
        [after[0]?.created_at === uk?.created_at, after[0]?.updated_at === uk?.updated_at],
        [true, false],
      )
    }),
  )

  it(
    'touches the rates of no other tenant',
    inWorld(async world => {
      const { storage, tenantId } = world
      const { id: other } = await insert(storage.records, 'tenants')
      await insert(storage.records, 'rates', { tenant_id: other, prefix: '380' })
      const before = storedRates(storage, other)
      await replaceDeck(storage, tenantId, [['49', 1]])
      assert.deepEqual(storedRates(storage, other), before)
    }),
  )

  it(
    'as the first of a tenant is in force from the start, later ones from now on',
    inWorld(async world => {
      const { storage } = world
      const { id: tenantId } = await insert(storage.records, 'tenants')
      const fresh = { ...world, tenantId }
      await replaceDeck(storage, tenantId, [['380', 1]])
      assert.deepEqual(await decksOf(fresh), ['1 in force - 1'])
      await replaceDeck(storage, tenantId, [['380', 2]])
      assert.deepEqual(await decksOf(fresh), ['1 past - 1', '2 in force 2026-03-01 1'])
    }),
  )

  it(
    'by the same rates leaves no trace',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 5]])
      const [rates, decks] = [storedRates(storage, tenantId), await decksOf(world)]
      const counts = await replaceDeck(storage, tenantId, [['380', 5]])
      assert.deepEqual([counts.unchanged, counts.updated], [1, 0])
      assert.deepEqual([storedRates(storage, tenantId), await decksOf(world)], [rates, decks])
      assert.equal(auditOf(world, 'import').length, 1)
    }),
  )

  it(
    'is refused when something else would come of it than what was approved',
    inWorld(async world => {
      const { storage, tenantId } = world
      const approved = { created: 1, updated: 0, unchanged: 0, removed: 1, skipped: 0, rejected: 0 }
      await insert(storage.records, 'rates', { tenant_id: tenantId, prefix: '44' })
      await assert.rejects(replaceDeck(storage, tenantId, [['49', 1]], null, approved), { code: 'conflict' })
      assert.equal(storedRates(storage, tenantId).length, 2)
      await replaceDeck(storage, tenantId, [['49', 1]], null, { ...approved, removed: 2 })
      assert.equal(storedRates(storage, tenantId).length, 1)
    }),
  )

  it(
    'takes the place of the newest of several rates with one prefix, and the others go',
    inWorld(async world => {
      const { storage, tenantId, rateId } = world
      await insert(storage.records, 'rates', { tenant_id: tenantId, prefix: '380', cost_per_minute: 7 })
      const counts = await replaceDeck(storage, tenantId, [['380', 9]])
      assert.deepEqual([counts.updated, counts.removed], [1, 1])
      assert.deepEqual(shortRates(world), [`${rateId + 1} 380 9`])
    }),
  )

  it(
    'that a row breaks a rule of, as a prefix that comes twice, stays as it is',
    inWorld(async world => {
      const { storage, tenantId } = world
      const before = shortRates(world)
      const counts = await replaceDeck(storage, tenantId, [
        ['49', 1],
        ['49', 2],
      ])
      assert.deepEqual([counts.rejected, counts.created], [1, 0])
      assert.deepEqual(shortRates(world), before)
    }),
  )
})

describe('a deck that takes effect later', () => {
  it(
    'is kept aside until then, and changes no rate',
    inWorld(async world => {
      const { storage, tenantId } = world
      const before = shortRates(world)
      const counts = await replaceDeck(storage, tenantId, [['49', 1]], day(2))
      assert.deepEqual([counts.created, counts.removed], [1, 1])
      assert.deepEqual(await storage.decks.putInForce(), [])
      assert.deepEqual([shortRates(world), await decksOf(world)], [before, ['1 pending 2026-03-02 1']])
      assert.equal(await storage.decks.nextMoment(), day(2))
    }),
  )

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
      const [applied] = await later(world.path, day(2), ({ decks }) => decks.putInForce())
      assert.deepEqual([applied?.created, applied?.updated, applied?.removed], [1, 1, 0])
      assert.deepEqual(shortRates(world), [`${rateId} 380 5`, `${rateId + 1} 49 1`])
      assert.deepEqual(await decksOf(world), ['2 past - 1', '1 in force 2026-03-02 2'])
      assert.deepEqual(auditOf(world, 'apply'), [
        { deck: 1, tenant_id: tenantId, file: 'deck.csv', created: 1, updated: 1, unchanged: 0, removed: 0 },
      ])
      assert.equal(await storage.decks.nextMoment(), null)
      assert.deepEqual(asideOf(world), [1], 'only the rates of before are kept aside')
    }),
  )

  it(
    'is put in force in its turn when several are due at once',
    inWorld(async world => {
      const { storage, tenantId, rateId } = world
      const { id: other } = await insert(storage.records, 'tenants')
      await replaceDeck(storage, tenantId, [['380', 3]], day(3))
      await replaceDeck(
        storage,
        tenantId,
        [
          ['380', 2],
          ['44', 2],
        ],
        day(2),
      )
      await replaceDeck(storage, other, [['380', 4]], day(4))
      await replaceDeck(storage, tenantId, [['380', 5]], day(5))
      const applied = await later(world.path, day(4), ({ decks }) => decks.putInForce())
      assert.deepEqual(
        applied.map(({ deck }) => deck.effectiveAt),
        [day(2), day(3), day(4)],
      )
      assert.deepEqual(shortRates(world), [`${rateId} 380 3`])
      assert.deepEqual(await decksOf(world), [
        '5 past - 1',
        '2 past 2026-03-02 2',
        '1 in force 2026-03-03 1',
        '4 pending 2026-03-05 1',
      ])
    }),
  )

  it(
    'is put in force once, however many try at the same time',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['49', 1]], day(2))
      const tries = Array.from({ length: 5 }, () => later(world.path, day(3), ({ decks }) => decks.putInForce()))
      assert.equal((await Promise.all(tries)).flat().length, 1)
      assert.equal(auditOf(world, 'apply').length, 1)
      assert.equal(storedRates(storage, tenantId).length, 1)
    }),
  )

  it(
    'is compared with the deck that is in force until then, be it pending itself',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(
        storage,
        tenantId,
        [
          ['49', 1],
          ['44', 2],
        ],
        day(2),
      )
      const counts = await replaceDeck(
        storage,
        tenantId,
        [
          ['49', 1],
          ['44', 3],
          ['48', 4],
        ],
        day(3),
      )
      assert.deepEqual([counts.created, counts.updated, counts.unchanged, counts.removed], [1, 1, 1, 0])
    }),
  )

  it(
    'takes along what was changed of the rates meanwhile',
    inWorld(async world => {
      const { storage, tenantId, rateId } = world
      await replaceDeck(storage, tenantId, [['380', 5]], day(2))
      await storage.records.update(rates, rateId, { cost_per_minute: 77 })
      await insert(storage.records, 'rates', { tenant_id: tenantId, prefix: '1' })
      const [applied] = await later(world.path, day(2), ({ decks }) => decks.putInForce())
      assert.deepEqual([applied?.updated, applied?.removed], [1, 1])
      assert.deepEqual(shortRates(world), [`${rateId} 380 5`])
    }),
  )

  it(
    'goes first when it is due and another replaces it at once',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 5]], day(2))
      await later(world.path, day(3), other => replaceDeck(other, tenantId, [['380', 6]]))
      assert.deepEqual(await decksOf(world), ['2 past - 1', '1 past 2026-03-02 1', '3 in force 2026-03-03 1'])
      assert.deepEqual(
        storedRates(storage, tenantId).map(({ cost_per_minute }) => cost_per_minute),
        [6],
      )
    }),
  )

  it(
    'is refused where another waits for the same moment',
    inWorld(async ({ storage, tenantId }) => {
      await replaceDeck(storage, tenantId, [['380', 5]], day(2))
      await assert.rejects(replaceDeck(storage, tenantId, [['380', 6]], day(2)), { code: 'conflict' })
    }),
  )

  it(
    'can be cancelled until then, and not after',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 5]], day(2))
      await replaceDeck(storage, tenantId, [['380', 6]], day(3))
      assert.equal((await storage.decks.cancel(1)).effectiveAt, day(2))
      await later(world.path, day(4), ({ decks }) => decks.putInForce())
      assert.deepEqual(
        storedRates(storage, tenantId).map(({ cost_per_minute }) => cost_per_minute),
        [6],
      )
      assert.deepEqual(auditOf(world, 'apply').length, 1)
      await assert.rejects(storage.decks.cancel(2), { code: 'conflict' })
      await assert.rejects(storage.decks.cancel(99), { code: 'not_found' })
      assert.deepEqual(asideOf(world), [1])
    }),
  )

  it(
    'goes with its tenant, with all that is kept aside',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(storage, tenantId, [['380', 5]])
      await replaceDeck(storage, tenantId, [['380', 6]], day(2))
      await storage.records.remove(tenants, tenantId, { cascade: true })
      assert.deepEqual([await storage.decks.list({ all: true }), asideOf(world)], [[], []])
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
      await later(world.path, day(5), other => replaceDeck(other, tenantId, [['380', 2]]))
      await later(world.path, day(9), other => replaceDeck(other, tenantId, [['380', 3]]))
      assert.equal(await storage.decks.forget(day(3)), 1, 'that of before the first one')
      assert.deepEqual(asideOf(world), [1_200, 1])
      assert.equal(await storage.decks.forget(day(6)), 1)
      assert.equal(await storage.decks.forget(day(6)), 0)
      assert.deepEqual(await decksOf(world), [
        '1 forgotten - 1',
        '2 forgotten 2026-03-01 1200',
        '3 past 2026-03-05 1',
        '4 in force 2026-03-09 1',
      ])
      assert.deepEqual(asideOf(world), [1])
      assert.deepEqual(await storage.maintenance.check(), [])
    }),
  )

  it(
    'goes on being forgotten where that was interrupted',
    inWorld(async world => {
      const { storage, tenantId } = world
      await replaceDeck(
        storage,
        tenantId,
        Array.from({ length: 1_200 }, (_, n): [string, number] => [`9${n}`, 1]),
      )
      await later(world.path, day(5), other => replaceDeck(other, tenantId, [['380', 2]]))
      const stopped = AbortSignal.abort()
      assert.equal(await storage.decks.forget(day(6), stopped), 2)
      assert.deepEqual(asideOf(world), [1, 1_200])
      assert.equal(await storage.decks.forget(day(6)), 0)
      assert.deepEqual(asideOf(world), [])
    }),
  )
})
