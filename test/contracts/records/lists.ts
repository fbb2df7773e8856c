import assert from 'node:assert/strict'
import type { Selection } from '../../../core/ports/records.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { idsOf, insert, listOf, pagesOf } from '../../support/data/rows.ts'
import { contract, type Given } from '../contract.ts'

export const listsContract = contract('lists and searches', ['records'])
const { behaviour } = listsContract
type Ports = Given<'records'>

/** One tenant with this many calls, whose starts are in no order and often equal; returned in the order of the list. */
async function calls({ records }: Ports, count: number, of: Readonly<Record<string, number>> = {}): Promise<number[]> {
  const tenant = await insert(records, 'tenants')
  const made = await Promise.all(
    Array.from({ length: count }, (_, n) => {
      const started_at = `2026-03-01T12:00:${String((n * 7) % 30).padStart(2, '0')}.000000Z`
      return insert(records, 'cdrs', { tenant_id: tenant.id, started_at, ...of })
    }),
  )
  return made
    .toSorted((a, b) =>
      a.started_at === b.started_at ? b.id - a.id : String(a.started_at) < String(b.started_at) ? 1 : -1,
    )
    .map(({ id }) => id)
}

behaviour('an empty list is one empty page', async ({ records }) => {
  for (const query of [
    {},
    { limit: 5 },
    { search: 'nothing' },
    { search: 'nothing', limit: 5 },
    { where: { status: 'x' } },
  ])
    assert.deepEqual(await pagesOf(records, 'tenants', query), [
      { json: '', count: 0, isLast: true, next: null, list: [] },
    ])
})

behaviour('a list is newest first', async ({ records }) => {
  const ids = []
  for (let n = 0; n < 5; n++) ids.unshift((await insert(records, 'tenants')).id)
  assert.deepEqual(await idsOf(records, 'tenants'), ids)
})

behaviour('calls go by their start, then by id, both descending', async ports => {
  const order = await calls(ports, 50)
  assert.deepEqual(await idsOf(ports.records, 'cdrs'), order)
})

behaviour('a long list comes in several pages, each record once', async ports => {
  const order = await calls(ports, 2_345)
  const pages = await pagesOf(ports.records, 'cdrs')
  assert.ok(pages.length > 1)
  assert.deepEqual(
    pages.flatMap(page => page.list.map(({ id }) => id)),
    order,
  )
  for (const [place, page] of pages.entries()) {
    assert.equal(page.count, page.list.length)
    assert.deepEqual([page.isLast, page.next], [place === pages.length - 1, null])
  }
})

behaviour(
  'the calls of one extension come in the order of all, each once, those that go meanwhile left out',
  async ports => {
    const { records } = ports
    await insert(records, 'tenants')
    const [one, other] = [await insert(records, 'extensions'), await insert(records, 'extensions')]
    const order = await calls(ports, 4_321, { extension_id: one.id })
    await calls(ports, 3, { extension_id: other.id })
    const where = { extension_id: one.id }
    assert.deepEqual(await idsOf(records, 'cdrs', { where }), order)
    assert.deepEqual(await idsOf(records, 'cdrs', { where, after: order[4_000] ?? 0 }), order.slice(4_001))
    assert.deepEqual(await idsOf(records, 'cdrs', { where, limit: 2, after: order[1] ?? 0 }), order.slice(2, 4))
    const kept: number[] = []
    for await (const { json } of records.list(resourceNamed('cdrs'), { view: 'plain', where })) {
      if (kept.length === 0) await records.remove(resourceNamed('cdrs'), order[2_000] ?? 0, { cascade: false })
      kept.push(...JSON.parse(`[${json}]`).map(({ id }: { id: number }) => id))
    }
    assert.deepEqual(kept, order.toSpliced(2_000, 1))
  },
)

behaviour('a limit gives one page, and returns where the next one begins', async ports => {
  const order = await calls(ports, 30)
  for (const limit of [1, 7, 29, 30, 31]) {
    const walked: number[] = []
    let pages = 0
    let after: number | null = null
    do {
      const [page, ...others]: Awaited<ReturnType<typeof pagesOf>> = await pagesOf(ports.records, 'cdrs', {
        limit,
        ...(after === null ? {} : { after }),
      })
      assert.ok(page && others.length === 0 && page.count <= limit)
      walked.push(...page.list.map(({ id }) => id))
      after = page.next
      pages++
    } while (after !== null)
    assert.deepEqual(walked, order, `by ${limit}`)
    assert.equal(pages, Math.ceil(30 / limit))
  }
})

behaviour('pages continue where they were, whatever is added or removed meanwhile', async ports => {
  const { records } = ports
  const order = await calls(ports, 10)
  const [first] = await pagesOf(records, 'cdrs', { limit: 4 })
  await insert(records, 'cdrs', { tenant_id: 1, started_at: '2026-03-02T00:00:00.000000Z' })
  await records.remove(resourceNamed('cdrs'), order[5] ?? 0, { cascade: false })
  assert.deepEqual(await idsOf(records, 'cdrs', { limit: 4, after: first?.next ?? 0 }), [
    order[4],
    ...order.slice(6, 9),
  ])
})

