import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { legsOfCalls } from '../../../adapters/freeswitch/follow/legs.ts'
import { channelsIn } from '../../../adapters/freeswitch/socket/channels.ts'

/** Channels as the switch lists them: each leg with its call. */
const listing = (...legs: readonly (readonly [uuid: string, call: string])[]) =>
  channelsIn(JSON.stringify({ rows: legs.map(([uuid, call_uuid]) => ({ uuid, call_uuid })) }))

describe('the legs of calls', () => {
  test('end a call with its last one, whichever that is', () => {
    const legs = legsOfCalls(() => 0)
    legs.listed(listing(['caller', 'caller'], ['carrier', 'caller'], ['other', 'other']))
    assert.equal(legs.ended('caller'), null, 'the caller has transferred the call and left')
    assert.equal(legs.ended('carrier'), 'caller')
    assert.equal(legs.ended('other'), 'other')
  })

  test('end a call that the switch has not listed with its first one', () => {
    const legs = legsOfCalls(() => 0)
    assert.equal(legs.ended('carrier'), 'carrier', 'which is the id of no call')
    assert.equal(legs.ended('caller'), 'caller')
  })

  test('that have ended are in no list that comes late', () => {
    let now = 0
    const legs = legsOfCalls(() => now)
    legs.ended('caller')
    const late = listing(['caller', 'caller'], ['other', 'other'])
    assert.deepEqual(
      legs.listed(late).map(({ id }) => id),
      ['other'],
    )
    now = 60_000
    legs.listed([])
    assert.equal(legs.listed(late).length, 2, 'they are forgotten after a while')
  })
})
