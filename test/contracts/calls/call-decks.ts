import assert from 'node:assert/strict'
import { FOREVER } from '../../../core/rating/period.ts'
import { rates } from '../../../core/resources/rates.ts'
import { tenants } from '../../../core/resources/tenants.ts'
import { replaceDeck } from '../../support/cli/replace-deck.ts'
import { contract } from '../contract.ts'
import { day, decksOf, inShort, ratesOf, until } from './deck-times.ts'
import { acme, completedCall, replayed, SWITCH_PORTS, type SwitchPorts, storedCalls, taken } from './switch.ts'

export const callDecksContract = contract('calls of several decks', SWITCH_PORTS)
const { behaviour } = callDecksContract

/** Ingests a one-minute call that starts at that time, and returns its cost. */
async function costAt(ports: SwitchPorts, start: string, destinationNumber?: string): Promise<number | undefined> {
  const switchCallId = `${start} ${destinationNumber}`
  const to = destinationNumber === undefined ? {} : { destinationNumber }
  await taken(ports, [completedCall({ switchCallId, start, answeredSeconds: 60, ...to })])
  return (await storedCalls(ports)).find(call => call.switchCallId === switchCallId)?.units
}

const costs = async (ports: SwitchPorts): Promise<number[]> => (await storedCalls(ports)).map(({ units }) => units)

const rerate = ({ calls }: SwitchPorts, tenantId: number) =>
  calls.rerate({ ...FOREVER, tenantId, unratedOnly: false }, { dryRun: false, sample: 9 })

behaviour('a call is rated by the deck in force when it started, however late its record comes', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 500]])
  await replaceDeck(ports, tenantId, [['380', 700]], day(2))
  assert.equal(await costAt(ports, '2026-03-01 11:59:59'), 123)
  assert.equal(await costAt(ports, '2026-03-01 12:00:01'), 500)
  assert.equal(await costAt(ports, '2026-03-01 23:59:59'), 500)
  assert.equal(await costAt(ports, '2026-03-02 00:00:00'), 700)
})

behaviour(
  'a call that was rated by a deck ahead of its time needs no other rating once that is in force',
  async ports => {
    const { tenantId, rateId } = await acme(ports)
    const ahead = [
      ['380', 500],
      ['49', 700],
    ] as const
    await replaceDeck(ports, tenantId, ahead, day(2))
    assert.equal(await costAt(ports, '2026-03-02 08:00:00'), 500)
    assert.equal(await costAt(ports, '2026-03-02 08:00:00', '4930'), 700)
    until(ports, day(3))
    await ports.decks.putInForce()
    const [, germany] = await ratesOf(ports, tenantId)
    assert.deepEqual(await ports.calls.usedRates(tenantId, FOREVER), new Set([rateId, germany?.id]))
    assert.equal((await rerate(ports, tenantId)).changed, 0)
  },
)

behaviour('the catalog of several moments has the deck of each', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 500]])
  await replaceDeck(ports, tenantId, [['380', 700]], day(2))
  const { dialling, deckAt } = await ports.calls.catalog(tenantId, '2026-03-01T11:59:59.000000Z', day(2))
  const moments = ['2026-03-01T11:59:59.000000Z', '2026-03-01T12:00:01.000000Z', day(2)]
  const prices = moments.map(moment => deckAt(moment)?.match(dialling.read('+380501112233'))?.pricePerMinute)
  assert.deepEqual(prices, [123, 500, 700])
})

behaviour('a call that was put aside is rated by the deck of its time when it is replayed', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 500]])
  await taken(ports, [completedCall({ accountcode: 'late', start: '2026-03-01 11:00:00', answeredSeconds: 60 })])
  await ports.records.update(tenants, tenantId, { slug: 'late' })
  assert.equal(await replayed(ports), 1)
  assert.deepEqual(await costs(ports), [123])
})

behaviour('rating again uses corrections of the present deck only for calls of that deck', async ports => {
  const { tenantId, rateId } = await acme(ports)
  await costAt(ports, '2026-03-01 11:00:00')
  await replaceDeck(ports, tenantId, [['380', 500]])
  await costAt(ports, '2026-03-01 13:00:00')
  assert.deepEqual([(await rerate(ports, tenantId)).changed, await costs(ports)], [0, [123, 500]])
  await ports.records.update(rates, rateId, { cost_per_minute: 600 })
  const asked = { ...FOREVER, tenantId, unratedOnly: false }
  const said = await ports.calls.rerate(asked, { dryRun: true, sample: 9 })
  assert.deepEqual([said.changes.map(({ old, new: now }) => [old.cost, now.cost]), said.newCost], [[[500, 600]], 723])
  await rerate(ports, tenantId)
  assert.deepEqual(await costs(ports), [123, 600])
  await ports.records.remove(rates, rateId, { cascade: false })
  assert.equal((await rerate(ports, tenantId)).stillUnrated, 1)
  assert.deepEqual(await costs(ports), [123, 0])
})

behaviour('rating again uses a deck that replaced another, or was put between two', async ports => {
  const { tenantId } = await acme(ports)
  until(ports, day(5))
  await replaceDeck(ports, tenantId, [['380', 500]], day(5))
  for (const number of [2, 4, 6]) await costAt(ports, `2026-03-0${number} 12:00:00`)
  assert.deepEqual(await costs(ports), [123, 123, 500])
  until(ports, day(7))
  for (const [effectiveAt, price, expected] of [
    [day(5), 501, [123, 123, 501]],
    [day(3), 200, [123, 200, 501]],
    [day(3), 201, [123, 201, 501]],
  ] as const) {
    await replaceDeck(ports, tenantId, [['380', price]], effectiveAt)
    await rerate(ports, tenantId)
    assert.deepEqual(await costs(ports), expected)
  }
  assert.match(String(await inShort(ports, tenantId)), / 380 501$/)
})

behaviour('a deck that is forgotten rates no call, and those that it rated keep their costs', async ports => {
  const { tenantId } = await acme(ports)
  await costAt(ports, '2026-03-01 11:00:00')
  await replaceDeck(ports, tenantId, [['380', 500]], day(2))
  until(ports, day(3))
  await ports.decks.putInForce()
  assert.equal(await ports.decks.forget(day(2)), 0)
  assert.equal(await ports.decks.forget(day(4)), 1)
  assert.equal(await ports.decks.forget(day(4)), 0)
  assert.deepEqual(await decksOf(ports, tenantId), ['forgotten - 1', 'in force 2026-03-02 1'])
  assert.equal(await costAt(ports, '2026-03-01 11:30:00'), 0)
  const { examined, withoutDeck, changed } = await rerate(ports, tenantId)
  assert.deepEqual([examined, withoutDeck, changed], [0, 2, 0])
  assert.deepEqual(await costs(ports), [123, 0])
})

behaviour('unrated calls of two decks are kept apart, so that each is looked up in its own', async ports => {
  const { tenantId } = await acme(ports)
  for (const start of ['11:00:00', '11:30:00', '13:00:00']) await costAt(ports, `2026-03-01 ${start}`, '4930')
  await replaceDeck(ports, tenantId, [['49', 500]])
  const found = await ports.calls.unratedDestinations(tenantId, FOREVER)
  assert.deepEqual(found.map(({ calls, startedAt }) => [calls, startedAt.slice(11, 13)]).sort(), [
    [1, '13'],
    [2, '11'],
  ])
})
