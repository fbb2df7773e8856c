import assert from 'node:assert/strict'
import fc from 'fast-check'
import { addSeconds } from '../../../core/dates.ts'
import { USAGE_GROUPS, type UsageGroup, type UsageLine } from '../../../core/ports/calls.ts'
import { daysOfMonth, FOREVER } from '../../../core/rating/period.ts'
import { rates } from '../../../core/resources/rates.ts'
import type { Row } from '../../../core/resources/resource.ts'
import { insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'
import { acme, completedCall, SWITCH_PORTS, type SwitchPorts, storedCalls, taken } from './switch.ts'

export const callUsageContract = contract('the usage of a month', SWITCH_PORTS)
const { behaviour } = callUsageContract

const usage = (
  { calls }: SwitchPorts,
  tenantId: number,
  by: UsageGroup | null,
  zone = 'Europe/Kyiv',
): Promise<UsageLine[]> => calls.usage(tenantId, daysOfMonth('2026-10', zone), by)

const enter = ({ records }: SwitchPorts, tenant_id: number, changes: Row) =>
  insert(records, 'cdrs', { tenant_id, ...changes })

const MOMENTS = {
  '2026-09-30T20:59:59.999999Z': null,
  '2026-09-30T21:00:00.000000Z': '2026-10-01',
  '2026-10-24T20:59:59.999999Z': '2026-10-24',
  '2026-10-24T21:00:00.000000Z': '2026-10-25',
  '2026-10-25T21:59:59.999999Z': '2026-10-25',
  '2026-10-25T22:00:00.000000Z': '2026-10-26',
  '2026-10-31T21:59:59.999999Z': '2026-10-31',
  '2026-10-31T22:00:00.000000Z': null,
}

behaviour('is that of a time zone, summer time and the last second included', async ports => {
  const { tenantId } = await acme(ports)
  for (const started_at of Object.keys(MOMENTS)) await enter(ports, tenantId, { started_at })
  assert.deepEqual(
    (await usage(ports, tenantId, 'day')).flatMap(({ group, calls }) => Array(calls).fill(group)),
    Object.values(MOMENTS).filter(day => day !== null),
  )
  assert.equal((await usage(ports, tenantId, null))[0]?.calls, 6)
  const inUtc = (await usage(ports, tenantId, 'day', 'UTC')).map(({ group, calls }) => [group, calls])
  assert.deepEqual(inUtc, [
    ['2026-10-24', 2],
    ['2026-10-25', 2],
    ['2026-10-31', 2],
  ])
})

behaviour('counts answered calls, their seconds, and calls without a rate', async ports => {
  const { tenantId } = await acme(ports)
  const started_at = '2026-10-10T12:00:00.000000Z'
  const answered = { disposition: 'answered', duration_seconds: 61, bill_seconds: 120, cost: 246 }
  await enter(ports, tenantId, { started_at, ...answered })
  await enter(ports, tenantId, { started_at, disposition: 'BUSY', duration_seconds: 9, bill_seconds: 0, cost: 0 })
  await taken(ports, [completedCall({ destinationNumber: '4930123456' })])
  assert.deepEqual(
    (await usage(ports, tenantId, null)).map(line => ({ ...line })),
    [{ group: null, calls: 3, answered: 2, seconds: 126, bill_seconds: 185, cost: 246, unrated: 1 }],
  )
})

behaviour('is nothing without calls', async ports => {
  const { tenantId } = await acme(ports)
  for (const by of [null, ...USAGE_GROUPS]) assert.deepEqual(await usage(ports, tenantId, by), [])
})

behaviour(
  'names a destination by its rate, that of a deleted rate by its prefix, and counts calls without one',
  async ports => {
    const { tenantId } = await acme(ports)
    const { id: gone } = await insert(ports.records, 'rates', { tenant_id: tenantId, prefix: '49' })
    const destinations = ['00380501112233', '4930123456', '48221234567', '380441234567']
    await taken(
      ports,
      destinations.map((destinationNumber, n) => completedCall({ switchCallId: `${n}`, destinationNumber })),
    )
    await enter(ports, tenantId, { started_at: '2026-10-10T12:00:00.000000Z' })
    await ports.records.remove(rates, gone, { cascade: false })
    const lines = await usage(ports, tenantId, 'destination')
    assert.deepEqual(
      new Map(lines.map(({ group, calls, unrated }) => [group, [calls, unrated]])),
      new Map([
        ['(entered by hand)', [1, 0]],
        ['(inbound)', [1, 0]],
        ['(no match)', [1, 1]],
        ['49', [1, 0]],
        ['Ukraine', [1, 0]],
      ]),
    )
  },
)

behaviour('counts unanswered calls under the destination of their number', async ports => {
  const { tenantId: tenant_id } = await acme(ports)
  const tooMuch = { prefix: '77', destination: 'Mars', cost_per_minute: Number.MAX_SAFE_INTEGER }
  await insert(ports.records, 'rates', { tenant_id, ...tooMuch })
  const calls = ['00380501112233', '0077123', '00491', '101'].flatMap((destinationNumber, n) =>
    [0, 65].map(answeredSeconds =>
      completedCall({ switchCallId: `${n}-${answeredSeconds}`, destinationNumber, answeredSeconds }),
    ),
  )
  await taken(ports, calls)
  const lines = await usage(ports, tenant_id, 'destination')
  assert.deepEqual(
    new Map(lines.map(({ group, calls, answered }) => [group, [calls, answered]])),
    new Map(['Ukraine', 'Mars', '(no match)', '(inbound)'].map(group => [group, [2, 1]])),
  )
})

behaviour(
  'of the newest calls, so many, names the number and prefix of those that a rate was found for',
  async ports => {
    const { tenantId } = await acme(ports)
    const call = (switchCallId: string, start: string, destinationNumber: string) =>
      completedCall({ switchCallId, start, destinationNumber })
    await taken(ports, [
      call('1', '2026-10-01 12:00:00', '00380501112231'),
      call('2', '2026-10-02 12:00:00', '00380501112232'),
      call('3', '2026-10-03 12:00:00', '004930123456'),
      call('4', '2026-11-02 12:00:00', '00380501112234'),
    ])
    const newest = async (most: number) =>
      (await ports.calls.newestRated(tenantId, { from: '2026-10-01', to: '2026-11-01' }, most)).map(
        ({ number, prefix }) => `${prefix} ${number}`,
      )
    assert.deepEqual((await newest(100)).toSorted(), ['380 00380501112231', '380 00380501112232'])
    assert.deepEqual(await newest(2), ['380 00380501112232'])
    assert.deepEqual(await newest(1), [])
  },
)

behaviour('counts as unrated exactly the calls whose destinations are listed as unrated', async ports => {
  const { tenantId: tenant_id } = await acme(ports)
  await insert(ports.records, 'rates', { tenant_id, prefix: '77', cost_per_minute: Number.MAX_SAFE_INTEGER })
  const destinations = ['77123', '77123', '4930123456', '00380501112233']
  const calls = destinations.map((destinationNumber, n) =>
    completedCall({ switchCallId: `${n}`, destinationNumber, answeredSeconds: 61 + (n % 2) }),
  )
  const { unrated } = await taken(ports, calls)
  const [whole] = await usage(ports, tenant_id, null)
  assert.deepEqual([unrated, whole?.unrated, await ports.calls.unratedCount()], [3, 3, 3])
  const found = await ports.calls.unratedDestinations(tenant_id, FOREVER)
  assert.deepEqual(
    new Set(found.map(({ number, seconds, calls }) => `${number} ${seconds} ${calls}`)),
    new Set(['77123 61 1', '77123 62 1', '4930123456 61 1']),
  )
})

const made = fc.array(
  fc.record({
    second: fc.integer({ min: 0, max: 40 * 86_400 }),
    answered: fc.boolean(),
    seconds: fc.integer({ min: 0, max: 90_000 }),
    cost: fc.integer({ min: 0, max: 2 ** 40 }),
    inbound: fc.boolean(),
    own: fc.boolean(),
  }),
  { maxLength: 40 },
)

type Stored = Awaited<ReturnType<typeof storedCalls>>[number]

const dateIn = (timeZone: string, moment: unknown): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    Date.parse(String(moment)),
  )

