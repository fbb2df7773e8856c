import assert from 'node:assert/strict'
import type { PageQuery } from '../../../core/ports/records.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { sortable } from '../../../core/resources/resource.ts'
import { idsOf, insert, listOf, pagesOf, type Shown } from '../../support/data/rows.ts'
import { contract, type Given } from '../contract.ts'

export const listOrderContract = contract('the order of lists', ['records'])
const { behaviour } = listOrderContract

const COUNT = 230

/** Calls whose costs, lengths and starts are in no order, and often equal. */
async function calls({ records }: Given<'records'>): Promise<Shown[]> {
  const [one, two] = [await insert(records, 'tenants'), await insert(records, 'tenants')]
  const made = Array.from({ length: COUNT }, (_, n) =>
    insert(records, 'cdrs', {
      tenant_id: n % 3 ? one.id : two.id,
      cost: ((n * 37) % 50) * 1000,
      duration_seconds: (n * 11) % 7,
      disposition: n % 4 ? 'ANSWERED' : 'BUSY',
      started_at: `2026-03-01T12:00:${String((n * 7) % 30).padStart(2, '0')}.000000Z`,
    }),
  )
  await Promise.all(made)
  return listOf(records, 'cdrs')
}

const PERIOD = { from: '2026-03-01T12:00:05.000000Z', to: '2026-03-01T12:00:20.000000Z' }

const NARROWED: readonly [query: Partial<PageQuery>, holds: (call: Shown) => boolean][] = [
  [{}, () => true],
  [{ where: { disposition: 'BUSY' } }, ({ disposition }) => disposition === 'BUSY'],
  [{ where: { tenant_id: 2 } }, ({ tenant_id }) => tenant_id === 2],
  [{ atLeast: { cost: 30_000 } }, ({ cost }) => Number(cost) >= 3],
  [
    { atLeast: { cost: 30_000, duration_seconds: 3 }, tenantId: 1 },
    ({ cost, duration_seconds, tenant_id }) => Number(cost) >= 3 && Number(duration_seconds) >= 3 && tenant_id === 1,
  ],
  [{ period: PERIOD }, ({ started_at }) => String(started_at) >= PERIOD.from && String(started_at) < PERIOD.to],
  [{ search: 'busy' }, ({ disposition }) => disposition === 'BUSY'],
  [{ search: 'sy', period: PERIOD }, call => call.disposition === 'BUSY' && isWithin(call)],
]

const isWithin = ({ started_at }: Shown): boolean => String(started_at) >= PERIOD.from && String(started_at) < PERIOD.to

/** The value that a record is sorted by; costs are shown as text. */
const keyOf = (call: Shown, by: string): number | string =>
  typeof call[by] === 'number' || by === 'cost' ? Number(call[by]) : String(call[by])

function inOrder(all: readonly Shown[], by: string, isAscending: boolean): number[] {
  const way = isAscending ? -1 : 1
  return all
    .toSorted((a, b) => {
      const [keyA, keyB] = [keyOf(a, by), keyOf(b, by)]
      return way * (keyA === keyB ? b.id - a.id : keyA < keyB ? 1 : -1)
    })
    .map(({ id }) => id)
}

behaviour('a list goes by any number or date, either way, each record once and however it is narrowed', async ports => {
  const all = await calls(ports)
  assert.deepEqual(sortable(cdrs).toSorted(), [
    'bill_seconds',
    'cost',
    'created_at',
    'duration_seconds',
    'id',
    'started_at',
    'updated_at',
  ])
  for (const by of sortable(cdrs))
    for (const isAscending of [false, true])
      for (const [query, holds] of NARROWED) {
        const sort = { by, isAscending }
        const expected = inOrder(all.filter(holds), by, isAscending)
        const about = JSON.stringify({ sort, query })
        assert.ok(expected.length > 20, about)
        assert.deepEqual(await idsOf(ports.records, 'cdrs', { ...query, sort }), expected, about)
        const [page] = await pagesOf(ports.records, 'cdrs', { ...query, sort, limit: 7 })
        assert.deepEqual([page?.list.map(({ id }) => id), page?.next], [expected.slice(0, 7), expected[6]], about)
        const rest = await idsOf(ports.records, 'cdrs', { ...query, sort, limit: 1_000, after: expected[6] ?? 0 })
        assert.deepEqual(rest, expected.slice(7), about)
      }
})

behaviour(
  'a sorted list after a record beyond either end of its period begins at that end, or is empty',
  async ports => {
    const all = await calls(ports)
    const [latest = 0, earliest = 0] = [all[0]?.id, all.at(-1)?.id]
    for (const isAscending of [false, true]) {
      const sort = { by: 'started_at', isAscending }
      const expected = inOrder(all.filter(isWithin), 'started_at', isAscending)
      const [before, behind] = isAscending ? [earliest, latest] : [latest, earliest]
      const after = (id: number) => idsOf(ports.records, 'cdrs', { sort, period: PERIOD, after: id, limit: 500 })
      assert.deepEqual(await after(before), expected)
      assert.deepEqual(await after(behind), [])
    }
  },
)
