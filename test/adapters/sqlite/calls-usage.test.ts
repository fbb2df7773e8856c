import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ingest } from '../../../adapters/pbx/ingest.ts'
import { addSeconds } from '../../../core/dates.ts'
import { USAGE_GROUPS, type UsageGroup, type UsageLine } from '../../../core/ports/calls.ts'
import { daysOfMonth, FOREVER } from '../../../core/rating/period.ts'
import { rates } from '../../../core/resources/rates.ts'
import { insert } from '../../support/rows.ts'
import { asteriskRow, contentOf, inWorld, rules, type SwitchWorld } from '../../support/switch.ts'

const usage = ({ storage, tenantId }: SwitchWorld, by: UsageGroup | null, zone = 'Europe/Kyiv', month = '2026-10') =>
  storage.calls.usage(tenantId, daysOfMonth(month, zone), by)

const call = ({ storage, tenantId }: SwitchWorld, changes: Record<string, string | number | null>) =>
  insert(storage.records, 'cdrs', { tenant_id: tenantId, ...changes })

const dateIn = (timeZone: string, moment: string): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    Date.parse(moment),
  )

describe('the usage of a month', () => {
  test(
    'is that of the tenant’s own time zone, summer time and the last second included',
    inWorld(async world => {
      const moments = {
        '2026-09-30T20:59:59.999999Z': null,
        '2026-09-30T21:00:00.000000Z': '2026-10-01',
        '2026-10-24T20:59:59.999999Z': '2026-10-24',
        '2026-10-24T21:00:00.000000Z': '2026-10-25',
        '2026-10-25T21:59:59.999999Z': '2026-10-25',
        '2026-10-25T22:00:00.000000Z': '2026-10-26',
        '2026-10-31T21:59:59.999999Z': '2026-10-31',
        '2026-10-31T22:00:00.000000Z': null,
      }
      for (const started_at of Object.keys(moments)) await call(world, { started_at })
      const lines = await usage(world, 'day')
      assert.deepEqual(
        lines.flatMap(({ group, calls }) => Array(calls).fill(group)),
        Object.values(moments).filter(day => day !== null),
      )
      assert.equal((await usage(world, null))[0]?.calls, 6)
      const inUtc = (await usage(world, 'day', 'UTC')).map(({ group, calls }) => [group, calls])
      assert.deepEqual(inUtc, [
        ['2026-10-24', 2],
        ['2026-10-25', 2],
        ['2026-10-31', 2],
      ])
    }),
  )

  test(
    'counts answered calls, their seconds, and what is without a rate',
    inWorld(async world => {
      const started_at = '2026-10-10T12:00:00.000000Z'
      await call(world, { started_at, disposition: 'answered', duration_seconds: 61, bill_seconds: 120, cost: 246 })
      await call(world, { started_at, disposition: 'BUSY', duration_seconds: 9, bill_seconds: 0, cost: 0 })
      assert.deepEqual(await usage(world, null), [
        { group: null, calls: 2, answered: 1, seconds: 61, bill_seconds: 120, cost: 246, unrated: 0 },
      ])
    }),
  )

  test(
    'is nothing without calls',
    inWorld(async world => {
      for (const by of [null, ...USAGE_GROUPS]) assert.deepEqual(await usage(world, by), [])
    }),
  )

  test(
    'names a destination by its rate, one that is gone by its prefix, and says what had none',
    inWorld(async world => {
      const { db } = world.storage.connection
      const { id: gone } = await insert(world.storage.records, 'rates', { tenant_id: world.tenantId, prefix: '49' })
      const rated = async (rate: number | null, outcome: string, prefix: string | null): Promise<void> => {
        const { id } = await call(world, { started_at: '2026-10-10T12:00:00.000000Z', cost: 1 })
        db.prepare(`INSERT INTO cdr_ratings VALUES (?, 'asterisk', ?, ?, ?, ?, 1, 1)`).run(
          id,
          `${id}`,
          outcome,
          rate,
          prefix,
        )
      }
      await rated(world.rateId, 'rated', '380')
      await rated(gone, 'rated', '49')
      await rated(null, 'no match', null)
      await rated(null, 'inbound', null)
      await call(world, { started_at: '2026-10-10T12:00:00.000000Z', cost: 1 })
      await world.storage.records.remove(rates, gone, { cascade: false })
      const lines = await usage(world, 'destination')
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
    }),
  )

  const ingested = async ({ storage }: SwitchWorld, ...rows: string[]): Promise<void> => {
    const feed = { name: '-', rules: rules() }
    await ingest(Readable.from([Buffer.from(rows.join(''))]), { feed, format: 'auto' }, storage.calls)
  }

  test(
    'counts calls that nobody answered to the destination of their number, or to those that no rate matched',
    inWorld(async world => {
      const { records } = world.storage
      const tenant_id = world.tenantId
      await insert(records, 'rates', { tenant_id, prefix: '77', destination: 'Mars', cost_per_minute: 2 ** 53 - 1 })
      const destinations = ['00380501112233', '00380501112233', '0077123', '0077123', '00491', '00491', '101', '101']
      await ingested(world, ...destinations.map((to, n) => asteriskRow({ id: `${n}`, to, seconds: n % 2 ? 65 : 0 })))
      const lines = await usage(world, 'destination')
      assert.deepEqual(
        new Map(lines.map(({ group, calls, answered }) => [group, [calls, answered]])),
        new Map([
          ['Ukraine', [2, 1]],
          ['Mars', [2, 1]],
          ['(no match)', [2, 1]],
          ['(inbound)', [2, 1]],
        ]),
      )
    }),
  )

  test(
    'counts them by the deck that was in force when they started, and names what is gone from the rates by that',
    inWorld(async world => {
      const { storage, tenantId: tenant_id } = world
      const { db } = storage.connection
      await insert(storage.records, 'rates', { tenant_id, prefix: '38050', destination: 'Ukraine mobile' })
      db.exec(`INSERT INTO decks VALUES (1, ${tenant_id}, '0000-01-01T00:00:00.000000Z', 'past', 'a', 1, ''),
        (2, ${tenant_id}, '2026-02-10T00:00:00.000000Z', 'in force', 'b', 1, '');
        INSERT INTO deck_rates (deck_id, seq, rate_id, prefix, destination, cost_per_minute, billing_increment, status)
          VALUES (1, 1, 77, '3805', 'Ukraine, all of it', 1, 1, 'active')`)
      await ingested(
        world,
        asteriskRow({ id: '1', seconds: 0, start: '2026-02-09 12:00:00' }),
        asteriskRow({ id: '2', seconds: 65, start: '2026-02-09 12:00:00' }),
        asteriskRow({ id: '3', seconds: 0, start: '2026-02-10 12:00:00' }),
      )
      const named = async () =>
        new Map(
          (await usage(world, 'destination', 'UTC', '2026-02')).map(({ group, calls, answered }) => [
            group,
            [calls, answered],
          ]),
        )
      assert.deepEqual(
        await named(),
        new Map([
          ['Ukraine, all of it', [2, 1]],
          ['Ukraine mobile', [1, 0]],
        ]),
      )
      db.exec("UPDATE decks SET state = 'forgotten' WHERE id = 1; DELETE FROM deck_rates")
      assert.deepEqual(
        await named(),
        new Map([
          ['3805', [1, 1]],
          ['Ukraine mobile', [2, 0]],
        ]),
      )
    }),
  )

  test(
    'names the destination of a call whose rate is known by its prefix alone by the rate of that prefix',
    inWorld(async world => {
      const { db } = world.storage.connection
      await ingested(world, asteriskRow({ id: '1' }), asteriskRow({ id: '2', seconds: 0 }))
      db.exec('UPDATE cdr_ratings SET rate_id = NULL')
      const lines = await usage(world, 'destination')
      assert.deepEqual(
        lines.map(({ group, calls, answered }) => [group, calls, answered]),
        [['Ukraine', 2, 1]],
      )
    }),
  )
})

