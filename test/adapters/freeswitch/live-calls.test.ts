import assert from 'node:assert/strict'
import { test } from 'node:test'
import { liveCalls } from '../../../adapters/freeswitch/lookups/live-calls.ts'
import { liveCall } from '../../support/switching/directory.ts'

test('a call counts from when it is put through, and until the switch has it no more', () => {
  let now = 0
  const live = liveCalls(() => now)
  const ids = (except = ''): string[] =>
    live
      .except(except)
      .ofTenant('acme')
      .map(({ id }) => id)
  live.opened(liveCall({ id: '1' }))
  live.opened(liveCall({ id: '2' }))
  assert.deepEqual(ids(), ['1', '2'])
  assert.deepEqual(ids('1'), ['2'])
  live.shown([liveCall({ id: '1' })], 1_000)
  assert.deepEqual(ids(), ['1', '2'])
  live.shown([liveCall({ id: '1' })], 3_000)
  assert.deepEqual(ids(), ['1'])
  now = 3_500
  live.opened(liveCall({ id: '3' }))
  live.shown([], 4_000)
  assert.deepEqual(ids(), ['3'])
})

test('a call whose first leg has ended counts until a list lacks it, whether one had it before or not', () => {
  const live = liveCalls(() => 0)
  const [listed, unlisted] = [liveCall({ id: '1' }), liveCall({ id: '2' })]
  for (const each of [listed, unlisted]) live.opened(each)
  live.shown([listed], 0)
  for (const id of ['1', '2', 'never heard of']) live.ended(id)
  assert.equal(live.count(), 2, 'a record may still be on its way')
  live.shown([unlisted], 0)
  assert.equal(live.count(), 1, 'its other leg is still up')
  live.shown([], 0)
  assert.equal(live.count(), 0)
})

test('of calls that the switch never reports, the newest 10,000 count', () => {
  const live = liveCalls(() => 0)
  for (let n = 0; n <= 10_000; n++) live.opened(liveCall({ id: String(n) }))
  live.opened(liveCall({ id: '1' }))
  live.opened(liveCall({ id: 'last' }))
  const ids = live
    .except('')
    .ofTenant('acme')
    .map(({ id }) => id)
  assert.equal(ids.length, 10_000)
  assert.deepEqual([ids[0], ...ids.slice(-2)], ['3', '1', 'last'])
})
