import assert from 'node:assert/strict'
import type { CompletedCall } from '../../../core/calls/completed-call.ts'
import type { FeedRules } from '../../../core/calls/record-call.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { rates } from '../../../core/resources/rates.ts'
import { idsOf, insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'
import {
  acme,
  completedCall,
  quarantined,
  replayed,
  rules,
  type StoredCall,
  SWITCH_PORTS,
  type SwitchPorts,
  storedCalls,
  taken,
} from './switch.ts'

export const callsContract = contract('calls', SWITCH_PORTS)
const { behaviour } = callsContract

/** Stores one call, and returns it as stored. */
async function stored(
  ports: SwitchPorts,
  given: Parameters<typeof completedCall>[0] = {},
  by: Partial<FeedRules> = {},
): Promise<StoredCall | undefined> {
  const call = completedCall(given)
  await taken(ports, [call], by)
  return (await storedCalls(ports)).find(({ switchCallId }) => switchCallId === call.switchCallId)
}

/** The outcome of calls: how many are stored, known and quarantined. */
async function fate(ports: SwitchPorts, calls: readonly CompletedCall[], by?: Partial<FeedRules>): Promise<number[]> {
  const { stored, known, quarantined } = await taken(ports, calls, by)
  return [stored, known, quarantined]
}

behaviour('a completed call is stored with its cost and its rating', async ports => {
  const { tenantId, extensionId, rateId } = await acme(ports)
  const counts = await taken(ports, [completedCall()])
  assert.deepEqual(counts, { stored: 1, known: 0, unrated: 0, quarantined: 0, legs: 0 })
  const [call, ...others] = await storedCalls(ports)
  assert.ok(call && others.length === 0)
  const { id, created_at: _, updated_at: __, ...values } = call
  assert.deepEqual(values, {
    tenant_id: tenantId,
    extension_id: extensionId,
    caller_number: '101',
    destination_number: '00380501112233',
    direction: 'outbound',
    disposition: 'ANSWERED',
    duration_seconds: 65,
    bill_seconds: 120,
    cost: '0.0246',
    started_at: '2026-10-01T12:00:00.000000Z',
    ended_at: null,
    units: 246,
    source: 'asterisk',
    switchCallId: '1',
    outcome: 'rated',
    prefix: '380',
  })
  const rating = { direction: 'outbound', outcome: 'rated', prefix: '380', cost_per_minute: 123, billing_increment: 60 }
  assert.deepEqual(await ports.calls.ratings(id), [{ ...rating, bill_seconds: 120, cost: 246, replaced_at: null }])
  assert.deepEqual(await ports.calls.usedRates(tenantId, FOREVER), new Set([rateId]))
})

behaviour('a call that no switch handed over has no rating', async ports => {
  const { tenantId } = await acme(ports)
  const { id } = await insert(ports.records, 'cdrs', { tenant_id: tenantId })
  assert.deepEqual(await ports.calls.ratings(id), [])
})

behaviour('a later change of rates changes no call that is stored, and is seen by the next', async ports => {
  const { rateId, tenantId } = await acme(ports)
  await taken(ports, [completedCall()])
  await ports.records.update(rates, rateId, { cost_per_minute: 99_999 })
  assert.equal((await stored(ports, { switchCallId: '2' }))?.units, 199_998)
  await insert(ports.records, 'rates', { tenant_id: tenantId, prefix: '38050', cost_per_minute: 500 })
  assert.equal((await stored(ports, { switchCallId: '3' }))?.prefix, '38050')
  assert.equal((await storedCalls(ports))[0]?.units, 246)
})

behaviour('a call without a rate is kept, marked, and costs nothing', async ports => {
  const { tenantId } = await acme(ports)
  const call = await stored(ports, { destinationNumber: '4930123456' })
  assert.deepEqual([call?.units, call?.bill_seconds, call?.outcome, call?.prefix], [0, 65, 'no match', null])
  await taken(ports, [completedCall({ switchCallId: '2' })])
  assert.equal(await ports.calls.unratedCount(), 1)
  assert.deepEqual(await idsOf(ports.records, 'cdrs', { unrated: true }), [call?.id])
  const [unrated, ...others] = await ports.calls.unratedDestinations(tenantId, FOREVER)
  assert.deepEqual([unrated?.calls, unrated?.seconds, others], [1, 65, []])
  const found = []
  for await (const some of ports.calls.unratedOf([tenantId, tenantId + 1])) found.push(...some)
  assert.deepEqual(
    found.map(each => [each.tenantId, each.number]),
    [[tenantId, '4930123456']],
  )
})

behaviour('a call is one record, however often it comes and in whichever format of its switch', async ports => {
  await acme(ports)
  const call = completedCall()
  assert.deepEqual(await fate(ports, [call, call]), [1, 1, 0])
  assert.deepEqual(await fate(ports, [completedCall({ source: 'asterisk-custom' })]), [0, 1, 0])
  assert.deepEqual(await fate(ports, [completedCall({ source: 'ndjson' })]), [1, 0, 0])
  assert.equal((await storedCalls(ports)).length, 2)
})

behaviour('a call is known again among new ones, whatever characters their ids have', async ports => {
  await acme(ports)
  const ids = ['\u{1f600}', '\ufffd', 'é', 'b', 'a/1', '1.20', '1.100']
  const calls = (mark: string) => ids.map(id => completedCall({ switchCallId: id + mark }))
  assert.deepEqual(await fate(ports, calls('')), [7, 0, 0])
  assert.deepEqual(await fate(ports, [...calls('.1'), ...calls('').reverse()]), [7, 7, 0])
  for (const call of calls('.1')) assert.deepEqual(await fate(ports, [call]), [0, 1, 0], call.switchCallId)
  assert.deepEqual(await fate(ports, calls('').slice(0, 2)), [0, 2, 0])
})

behaviour('a leg that a switch places within a call is counted, but not as a call', async ports => {
  await acme(ports)
  const { stored, legs } = await taken(ports, [completedCall(), completedCall({ switchCallId: '2', leg: 'b' })])
  assert.deepEqual([stored, legs, (await storedCalls(ports)).length], [1, 1, 1])
})

behaviour('the tenant of a call is that of its account code, else of its context, else the fixed one', async ports => {
  const { tenantId } = await acme(ports)
  const { id: other } = await insert(ports.records, 'tenants', { slug: 'other' })
  const { id: third } = await insert(ports.records, 'tenants', { slug: 'third' })
  const by = { contexts: { 'from-other': 'other' }, tenant: 'third' }
  const tenantOf = async (given: Partial<CompletedCall>) => (await stored(ports, given, by))?.tenant_id
  assert.equal(await tenantOf({ switchCallId: '1', context: 'from-other' }), tenantId)
  assert.equal(await tenantOf({ switchCallId: '2', accountcode: '', context: 'from-other' }), other)
  assert.equal(await tenantOf({ switchCallId: '3', accountcode: '' }), third)
  assert.equal(await tenantOf({ switchCallId: '4', accountcode: '', context: 'constructor' }), third)
})

behaviour('the rates of another tenant are never used', async ports => {
  await acme(ports)
  const { id: other } = await insert(ports.records, 'tenants', { slug: 'other' })
  await insert(ports.records, 'rates', { tenant_id: other, prefix: '38050', cost_per_minute: 99 })
  assert.equal((await stored(ports, { switchCallId: '1' }))?.prefix, '380')
  assert.equal((await stored(ports, { switchCallId: '2', accountcode: 'other' }))?.prefix, '38050')
})

behaviour('a call is inbound that ends at a DID or an extension of its own tenant, and outbound else', async ports => {
  const { extensionId } = await acme(ports)
  const { id: other } = await insert(ports.records, 'tenants', { slug: 'other' })
  await insert(ports.records, 'dids', { tenant_id: other, number: '+380507777777' })
  for (const [from, to, direction, extension, cost] of [
    ['101', '00380501112233', 'outbound', extensionId, 246],
    ['+4930555', '380441234567', 'inbound', null, 0],
    ['+4930555', '101', 'inbound', extensionId, 0],
    ['101', '+380441234567', 'inbound', extensionId, 0],
    ['+4930555', '00380501112233', 'outbound', null, 246],
    ['101', '380507777777', 'outbound', extensionId, 246],
  ] as const) {
    const call = await stored(ports, { switchCallId: `${from}-${to}`, callerNumber: from, destinationNumber: to })
    assert.deepEqual([call?.direction, call?.extension_id, call?.units], [direction, extension, cost], `${from} ${to}`)
  }
})

behaviour('the times of a switch are read by its own clock, summer time included', async ports => {
  await acme(ports)
  const startOf = async (start: string) =>
    (await stored(ports, { switchCallId: start, start }, { timezone: 'Europe/Kyiv' }))?.started_at
  assert.equal(await startOf('2026-07-01 12:00:00'), '2026-07-01T09:00:00.000000Z')
  assert.equal(await startOf('2026-12-01 12:00:00'), '2026-12-01T10:00:00.000000Z')
  assert.equal(await startOf('2026-10-25 02:59:59'), '2026-10-24T23:59:59.000000Z')
  assert.equal(await startOf('2026-10-25 04:00:00'), '2026-10-25T02:00:00.000000Z')
})

const another = (): CompletedCall => completedCall({ start: '2026-10-01 12:00:07', destinationNumber: '4930123456' })

behaviour('another call with the id of a stored one waits in quarantine, until its switch is named', async ports => {
  await acme(ports)
  assert.deepEqual(await fate(ports, [completedCall(), another(), completedCall()]), [1, 1, 1])
  assert.equal(await replayed(ports), 0)
  assert.deepEqual(await fate(ports, [another()]), [0, 0, 1])
  const [waiting, ...others] = await quarantined(ports)
  assert.match(String(waiting?.reason), /^another call, to 00380501112233 at 2026-10-01T12:00:00\.000000Z, has its id/)
  assert.deepEqual([waiting?.seen, others], [2, []])
  assert.equal(await replayed(ports, { switchName: 'second' }), 1)
  assert.equal(await ports.calls.quarantineCount(), 0)
  assert.deepEqual(await fate(ports, [another()], { switchName: 'second' }), [0, 1, 0])
})

behaviour('calls of switches with names are two records, and each is known without its name', async ports => {
  await acme(ports)
  const [first, second] = [{ switchName: 'pbx-1' }, { switchName: 'pbx-2' }]
  assert.deepEqual(await fate(ports, [completedCall()], first), [1, 0, 0])
  assert.deepEqual(await fate(ports, [completedCall()], second), [1, 0, 0])
  for (const by of [first, second, {}]) assert.deepEqual(await fate(ports, [completedCall()], by), [0, 1, 0])
})

behaviour('the quarantine keeps a record and the reason, and gives it back once that is mended', async ports => {
  await acme(ports)
  const late = completedCall({ accountcode: 'late' })
  const nobodys = completedCall({ accountcode: '', switchCallId: '2' })
  for (let turn = 0; turn < 3; turn++) assert.deepEqual(await fate(ports, [late, nobodys]), [0, 0, 2])
  assert.deepEqual(
    (await quarantined(ports)).map(({ feed, format, rules, record, reason, seen }) => {
      return { feed, format, rules, record, reason, seen }
    }),
    [
      { record: late.raw, reason: 'there is no tenant "late"' },
      { record: nobodys.raw, reason: 'no account code, and no tenant is set for the feed or the context' },
    ].map(each => ({ feed: 'feed', format: 'asterisk-csv', rules: rules(), ...each, seen: 3 })),
  )
  assert.equal(await replayed(ports), 0)
  await insert(ports.records, 'tenants', { slug: 'late' })
  assert.equal(await replayed(ports), 1)
  assert.equal(await ports.calls.quarantineCount(), 1)
  assert.deepEqual(await fate(ports, [late]), [0, 1, 0])
})

behaviour('a record lies in quarantine no longer that comes again under rules by which it is stored', async ports => {
  await acme(ports)
  const calls = [completedCall({ accountcode: '' }), completedCall({ accountcode: 'late', switchCallId: '2' })]
  assert.deepEqual(await fate(ports, calls), [0, 0, 2])
  assert.deepEqual(await fate(ports, calls, { tenant: 'acme' }), [1, 0, 1])
  assert.deepEqual(
    (await quarantined(ports)).map(({ reason }) => reason),
    ['there is no tenant "late"'],
  )
})

behaviour('an unreadable record is kept as it arrived, with the reason', async ports => {
  await acme(ports)
  const garbage = { format: 'asterisk-csv', raw: 'gar\u0000bage', reason: 'it is torn' } as const
  const counts = await ports.calls.store({ name: 'feed', rules: rules() }, [garbage, garbage], null)
  assert.deepEqual([counts.stored, counts.quarantined], [0, 2])
  const [kept, ...others] = await quarantined(ports)
  assert.deepEqual([kept?.record, kept?.reason, kept?.seen, others], [garbage.raw, garbage.reason, 2, []])
})

behaviour('two records that turn out to be one call are replayed as one', async ports => {
  await acme(ports)
  const twice = [completedCall({ accountcode: '' }), completedCall({ accountcode: '', source: 'asterisk-custom' })]
  await taken(ports, twice)
  assert.equal(await replayed(ports, { tenant: 'acme' }), 2)
  assert.deepEqual([(await storedCalls(ports)).length, await ports.calls.quarantineCount()], [1, 0])
})

behaviour('discarding from the quarantine deletes a record, and the audit trail notes it', async ports => {
  await acme(ports)
  await taken(ports, [completedCall({ accountcode: 'late' }), completedCall({ accountcode: '', switchCallId: '2' })])
  const [first] = await quarantined(ports)
  assert.equal(await ports.calls.discard([first?.id ?? 0, 99]), 1)
  assert.equal(await ports.calls.quarantineCount(), 1)
  for await (const { action } of ports.audit.list(FOREVER)) {
    assert.equal(action, 'delete')
    break
  }
})

behaviour('the place of a feed is stored with its batch', async ports => {
  await acme(ports)
  assert.equal(await ports.calls.place('a'), null)
  const feed = { name: 'a', rules: rules() }
  await ports.calls.store(feed, [{ call: completedCall() }], { mark: 'm', position: 10 })
  await ports.calls.store(feed, [], { mark: 'm', position: 20 })
  await ports.calls.store(feed, [{ call: completedCall() }], null)
  assert.deepEqual({ ...(await ports.calls.place('a')) }, { mark: 'm', position: 20 })
  assert.equal(await ports.calls.place('b'), null)
})

behaviour('the catalog of a tenant is as of the requested moment', async ports => {
  const { tenantId, extensionId } = await acme(ports)
  const catalog = await ports.calls.catalog(tenantId, '2026-10-01T12:00:00.000000Z')
  assert.deepEqual([catalog.tenantId, catalog.extensions.get('101')], [tenantId, extensionId])
  const number = catalog.dialling.read('00380501112233')
  assert.equal(catalog.deckAt('2026-10-01T12:00:00.000000Z')?.match(number)?.pricePerMinute, 123)
  await assert.rejects(ports.calls.catalog(99, '2026-10-01T12:00:00.000000Z'), { code: 'not_found' })
})

behaviour('a call is one record however close others come, and goes with its tenant', async ports => {
  const { tenantId } = await acme(ports)
  const batch = Array.from({ length: 300 }, (_, n) => completedCall({ switchCallId: String(n) }))
  const fates = await Promise.all([fate(ports, batch), fate(ports, batch), fate(ports, batch)])
  assert.deepEqual(
    fates.map(([one = 0, two = 0]) => one + two),
    [300, 300, 300],
  )
  assert.equal(await ports.records.count(cdrs, { tenant_id: tenantId }), 300)
})
