import assert from 'node:assert/strict'
import fc from 'fast-check'
import { addSeconds } from '../../../core/dates.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Row } from '../../../core/resources/resource.ts'
import { insert as inserted } from '../../support/data/rows.ts'
import { contract, type Given } from '../contract.ts'
import { acme, completedCall, taken } from './switch.ts'

export const limitUsageContract = contract('what is used of limits', ['records', 'limitUsage', 'calls'])
const { behaviour } = limitUsageContract

type Ports = Given<'records' | 'limitUsage' | 'calls'>

const insert = async (...given: Parameters<typeof inserted>): Promise<number> => (await inserted(...given)).id

const cdrs = resourceNamed('cdrs')
const used = (hour: [calls: number, cost: number], day: [calls: number, cost: number]) => ({
  ...{ concurrent_calls: 0, calls_per_hour: hour[0], calls_per_day: day[0] },
  ...{ cost_per_hour: hour[1], cost_per_day: day[1] },
})

/** A tenant in Kyiv, where it is 14:00, with two extensions. */
async function tenant({ records }: Ports): Promise<{ id: number; extensions: number[] }> {
  const id = await insert(records, 'tenants', {})
  const one = await insert(records, 'extensions', { tenant_id: id })
  return { id, extensions: [one, await insert(records, 'extensions', { tenant_id: id })] }
}

const usage = ({ limitUsage }: Ports, id: number, timezone = 'Europe/Kyiv') => limitUsage.of({ id, timezone })
const ofTenant = async (ports: Ports, id: number, timezone?: string) => (await usage(ports, id, timezone)).tenant

const ended = (ended_at: string, values: Row = {}): Row => ({
  started_at: addSeconds(ended_at, -60),
  ended_at,
  ...values,
})
const enter = ({ records }: Ports, tenant_id: number, values: Row) => insert(records, 'cdrs', { tenant_id, ...values })

behaviour('is nothing without calls', async ports => {
  const { id, extensions } = await tenant(ports)
  const found = await usage(ports, id)
  assert.deepEqual([found.tenant, found.extension(extensions[0] ?? 0)], [used([0, 0], [0, 0]), used([0, 0], [0, 0])])
})

behaviour(
  'counts the calls out of the last hour and of the day in the zone of the tenant, by their end',
  async ports => {
    const { id } = await tenant(ports)
    for (const moment of [
      '2026-02-28T21:59:59.999999Z',
      '2026-02-28T22:00:00.000000Z',
      '2026-03-01T10:59:59.999999Z',
      '2026-03-01T11:00:00.000000Z',
      '2026-03-01T12:00:00.000000Z',
    ])
      await enter(ports, id, ended(moment, { cost: 10 }))
    assert.deepEqual(await ofTenant(ports, id), used([2, 20], [4, 40]))
    assert.deepEqual(await ofTenant(ports, id, 'UTC'), used([2, 20], [3, 30]))
    assert.deepEqual(await ofTenant(ports, id, 'America/Los_Angeles'), used([2, 20], [3, 30]))
  },
)

behaviour('counts a call without an end by its start, and a long one by its end', async ports => {
  const { id } = await tenant(ports)
  await enter(ports, id, { started_at: '2026-03-01T11:30:00.000000Z', ended_at: null, cost: 1 })
  await enter(ports, id, {
    started_at: '2026-02-28T20:00:00.000000Z',
    ended_at: '2026-03-01T11:59:00.000000Z',
    cost: 5,
  })
  assert.deepEqual(await ofTenant(ports, id), used([2, 6], [2, 6]))
})

behaviour('counts neither calls in nor those of other tenants', async ports => {
  const { id } = await tenant(ports)
  const other = await insert(ports.records, 'tenants', {})
  await ofTenant(ports, id)
  for (const direction of ['inbound', 'internal', 'outbound'])
    await enter(ports, id, ended('2026-03-01T11:50:00.000000Z', { direction, cost: 7 }))
  assert.deepEqual(await ofTenant(ports, id), used([1, 7], [1, 7]))
  assert.deepEqual(await ofTenant(ports, other), used([0, 0], [0, 0]))
})

behaviour('has what each extension has used', async ports => {
  const { id, extensions } = await tenant(ports)
  const [one = 0, two = 0] = extensions
  for (const extension_id of [one, one, two, null])
    await enter(ports, id, ended('2026-03-01T11:50:00.000000Z', { extension_id, cost: 3 }))
  const found = await usage(ports, id)
  assert.deepEqual(found.tenant, used([4, 12], [4, 12]))
  assert.deepEqual([found.extension(one), found.extension(two)], [used([2, 6], [2, 6]), used([1, 3], [1, 3])])
})

