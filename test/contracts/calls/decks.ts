import assert from 'node:assert/strict'
import { FOREVER } from '../../../core/rating/period.ts'
import { rates } from '../../../core/resources/rates.ts'
import { tenants } from '../../../core/resources/tenants.ts'
import { replaceDeck } from '../../support/cli/replace-deck.ts'
import { insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'
import { day, decksOf, inShort, ratesOf, until } from './deck-times.ts'
import { acme, SWITCH_PORTS, type SwitchPorts } from './switch.ts'

export const decksContract = contract('decks', SWITCH_PORTS)
const { behaviour } = decksContract

async function noted({ audit }: SwitchPorts, action: string): Promise<unknown[]> {
  const found = []
  for await (const entry of audit.list(FOREVER)) if (entry.action === action) found.push(entry.changes)
  return found.reverse()
}

behaviour('a replaced deck is exactly the rows; unchanged rates keep their id and times', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [
    ['380', 123],
    ['44', 200],
    ['49', 300],
  ])
  const [, uk, germany] = await ratesOf(ports, tenantId)
  const counts = await replaceDeck(ports, tenantId, [
    ['49', 300],
    ['44', 201],
    ['48', 400],
  ])
  assert.deepEqual({ ...counts }, { created: 1, updated: 1, unchanged: 1, removed: 1, skipped: 0, rejected: 0 })
  const after = await ratesOf(ports, tenantId)
  assert.deepEqual(await inShort(ports, tenantId), [
    `${uk?.id} 44 201`,
    `${germany?.id} 49 300`,
    `${Number(germany?.id) + 1} 48 400`,
  ])
  assert.deepEqual(after[1], germany)
  assert.deepEqual([after[0]?.created_at === uk?.created_at, after[0]?.updated_at === uk?.updated_at], [true, false])
})

behaviour('a deck touches the rates of no other tenant', async ports => {
  const { tenantId } = await acme(ports)
  const { id: other } = await insert(ports.records, 'tenants')
  await insert(ports.records, 'rates', { tenant_id: other, prefix: '380' })
  const before = await ratesOf(ports, other)
  await replaceDeck(ports, tenantId, [['49', 1]])
  assert.deepEqual(await ratesOf(ports, other), before)
})

behaviour('the first deck of a tenant is in force from the start, later ones from now on', async ports => {
  const { id: tenantId } = await insert(ports.records, 'tenants')
  await replaceDeck(ports, tenantId, [['380', 1]])
  assert.deepEqual(await decksOf(ports, tenantId), ['in force - 1'])
  await replaceDeck(ports, tenantId, [['380', 2]])
  assert.deepEqual(await decksOf(ports, tenantId), ['past - 1', 'in force 2026-03-01 1'])
})

behaviour('a deck with the same rates leaves no trace', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 5]])
  const before = [await ratesOf(ports, tenantId), await decksOf(ports, tenantId)]
  const counts = await replaceDeck(ports, tenantId, [['380', 5]])
  assert.deepEqual([counts.unchanged, counts.updated], [1, 0])
  assert.deepEqual([await ratesOf(ports, tenantId), await decksOf(ports, tenantId)], before)
  assert.equal((await noted(ports, 'import')).length, 1)
})

behaviour('a deck is refused if the outcome would differ from what was approved', async ports => {
  const { tenantId } = await acme(ports)
  const approved = { created: 1, updated: 0, unchanged: 0, removed: 1, skipped: 0, rejected: 0 }
  await insert(ports.records, 'rates', { tenant_id: tenantId, prefix: '44' })
  await assert.rejects(replaceDeck(ports, tenantId, [['49', 1]], null, approved), { code: 'conflict' })
  assert.equal((await ratesOf(ports, tenantId)).length, 2)
  await replaceDeck(ports, tenantId, [['49', 1]], null, { ...approved, removed: 2 })
  assert.equal((await ratesOf(ports, tenantId)).length, 1)
})

behaviour('the newest of several rates with one prefix takes the new price, and the others go', async ports => {
  const { tenantId, rateId } = await acme(ports)
  await insert(ports.records, 'rates', { tenant_id: tenantId, prefix: '380', cost_per_minute: 7 })
  const counts = await replaceDeck(ports, tenantId, [['380', 9]])
  assert.deepEqual([counts.updated, counts.removed], [1, 1])
  assert.deepEqual(await inShort(ports, tenantId), [`${rateId + 1} 380 9`])
})

behaviour('a deck that a row breaks a rule of, as a prefix that comes twice, stays as it is', async ports => {
  const { tenantId } = await acme(ports)
  const before = await inShort(ports, tenantId)
  const counts = await replaceDeck(ports, tenantId, [
    ['49', 1],
    ['49', 2],
  ])
  assert.deepEqual([counts.rejected, counts.created], [1, 0])
  assert.deepEqual(await inShort(ports, tenantId), before)
})

behaviour('a deck of a later moment is kept aside until then, and changes no rate', async ports => {
  const { tenantId } = await acme(ports)
  const before = await inShort(ports, tenantId)
  const counts = await replaceDeck(ports, tenantId, [['49', 1]], day(2))
  assert.deepEqual([counts.created, counts.removed], [1, 1])
  assert.deepEqual(await ports.decks.putInForce(), [])
  assert.deepEqual([await inShort(ports, tenantId), await decksOf(ports, tenantId)], [before, ['pending 2026-03-02 1']])
  assert.equal(await ports.decks.nextMoment(), day(2))
  const [waiting, ...others] = await ports.decks.list({})
  assert.deepEqual([waiting?.tenantId, waiting?.file, others], [tenantId, 'deck.csv', []])
})