test(
  'the unrated destinations of a period are those of every call that the usage counts as unrated',
  inWorld(async world => {
    const { calls, records } = world.storage
    const tenant_id = world.tenantId
    await insert(records, 'rates', { tenant_id, prefix: '77', cost_per_minute: Number.MAX_SAFE_INTEGER })
    const destinations = ['77123', '77123', '4930123456', '00380501112233']
    const rows = destinations.map((to, n) => asteriskRow({ id: `${n}`, to, seconds: 61 + (n % 2) }))
    const feed = { name: '-', rules: rules() }
    const { unrated } = await ingest(Readable.from([Buffer.from(rows.join(''))]), { feed, format: 'auto' }, calls)
    const [whole] = await usage(world, null)
    const found = await calls.unratedDestinations(tenant_id, FOREVER)
    assert.deepEqual([unrated, whole?.unrated], [3, 3])
    assert.deepEqual(
      new Set(found.map(({ number, seconds, calls }) => `${number} ${seconds} ${calls}`)),
      new Set(['77123 61 1', '77123 62 1', '4930123456 61 1']),
    )
  }),
)

interface Made {
  readonly second: number
  readonly answered: boolean
  readonly seconds: number
  readonly cost: number
  readonly inbound: boolean
  readonly own: boolean
}

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