behaviour('follows calls that are stored, changed and deleted', async ports => {
  const { id } = await tenant(ports)
  const first = await enter(ports, id, ended('2026-03-01T11:50:00.000000Z', { cost: 3 }))
  assert.deepEqual(await ofTenant(ports, id), used([1, 3], [1, 3]))
  const second = await enter(ports, id, ended('2026-03-01T11:55:00.000000Z', { cost: 4 }))
  assert.deepEqual(await ofTenant(ports, id), used([2, 7], [2, 7]))
  await ports.records.update(cdrs, first, { cost: 100 })
  assert.deepEqual(await ofTenant(ports, id), used([2, 104], [2, 104]))
  await ports.records.remove(cdrs, second, { cascade: false })
  assert.deepEqual(await ofTenant(ports, id), used([1, 100], [1, 100]))
})

behaviour('forgets the hour as it passes, and the day at midnight', async ports => {
  const { id } = await tenant(ports)
  await enter(ports, id, ended('2026-03-01T11:30:00.000000Z', { cost: 3 }))
  const after = async (seconds: number) => {
    ports.clock.advance(seconds)
    return ofTenant(ports, id)
  }
  assert.deepEqual(await after(0), used([1, 3], [1, 3]))
  assert.deepEqual(await after(30 * 60), used([1, 3], [1, 3]))
  assert.deepEqual(await after(60), used([0, 0], [1, 3]))
  // 23:59:50 in Kyiv, with a call that ends just then.
  await after(9 * 3600 + 28 * 60 + 50)
  await enter(ports, id, ended('2026-03-01T21:59:50.000000Z', { cost: 5 }))
  assert.deepEqual(await after(0), used([1, 5], [2, 8]))
  assert.deepEqual(await after(20), used([1, 5], [0, 0]))
})

behaviour('ends a day once, where clocks go back at midnight', async ports => {
  const { id } = await tenant(ports)
  // In Beirut, 2026-10-25T00:00 is 2026-10-24T23:00 again.
  ports.clock.advance((Date.parse('2026-10-24T21:30:00Z') - Date.parse('2026-03-01T12:00:00Z')) / 1000)
  await enter(ports, id, ended('2026-10-24T12:00:00.000000Z', { cost: 5 }))
  assert.deepEqual(await ofTenant(ports, id, 'Asia/Beirut'), used([0, 0], [1, 5]))
  ports.clock.advance(3600)
  assert.deepEqual(await ofTenant(ports, id, 'Asia/Beirut'), used([0, 0], [0, 0]))
})

behaviour('uses the UTC day in a time zone that does not exist', async ports => {
  const { id } = await tenant(ports)
  await enter(ports, id, ended('2026-02-28T23:00:00.000000Z', { cost: 3 }))
  await enter(ports, id, ended('2026-03-01T01:00:00.000000Z', { cost: 3 }))
  assert.deepEqual(await ofTenant(ports, id, 'Mars/Phobos'), used([0, 0], [1, 3]))
})

behaviour('knows the channels of a switch that have a stored call', async ports => {
  await acme(ports)
  const of = (channelId: string, callId = channelId) =>
    completedCall({
      switchCallId: `${channelId}/1`,
      part: { channelId, callId },
      start: `2026-03-01 12:0${channelId.at(-1)}:00`,
    })
  await taken(ports, [of('17.1'), of('17.3', '17.2')])
  const unknown = Array.from({ length: 500 }, (_, n) => `18.${n}`)
  const stored = (source: string) => ports.limitUsage.stored(source, ['17.1', ...unknown, '17.3', '17', '7.1'])
  assert.deepEqual([...(await stored('asterisk'))].toSorted(), ['17.1', '17.3'])
  assert.deepEqual([...(await stored('freeswitch'))], [])
})

behaviour('is the same whether it is followed or added up at once', async ports => {
  const { id } = await tenant(ports)
  const other = await insert(ports.records, 'tenants', {})
  const step = fc.record({
    what: fc.constantFrom('enter', 'enter', 'enter', 'change', 'delete', 'wait'),
    which: fc.nat(20),
    minutesAgo: fc.integer({ min: -5, max: 1_500 }),
    cost: fc.nat(1_000),
    owner: fc.constantFrom(id, id, other),
  })
  const ids: number[] = []
  let now = '2026-03-01T12:00:00.000000Z'
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async steps => {
      for (const { what, which, minutesAgo, cost, owner } of steps) {
        const known = ids[which % Math.max(1, ids.length)]
        if (what === 'enter') ids.push(await enter(ports, owner, ended(addSeconds(now, -60 * minutesAgo), { cost })))
        else if (what === 'wait') {
          ports.clock.advance(which * 60)
          now = addSeconds(now, which * 60)
        } else if (known !== undefined && what === 'change') await ports.records.update(cdrs, known, { cost })
        else if (known !== undefined) {
          await ports.records.remove(cdrs, known, { cascade: false })
          ids.splice(ids.indexOf(known), 1)
        }
        const followed = await ofTenant(ports, id)
        // Another zone of the same days is added up again.
        assert.deepEqual(await ofTenant(ports, id, 'Europe/Kiev'), followed)
        await ofTenant(ports, id)
      }
    }),
    { numRuns: 15 },
  )
})