behaviour('a deck is put in force at its moment, and the audit trail notes it', async ports => {
  const { tenantId, rateId } = await acme(ports)
  await replaceDeck(
    ports,
    tenantId,
    [
      ['49', 1],
      ['380', 5],
    ],
    day(2),
  )
  until(ports, day(2))
  const tries = await Promise.all([ports.decks.putInForce(), ports.decks.putInForce()])
  const [applied, ...others] = tries.flat()
  assert.deepEqual([applied?.created, applied?.updated, applied?.removed, others], [1, 1, 0, []])
  assert.deepEqual(await inShort(ports, tenantId), [`${rateId} 380 5`, `${rateId + 1} 49 1`])
  assert.deepEqual(await decksOf(ports, tenantId), ['past - 1', 'in force 2026-03-02 2'])
  const what = { deck: applied?.deck.id, tenant_id: tenantId, file: 'deck.csv' }
  assert.deepEqual(await noted(ports, 'apply'), [{ ...what, created: 1, updated: 1, unchanged: 0, removed: 0 }])
  assert.equal(await ports.decks.nextMoment(), null)
})

behaviour('decks that are due at once are put in force in their order', async ports => {
  const { tenantId, rateId } = await acme(ports)
  const { id: other } = await insert(ports.records, 'tenants')
  await replaceDeck(ports, tenantId, [['380', 3]], day(3))
  const second = [
    ['380', 2],
    ['44', 2],
  ] as const
  await replaceDeck(ports, tenantId, second, day(2))
  await replaceDeck(ports, other, [['380', 4]], day(4))
  await replaceDeck(ports, tenantId, [['380', 5]], day(5))
  until(ports, day(4))
  assert.deepEqual(
    (await ports.decks.putInForce()).map(({ deck }) => deck.effectiveAt),
    [day(2), day(3), day(4)],
  )
  assert.deepEqual(await inShort(ports, tenantId), [`${rateId} 380 3`])
  const states = ['past - 1', 'past 2026-03-02 2', 'in force 2026-03-03 1', 'pending 2026-03-05 1']
  assert.deepEqual(await decksOf(ports, tenantId), states)
})

behaviour('a deck is compared with the one that is in force until then, be it pending itself', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(
    ports,
    tenantId,
    [
      ['49', 1],
      ['44', 2],
    ],
    day(2),
  )
  const third = [
    ['49', 1],
    ['44', 3],
    ['48', 4],
  ] as const
  const counts = await replaceDeck(ports, tenantId, third, day(3))
  assert.deepEqual([counts.created, counts.updated, counts.unchanged, counts.removed], [1, 1, 1, 0])
})

behaviour('putting a deck in force discards changes made to the rates meanwhile', async ports => {
  const { tenantId, rateId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 5]], day(2))
  await ports.records.update(rates, rateId, { cost_per_minute: 77 })
  await insert(ports.records, 'rates', { tenant_id: tenantId, prefix: '1' })
  until(ports, day(2))
  const [applied] = await ports.decks.putInForce()
  assert.deepEqual([applied?.updated, applied?.removed], [1, 1])
  assert.deepEqual(await inShort(ports, tenantId), [`${rateId} 380 5`])
})

behaviour('a deck that is due is put in force before another one replaces it', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 5]], day(2))
  until(ports, day(3))
  await replaceDeck(ports, tenantId, [['380', 6]])
  const states = ['past - 1', 'past 2026-03-02 1', 'in force 2026-03-03 1']
  assert.deepEqual(await decksOf(ports, tenantId), states)
  assert.match(String(await inShort(ports, tenantId)), / 380 6$/)
})

behaviour('a deck is refused if another is pending for the same moment', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 5]], day(2))
  await assert.rejects(replaceDeck(ports, tenantId, [['380', 6]], day(2)), { code: 'conflict' })
})

behaviour('a deck can be cancelled until its moment, and not after', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 5]], day(2))
  await replaceDeck(ports, tenantId, [['380', 6]], day(3))
  const [first, second] = await ports.decks.list({ tenantId })
  assert.equal((await ports.decks.cancel(first?.id ?? 0)).effectiveAt, day(2))
  until(ports, day(4))
  assert.equal((await ports.decks.putInForce()).length, 1)
  assert.match(String(await inShort(ports, tenantId)), / 380 6$/)
  await assert.rejects(ports.decks.cancel(second?.id ?? 0), { code: 'conflict' })
  await assert.rejects(ports.decks.cancel(99), { code: 'not_found' })
})

behaviour('decks are deleted with their tenant', async ports => {
  const { tenantId } = await acme(ports)
  await replaceDeck(ports, tenantId, [['380', 5]])
  await replaceDeck(ports, tenantId, [['380', 6]], day(2))
  await ports.records.remove(tenants, tenantId, { cascade: true })
  assert.deepEqual(await ports.decks.list({ all: true }), [])
})