const NAMES: Readonly<
  Record<UsageGroup, (world: SwitchWorld, call: ReturnType<typeof contentOf>[number], zone: string) => string>
> = {
  day: (_, { started_at }, zone) => dateIn(zone, started_at),
  direction: (_, { direction }) => direction,
  extension: (_, { extension_id }) => (extension_id === null ? '(none)' : '101'),
  destination: () => '(entered by hand)',
}

/** The same by the plainest means there are. */
function naive(
  calls: readonly ReturnType<typeof contentOf>[number][],
  nameOf: (call: ReturnType<typeof contentOf>[number]) => string,
) {
  const lines = new Map<string, Omit<UsageLine, 'group'>>()
  for (const call of calls) {
    const sum = lines.get(nameOf(call)) ?? { calls: 0, answered: 0, seconds: 0, bill_seconds: 0, cost: 0, unrated: 0 }
    const isAnswered = call.disposition === 'ANSWERED'
    lines.set(nameOf(call), {
      calls: sum.calls + 1,
      answered: sum.answered + Number(isAnswered),
      seconds: sum.seconds + (isAnswered ? call.duration_seconds : 0),
      bill_seconds: sum.bill_seconds + call.bill_seconds,
      cost: sum.cost + call.cost,
      unrated: 0,
    })
  }
  return lines
}

test('the usage of any calls is what adding them up gives, and the groups add up to the whole', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(made, fc.constantFrom('Europe/Kyiv', 'UTC', 'America/St_Johns'), async (list: Made[], zone) => {
      await inWorld(async world => {
        for (const { second, answered, seconds, cost, inbound, own } of list)
          await call(world, {
            started_at: addSeconds('2026-09-27T00:00:00.000000Z', second),
            disposition: answered ? 'ANSWERED' : 'BUSY',
            duration_seconds: seconds,
            bill_seconds: seconds + 1,
            cost,
            direction: inbound ? 'inbound' : 'outbound',
            extension_id: own ? world.extensionId : null,
          })
        const inMonth = contentOf(world.storage).filter(({ started_at }) =>
          dateIn(zone, started_at).startsWith('2026-10'),
        )
        const [whole] = await usage(world, null, zone)
        assert.deepEqual(
          whole ?? null,
          inMonth.length === 0 ? null : { group: null, ...naive(inMonth, () => '').get('') },
        )
        for (const by of USAGE_GROUPS) {
          const lines = await usage(world, by, zone)
          const expected = naive(inMonth, each => NAMES[by](world, each, zone))
          assert.deepEqual(new Map(lines.map(({ group, ...sums }) => [group, sums])), expected, by)
        }
      })()
    }),
    { numRuns: 25 },
  )
})