behaviour('after a deleted record, a list by id continues and a list by another column is invalid', async ports => {
  const { records } = ports
  const order = await calls(ports, 3)
  await assert.rejects(pagesOf(records, 'cdrs', { limit: 1, after: 999 }), {
    code: 'invalid',
    message: 'The selected after is invalid.',
  })
  const [a, b, c] = [await insert(records, 'dids'), await insert(records, 'dids'), await insert(records, 'dids')]
  await records.remove(resourceNamed('dids'), b.id, { cascade: false })
  assert.deepEqual(await idsOf(records, 'dids', { limit: 5, after: b.id }), [a.id])
  assert.deepEqual(await idsOf(records, 'dids', { limit: 5, after: c.id + 100 }), [c.id, a.id])
  assert.deepEqual(await idsOf(records, 'cdrs', { limit: 5, after: order[2] ?? 0 }), [])
})

behaviour('only the records that hold the wanted values are listed, searched and paged', async ({ records }) => {
  const [one, two] = [await insert(records, 'tenants'), await insert(records, 'tenants')]
  const mine = []
  for (let n = 0; n < 5; n++) {
    mine.unshift(await insert(records, 'queues', { tenant_id: one.id, name: n % 2 ? 'Sales desk' : 'Support' }))
    await insert(records, 'queues', { tenant_id: two.id, name: 'Sales desk' })
  }
  const where = { tenant_id: one.id }
  const sales = mine.filter(({ name }) => name === 'Sales desk').map(({ id }) => id)
  assert.deepEqual(
    await idsOf(records, 'queues', { where }),
    mine.map(({ id }) => id),
  )
  assert.deepEqual(await idsOf(records, 'queues', { where, search: 'sales' }), sales)
  assert.deepEqual(await idsOf(records, 'queues', { where, search: 'sa' }), sales)
  assert.deepEqual(await idsOf(records, 'queues', { where, search: 'sales', limit: 1 }), sales.slice(0, 1))
  assert.deepEqual(
    await idsOf(records, 'queues', { where, search: 'sales', limit: 1, after: sales[0] ?? 0 }),
    sales.slice(1, 2),
  )
  assert.deepEqual(await idsOf(records, 'queues', { where: { tenant_id: 99 } }), [])
})

behaviour(
  'a search looks in the declared fields, in any case, and takes % and _ for what they are',
  async ({ records }) => {
    const found = async (search: string) => (await listOf(records, 'tenants', { search })).map(({ slug }) => slug)
    await insert(records, 'tenants', { name: 'École 100%', slug: 'a_b', domain: 'x.example.com' })
    await insert(records, 'tenants', {
      name: 'ÉCOLE 100',
      slug: 'ab',
      domain: 'xx.example.com',
      timezone: 'Asia/Kolkata',
    })
    assert.deepEqual(await found('école'), ['ab', 'a_b'])
    assert.deepEqual(await found('100%'), ['a_b'])
    assert.deepEqual(await found('%'), ['a_b'])
    assert.deepEqual(await found('_'), ['a_b'])
    assert.deepEqual(await found('X.EXAMPLE.COM'), ['ab', 'a_b'])
    assert.deepEqual(await found('xx.ex'), ['ab'])
    assert.deepEqual(await found('kolkata'), [])
    assert.deepEqual(await found('100aa'), [])
  },
)

behaviour('a list embeds what its resource declares', async ({ records }) => {
  const tenant = await insert(records, 'tenants')
  await insert(records, 'tenants')
  for (let n = 0; n < 2; n++) await insert(records, 'extensions', { tenant_id: tenant.id })
  await insert(records, 'queues', { tenant_id: tenant.id })
  const counts = async () =>
    (await listOf(records, 'tenants', { view: 'list' })).map(t => [t.extensions_count, t.dids_count, t.queues_count])
  assert.deepEqual(await counts(), [
    [0, 0, 0],
    [2, 0, 1],
  ])
  const [listed] = await listOf(records, 'queues', { view: 'list' })
  assert.deepEqual([listed?.tenant, listed?.agents], [tenant, []])
  const [plain] = await listOf(records, 'queues')
  assert.ok(plain && !('tenant' in plain) && !('agents' in plain))
})

/** The calls that began between two seconds of the minute, taken from the list of all. */
async function within(ports: Ports, from: string, to: string): Promise<number[]> {
  const all = await listOf(ports.records, 'cdrs')
  return all.filter(({ started_at }) => String(started_at) >= from && String(started_at) < to).map(({ id }) => id)
}

const PERIOD = { from: '2026-03-01T12:00:05.000000Z', to: '2026-03-01T12:00:20.000000Z' }

