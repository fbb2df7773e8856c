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

test('a call that has ended counts no more, whether the switch has reported it or not', () => {
  const live = liveCalls(() => 0)
  live.opened(liveCall({ id: '1' }))
  live.opened(liveCall({ id: '2' }))
  live.shown([liveCall({ id: '1' })], 0)
  assert.equal(live.count(), 2)
  live.ended('1')
  live.ended('2')
  live.ended('never heard of')
  assert.equal(live.count(), 0)
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
