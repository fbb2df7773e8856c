import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Rerated, RerateOptions, RerateQuery, RerateResult } from '../../../../core/ports/calls.ts'
import { monthOf } from '../../../../core/rating/period.ts'
import { changeShown, rerateCalls, rerateShown } from '../../../../core/use-cases/calls/rerate.ts'
import { fakeStorage } from '../../../fakes/storage.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'

const rating = { cost: 12_345, billSeconds: 60, prefix: '380', direction: 'outbound' } as const
const change: Rerated = {
  id: 7,
  destination_number: '+380501112233',
  started_at: '2026-10-01T12:00:00.000000Z',
  old: { ...rating, cost: 0, prefix: null },
  new: rating,
  editedByHand: false,
}
const result: RerateResult = {
  ...{ examined: 3, changed: 1, oldCost: 0, newCost: 12_345, stillUnrated: 1, editedByHand: 0, withoutDeck: 1 },
  changes: [change],
}

it('a month is rated again as it begins and ends in the time zone of the tenant', async () => {
  const { records } = fakeStorage(manualClock())
  const { id: tenantId } = await insert(records, 'tenants', { timezone: 'Europe/Kyiv' })
  const asked: [RerateQuery, RerateOptions][] = []
  const calls = {
    rerate: async (...given: [RerateQuery, RerateOptions]) => {
      asked.push(given)
      return result
    },
  }
  const by = { name: 'ann@example.com', origin: '192.0.2.1' }
  const request = { tenantId, period: (zone: string) => monthOf('2026-10', zone), unratedOnly: true }
  assert.equal(await rerateCalls({ records, calls }, request, { dryRun: true, sample: 5, by }), result)
  const period = { from: '2026-09-30T21:00:00.000000Z', to: '2026-10-31T22:00:00.000000Z' }
  assert.deepEqual(asked, [
    [
      { tenantId, unratedOnly: true, ...period },
      { dryRun: true, sample: 5, by },
    ],
  ])
})

it('changes and what they come to are shown with amounts as text', () => {
  const { old_cost, new_cost, old_prefix, new_prefix } = changeShown(change)
  assert.deepEqual([old_cost, new_cost, old_prefix, new_prefix], ['0.0000', '1.2345', null, '380'])
  assert.deepEqual(rerateShown(result, true), {
    ...{ dry_run: true, examined: 3, changed: 1, old_cost: '0.0000', new_cost: '1.2345' },
    ...{ still_unrated: 1, edited_by_hand: 0, without_deck: 1 },
  })
})