behaviour('a list of a period has what began in it, its end not included, in pages too', async ports => {
  await calls(ports, 401)
  const expected = await within(ports, PERIOD.from, PERIOD.to)
  assert.ok(expected.length > 200)
  assert.deepEqual(await idsOf(ports.records, 'cdrs', { period: PERIOD }), expected)
  assert.deepEqual(await idsOf(ports.records, 'cdrs', { period: PERIOD, search: 'outbound' }), expected)
  const [first] = await pagesOf(ports.records, 'cdrs', { period: PERIOD, limit: 7 })
  assert.equal(first?.next, expected[6])
  const rest = { period: PERIOD, after: expected[6] ?? 0, limit: 500 }
  assert.deepEqual(await idsOf(ports.records, 'cdrs', rest), expected.slice(7))
})

behaviour('a list of a period may begin after a record beyond its end', async ports => {
  const [latest = 0] = await calls(ports, 60)
  assert.deepEqual(
    await idsOf(ports.records, 'cdrs', { period: PERIOD, after: latest, limit: 500 }),
    await within(ports, PERIOD.from, PERIOD.to),
  )
})

behaviour('a list of a period can be narrowed besides', async ports => {
  await calls(ports, 30)
  await calls(ports, 30)
  const [one] = await listOf(ports.records, 'tenants')
  const tenantId = Number(one?.id)
  const all = await listOf(ports.records, 'cdrs', { where: { tenant_id: tenantId } })
  const expected = await within(ports, PERIOD.from, PERIOD.to)
  const narrowed = await idsOf(ports.records, 'cdrs', { period: PERIOD, where: { tenant_id: tenantId } })
  assert.deepEqual(
    narrowed,
    expected.filter(id => all.some(call => call.id === id)),
  )
  assert.equal(narrowed.length, 15)
})

behaviour('a field may hold one of several wanted values', async ({ records }) => {
  const { id: tenant_id } = await insert(records, 'tenants')
  const made = []
  for (const extension_number of ['101', '102', '103'])
    made.push((await insert(records, 'extensions', { tenant_id, extension_number })).id)
  const where = { tenant_id, extension_number: ['101', '103', '104'] }
  assert.deepEqual(await idsOf(records, 'extensions', { where }), [made[2], made[0]])
})

behaviour('the records of a tenant are found by their own tenant, or by that of what they point to', async given => {
  const { records } = given
  const [one, two] = [await insert(records, 'tenants'), await insert(records, 'tenants')]
  const found = async (name: string): Promise<number[]> => idsOf(records, name, { tenantId: one.id })
  const expected: Record<string, number[]> = {}
  for (const { id: tenant_id } of [two, one]) {
    const { id: extension_id } = await insert(records, 'extensions', { tenant_id })
    const { id: queue_id } = await insert(records, 'queues', { tenant_id })
    const { id: did_id } = await insert(records, 'dids', { tenant_id })
    const device = await insert(records, 'devices', { extension_id })
    const agent = await insert(records, 'agents', { queue_id, extension_id })
    const toExtension = await insert(records, 'routes', { did_id, target_type: 'extension', target_id: extension_id })
    const toQueue = await insert(records, 'routes', { did_id, target_type: 'queue', target_id: queue_id })
    expected.extensions = [extension_id]
    expected.devices = [device.id]
    expected.agents = [agent.id]
    expected.routes = [toQueue.id, toExtension.id]
  }
  for (const [name, ids] of Object.entries(expected)) assert.deepEqual(await found(name), ids, name)
})

behaviour('an aborted list reads nothing, and rejects with the reason', async given => {
  await calls(given, 201)
  const asking = new AbortController()
  const reading = async (): Promise<void> => {
    for await (const _ of given.records.list(resourceNamed('cdrs'), { view: 'plain', signal: asking.signal }))
      asking.abort(new RangeError('the client is gone'))
  }
  await assert.rejects(reading(), RangeError)
})

behaviour('a selection is counted, up to the given bound', async given => {
  const { records } = given
  const cdrs = resourceNamed('cdrs')
  assert.equal(await records.countUpTo(cdrs, {}, 10), 0)
  await calls(given, 40, { cost: 10_000 })
  await calls(given, 30)
  const count = (selection: Selection, most = 1_000): Promise<number> => records.countUpTo(cdrs, selection, most)
  assert.equal(await count({}), 70)
  assert.equal(await count({}, 50), 50)
  assert.equal(await count({ atLeast: { cost: 10_000 } }), 40)
  assert.equal(await count({ where: { direction: ['inbound', 'outbound'] } }), 70)
  assert.equal(await count({ where: { disposition: 'no such thing' } }), 0)
  const period = { from: '2026-03-01T12:00:00.000000Z', to: '2026-03-01T12:00:01.000000Z' }
  assert.equal(await count({ period }), (await listOf(records, 'cdrs', { period })).length)
})

behaviour('booleans are chosen by 1 and 0', async ({ records }) => {
  await insert(records, 'tenants')
  await insert(records, 'extensions', { voicemail_enabled: true })
  await insert(records, 'extensions', { voicemail_enabled: false })
  assert.equal((await listOf(records, 'extensions', { where: { voicemail_enabled: 1 } })).length, 1)
})
