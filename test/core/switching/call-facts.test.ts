import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSeconds } from '../../../core/dates.ts'
import { NOTHING_USED } from '../../../core/switching/limits/limits.ts'
import { outsideFacts } from '../../../core/switching/stored/call-facts.ts'
import { manualClock } from '../../support/clock.ts'
import { directory, extension, inProgress, liveCall } from '../../support/switching/directory.ts'

/** Asks for the facts of a call out, with `count` calls in progress; returns the periods that rates were asked for. */
async function asked(count: number, world: Parameters<typeof directory>[0]): Promise<(string | undefined)[][]> {
  const clock = manualClock()
  const on = directory(world)
  const periods: (string | undefined)[][] = []
  const live = Array.from({ length: count }, (_, n) => {
    const startedAt = addSeconds(clock.now(), -60 * (n + 1))
    return liveCall({ startedAt, answeredAt: startedAt })
  })
  const used = { tenant: NOTHING_USED, extension: () => NOTHING_USED, extensions: () => new Set<number>() }
  await outsideFacts(
    on,
    { caller: extension('101'), read: on.dialling.read('0501234567'), live: inProgress(live) },
    {
      clock,
      limitUsage: { of: async () => used },
      calls: {
        catalog: async (tenantId, ...period) => {
          periods.push(period)
          return { tenantId, dialling: on.dialling, deckAt: () => null, extensions: new Map(), dids: new Set() }
        },
      },
    },
  )
  return periods.map(period => period.map(moment => moment?.slice(11, 16)))
}

test('however many calls are in progress, the rates are asked for once, from the start of the first', async () => {
  assert.deepEqual(await asked(50, { limits: { most: { cost_per_day: 1 }, ratedOnly: true } }), [['11:10', '12:00']])
  assert.deepEqual(await asked(0, { ofExtension: { ratedOnly: true } }), [['12:00', '12:00']])
})

test('the rates are not asked for if no limit needs them', async () => {
  assert.deepEqual(await asked(50, { limits: { most: { calls_per_day: 1, concurrent_calls: 1 } } }), [])
  assert.deepEqual(await asked(0, { limits: { most: { cost_per_hour: 1 } } }), [])
})