const NAMES: Readonly<Record<UsageGroup, (call: Stored, zone: string) => string>> = {
  day: ({ started_at }, zone) => dateIn(zone, started_at),
  direction: ({ direction }) => String(direction),
  extension: ({ extension_id }) => (extension_id === null ? '(none)' : '101'),
  destination: () => '(entered by hand)',
}

/** The same by the simplest means. */
function naive(calls: readonly Stored[], nameOf: (call: Stored) => string) {
  const lines = new Map<string, Omit<UsageLine, 'group'>>()
  for (const call of calls) {
    const sum = lines.get(nameOf(call)) ?? { calls: 0, answered: 0, seconds: 0, bill_seconds: 0, cost: 0, unrated: 0 }
    const isAnswered = call.disposition === 'ANSWERED'
    lines.set(nameOf(call), {
      calls: sum.calls + 1,
      answered: sum.answered + Number(isAnswered),
      seconds: sum.seconds + (isAnswered ? Number(call.duration_seconds) : 0),
      bill_seconds: sum.bill_seconds + Number(call.bill_seconds),
      cost: sum.cost + call.units,
      unrated: 0,
    })
  }
  return lines
}

behaviour('is what adding the calls up gives, and the groups add up to the whole', async ports => {
  const { extensionId } = await acme(ports)
  await fc.assert(
    fc.asyncProperty(made, fc.constantFrom('Europe/Kyiv', 'UTC', 'America/St_Johns'), async (list, zone) => {
      const { id: tenantId } = await insert(ports.records, 'tenants')
      const entered = list.map(({ second, answered, seconds, cost, inbound, own }) =>
        enter(ports, tenantId, {
          started_at: addSeconds('2026-09-27T00:00:00.000000Z', second),
          disposition: answered ? 'ANSWERED' : 'BUSY',
          duration_seconds: seconds,
          bill_seconds: seconds + 1,
          cost,
          direction: inbound ? 'inbound' : 'outbound',
          extension_id: own ? extensionId : null,
        }),
      )
      await Promise.all(entered)
      const inMonth = (await storedCalls(ports)).filter(
        ({ tenant_id, started_at }) => tenant_id === tenantId && dateIn(zone, started_at).startsWith('2026-10'),
      )
      for (const by of [null, ...USAGE_GROUPS]) {
        const lines = await usage(ports, tenantId, by, zone)
        const expected = naive(inMonth, each => (by === null ? '' : NAMES[by](each, zone)))
        assert.deepEqual(new Map(lines.map(({ group, ...sums }) => [group ?? '', sums])), expected, by ?? 'whole')
      }
    }),
    { numRuns: 12 },
  )
})
