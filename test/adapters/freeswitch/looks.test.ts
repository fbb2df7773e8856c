import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, test } from 'node:test'
import { queryObjects } from 'node:v8'
import { freeswitchFollower } from '../../../adapters/freeswitch/follow/follower.ts'
import { callsOf, channelsIn } from '../../../adapters/freeswitch/socket/channels.ts'
import { until } from '../../support/data/switch.ts'
import { heldSwitch } from '../../support/switching/event-socket.ts'
import { directoryOf, KEY } from '../../support/switching/freeswitch.ts'

const MANY = 200

const alive = (kind: Parameters<typeof queryObjects>[0]): number => queryObjects(kind, { format: 'count' })

const leg = (uuid: string, call_uuid: string, presence_data: string) => ({ uuid, call_uuid, presence_data })

test('two legs to carriers that a transfer has joined are two calls, the others of a call are one', () => {
  const rows = [
    leg('a', 'a', 'trunkline:acme:outbound:101::+380501112233'),
    leg('b', 'a', 'trunkline:acme:outbound:101:carrier:+380501112233'),
    leg('c', 'a', ''),
    leg('d', 'a', 'trunkline:acme:outbound:101:carrier:+380501112244'),
  ]
  const calls = callsOf(channelsIn(JSON.stringify({ rows })))
  assert.deepEqual(
    calls.map(({ id, to, trunk }) => [id, to, trunk]),
    [
      ['a', '+380501112233', 'carrier'],
      ['d', '+380501112244', 'carrier'],
    ],
  )
})

test('a leg that is held, or was held a moment ago, is answered', () => {
  const answered = (callstate: string): boolean | undefined =>
    channelsIn(JSON.stringify({ rows: [{ ...leg('a', 'a', ''), callstate }] }))[0]?.isAnswered
  for (const callstate of ['ACTIVE', 'HELD', 'UNHELD']) assert.equal(answered(callstate), true, callstate)
  for (const callstate of ['DIALING', 'RINGING', 'EARLY']) assert.equal(answered(callstate), false, callstate)
})

describe('looking which calls are in progress', () => {
  test('keeps nothing of a look, however many there are on one connection', async () => {
    const stopping = new AbortController()
    const held = await heldSwitch({ answer: () => '{"row_count":0}' })
    let looks = 0
    const follower = freeswitchFollower(
      {
        ...{ place: held.place, directory: directoryOf(() => []), key: KEY },
        lookups: { shown: async () => ++looks, ended: async () => undefined },
        onTrouble: error => assert.ok(stopping.signal.aborted, String(error)),
        onCommandRefused: () => undefined,
      },
      { busyMs: 1, idleMs: 1 },
    )
    /** What a look needs while it lasts: objects that are still reachable, and listeners. */
    const kept = (): number => alive(Promise) + alive(AbortSignal) + getEventListeners(stopping.signal, 'abort').length
    const running = follower.run(() => undefined, stopping.signal)
    try {
      await until('it has looked', () => looks >= MANY)
      const before = kept()
      const last = looks + MANY
      await until('it has looked as often again', () => looks >= last)
      const more = kept() - before
      assert.ok(more < MANY / 2, `${more} more are kept after ${MANY} looks`)
    } finally {
      stopping.abort()
      await running
      await held.close()
    }
    assert.equal(held.logins(), 1)
  })

  test('comes soon after a leg has ended, and does not show that leg, though the list still has it', async () => {
    const stopping = new AbortController()
    const rows = ['1', '2'].map(uuid => ({ uuid, call_uuid: uuid, presence_data: 'trunkline:acme:internal:101::102' }))
    const held = await heldSwitch({ answer: () => JSON.stringify({ rows }) })
    const told: string[] = []
    const follower = freeswitchFollower(
      {
        ...{ place: held.place, directory: directoryOf(() => []), key: KEY },
        lookups: {
          shown: async calls => told.push(`in progress: ${calls.map(({ id }) => id)}`),
          ended: async call => void told.push(`ended: ${call}`),
        },
        onTrouble: error => assert.ok(stopping.signal.aborted, String(error)),
        onCommandRefused: () => undefined,
      },
      // No other look comes in time.
      { busyMs: 600_000, idleMs: 600_000 },
    )
    const running = follower.run(() => undefined, stopping.signal)
    try {
      await until('it has looked', () => told.length === 1)
      held.tell('CHANNEL_DESTROY', { 'Unique-ID': '1' })
      await until('it has looked again', () => told.length === 3)
      held.tell('CHANNEL_DESTROY', { 'Unique-ID': '2' })
      await until('it has looked once more', () => told.length === 5)
    } finally {
      stopping.abort()
      await running
      await held.close()
    }
    assert.deepEqual(told, ['in progress: 1,2', 'ended: 1', 'in progress: 2', 'ended: 2', 'in progress: '])
  })
})
