import assert from 'node:assert/strict'
import { packed } from '../../../core/packed-records.ts'
import type { BulkLoad, BulkPlan, Rejection } from '../../../core/ports/bulk.ts'
import { FOREVER } from '../../../core/rating/period.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Value } from '../../../core/resources/field.ts'
import { idsOf, insert, listOf } from '../../support/data/rows.ts'
import { contract, type Given } from '../contract.ts'

export const bulkContract = contract('many records at once', ['bulk', 'records', 'audit'])
const { behaviour } = bulkContract
type Ports = Given<'bulk' | 'records' | 'audit'>

const rates = resourceNamed('rates')
const extensions = resourceNamed('extensions')
const cdrs = resourceNamed('cdrs')

const planOf = (tenant_id: number, changes: Partial<BulkPlan> = {}): BulkPlan => ({
  resource: extensions,
  columns: ['extension_number', 'display_name'],
  constants: { tenant_id, secret: 'hush', status: 'active', voicemail_enabled: false },
  isSparse: false,
  mode: 'insert',
  onRejection: 'store nothing',
  allowDuplicates: false,
  formerMark: null,
  before: 0,
  ...changes,
})

const callsOf = (tenant_id: number, changes: Partial<BulkPlan> = {}): BulkPlan =>
  planOf(tenant_id, {
    resource: cdrs,
    columns: ['caller_number', 'extension_id'],
    constants: {
      ...{ tenant_id, destination_number: '2', direction: 'outbound', disposition: 'BUSY', cost: 0 },
      ...{ duration_seconds: 0, bill_seconds: 0, started_at: '2026-10-01T12:00:00.000000Z' },
    },
    ...changes,
  })

type Values = readonly (Value | undefined)[]

/** The rows of a file whose first line names the columns. */
const rowsOf = (rows: readonly Values[]) =>
  packed(rows.map((values, row) => ({ row, line: row + 2, raw: `row ${row}`, values })))

async function rejectionsOf(load: BulkLoad): Promise<Rejection[]> {
  const found: Rejection[] = []
  for await (const rejection of load.rejections()) found.push(rejection)
  return found
}

/** Stores rows as one input. Returns the outcome and the rejections, as lines and rules. */
async function imported({ bulk }: Ports, plan: BulkPlan, rows: readonly Values[]) {
  const load = bulk.load(plan)
  try {
    await load.add([rowsOf(rows)])
    const counts = await load.store(() => ({ input: 'file', mark: 'end' }))
    const rejected = (await rejectionsOf(load)).map(({ line, errors }) => [line, ...errors.map(({ rule }) => rule)])
    return { ...counts, rejected }
  } finally {
    await load.close()
  }
}

const NOTHING = { created: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, rejected: [] }

const named = async ({ records }: Ports): Promise<unknown[]> =>
  (await listOf(records, 'extensions')).map(each => `${each.extension_number} ${each.display_name}`).reverse()

const ROWS: readonly Values[] = [
  ['101', 'One'],
  ['102', 'Two'],
  ['103', 'Three'],
]

behaviour('rows are stored in their order, and noted once in the audit trail', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  assert.equal(await ports.bulk.lastId(extensions), 0)
  assert.deepEqual(await imported(ports, planOf(id, { noted: { file: 'a.csv' } }), ROWS), { ...NOTHING, created: 3 })
  assert.deepEqual(await named(ports), ['101 One', '102 Two', '103 Three'])
  assert.equal(await ports.bulk.lastId(extensions), (await idsOf(ports.records, 'extensions'))[0])
  const notes = []
  for await (const { action, changes } of ports.audit.list(FOREVER)) if (action === 'import') notes.push(changes)
  assert.deepEqual([notes.length, notes[0]?.file, notes[0]?.created], [1, 'a.csv', 3])
})

behaviour('a check returns what would happen to the rows, and writes nothing', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  const load = ports.bulk.load(planOf(id))
  await load.add([rowsOf(ROWS)])
  await insert(ports.records, 'extensions', { tenant_id: id, extension_number: '102', display_name: 'Old' })
  const { created, rejected } = await load.check()
  assert.deepEqual(
    [created, rejected, (await rejectionsOf(load)).map(({ line, raw }) => [line, raw])],
    [2, 1, [[3, 'row 1']]],
  )
  await load.close()
  assert.deepEqual(await named(ports), ['102 Old'])
})

behaviour('rows with a key can be stored after a check of them', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  const load = ports.bulk.load(planOf(id))
  await load.add([rowsOf(ROWS)])
  for (const counts of [await load.check(), await load.check(), await load.store(() => ({ input: 'a', mark: 'b' }))])
    assert.equal(counts.created, 3)
  await load.close()
  assert.equal((await named(ports)).length, 3)
})

behaviour('a check of rows without a key is the end of their batch', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  const load = ports.bulk.load(callsOf(id))
  await load.add([rowsOf([['1', null]])])
  assert.equal((await load.check()).created, 1)
  await load.add([
    rowsOf([
      ['2', null],
      ['3', null],
    ]),
  ])
  assert.equal((await load.check()).created, 2)
  assert.equal((await load.store(() => ({ input: 'a', mark: 'b' }))).created, 0)
  await load.close()
  assert.deepEqual(await idsOf(ports.records, 'cdrs'), [])
})

behaviour('one row that breaks a rule keeps all out, or is skipped if the plan says so', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  await insert(ports.records, 'extensions', { tenant_id: id, extension_number: '102', display_name: 'Old' })
  const rejected = [[3, 'taken']]
  assert.deepEqual(await imported(ports, planOf(id), ROWS), { ...NOTHING, created: 0, rejected })
  assert.deepEqual(await named(ports), ['102 Old'])
  const leaving = planOf(id, { onRejection: 'leave it out' })
  assert.deepEqual(await imported(ports, leaving, ROWS), { ...NOTHING, created: 2, rejected })
  assert.deepEqual(await named(ports), ['102 Old', '101 One', '103 Three'])
})

behaviour('rows that point to no record are left out of their batch, and all the others are stored', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  const calls: Values[] = [null, null, null, 99, null].map((extension, n) => [String(n), extension])
  const plan = callsOf(id, { onRejection: 'leave it out' })
  assert.deepEqual(await imported(ports, plan, calls), { ...NOTHING, created: 4, rejected: [[5, 'reference']] })
  const stored = await listOf(ports.records, 'cdrs')
  assert.deepEqual(stored.map(call => call.caller_number).reverse(), ['0', '1', '2', '4'])
})

behaviour('a tenant accepts no more rows than its limit', async ports => {
  const { id } = await insert(ports.records, 'tenants', { max_extensions: 2 })
  const plan = planOf(id, { onRejection: 'leave it out' })
  assert.deepEqual(await imported(ports, plan, ROWS), { ...NOTHING, created: 2, rejected: [[4, 'limit']] })
})

behaviour('two rows with one key are not both stored', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  const plan = planOf(id, { onRejection: 'leave it out' })
  const rows: Values[] = [...ROWS, ['101', 'Again']]
  assert.deepEqual(await imported(ports, plan, rows), { ...NOTHING, created: 3, rejected: [[5, 'repeated']] })
})

behaviour('a row whose key a record has changes that record, is skipped, or changes nothing', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  await imported(ports, planOf(id), ROWS)
  const before = await idsOf(ports.records, 'extensions')
  const rows: Values[] = [
    ['101', 'One'],
    ['102', 'Changed'],
    ['104', 'Four'],
  ]
  const skipped = await imported(ports, planOf(id, { mode: 'skip' }), rows.slice(0, 2))
  assert.deepEqual(skipped, { ...NOTHING, skipped: 2 })
  const changed = await imported(ports, planOf(id, { mode: 'upsert' }), rows)
  assert.deepEqual(changed, { ...NOTHING, created: 1, updated: 1, unchanged: 1 })
  assert.deepEqual(await named(ports), ['101 One', '102 Changed', '103 Three', '104 Four'])
  assert.deepEqual((await idsOf(ports.records, 'extensions')).slice(1), before)
})

behaviour('a value that is left out is the default of a new record, and stays in a stored one', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  await imported(ports, planOf(id), ROWS)
  const columns = ['extension_number', 'display_name', 'email']
  const rows: Values[] = [['101', undefined, 'one@example.com']]
  await imported(ports, planOf(id, { mode: 'upsert', isSparse: true, columns }), rows)
  const [stored] = await listOf(ports.records, 'extensions', { where: { extension_number: '101' } })
  assert.deepEqual([stored?.display_name, stored?.email, stored?.secret], ['One', 'one@example.com', 'hush'])
})

behaviour('the place of an import is stored with its rows, and no other import overtakes it', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  const plan = callsOf(id)
  const [first, second] = [ports.bulk.load(plan), ports.bulk.load(plan)]
  for (const load of [first, second]) await load.add([rowsOf([['1', null]])])
  assert.deepEqual(await ports.bulk.places(cdrs), [])
  await first.store(({ created }) => ({ input: 'file', mark: String(created) }))
  assert.deepEqual(
    (await ports.bulk.places(cdrs)).map(place => ({ ...place })),
    [{ input: 'file', mark: '1' }],
  )
  await assert.rejects(
    second.store(() => ({ input: 'file', mark: '1' })),
    { code: 'conflict' },
  )
  for (const load of [first, second]) await load.close()
  assert.equal((await idsOf(ports.records, 'cdrs')).length, 1)
})

behaviour('a thousand rows and more are stored whole, however they are handed over', async ports => {
  const { id } = await insert(ports.records, 'tenants')
  const plan = planOf(id, {
    resource: rates,
    columns: ['prefix', 'destination'],
    constants: { tenant_id: id, cost_per_minute: 1, billing_increment: 1, status: 'active' },
  })
  const records = Array.from({ length: 1_500 }, (_, row) => {
    return { row, line: row + 2, raw: null, values: [String(1000 + row), `Place ${row}`] }
  })
  const load = ports.bulk.load(plan)
  for (let start = 0; start < records.length; start += 400) await load.add([packed(records.slice(start, start + 400))])
  const counts = await load.store(() => ({ input: 'file', mark: 'end' }))
  await load.close()
  assert.equal(counts.created, 1_500)
  const stored = await listOf(ports.records, 'rates')
  assert.deepEqual(
    stored.map(({ prefix }) => prefix).reverse(),
    records.map(({ values: [prefix] }) => prefix),
  )
})

async function dumped(
  { bulk }: Ports,
  ...[resource, fields, selection]: Parameters<Ports['bulk']['dump']>
): Promise<(readonly (string | number | null)[])[]> {
  const found = []
  for await (const page of bulk.dump(resource, fields, selection)) found.push(...page)
  return found
}

behaviour('a dump contains the stored values, secrets included, and names for references', async ports => {
  const { id } = await insert(ports.records, 'tenants', { slug: 'acme' })
  const extension = { tenant_id: id, extension_number: '101', secret: 'hush' }
  const { id: extension_id } = await insert(ports.records, 'extensions', extension)
  await insert(ports.records, 'devices', { extension_id, mac: '001565000001' })
  assert.deepEqual(await dumped(ports, extensions, ['tenant_id', 'extension_number', 'secret'], {}), [
    ['acme', '101', 'hush'],
  ])
  assert.deepEqual(await dumped(ports, resourceNamed('devices'), ['extension_id', 'mac'], { tenantId: id }), [
    ['acme/101', '001565000001'],
  ])
  assert.deepEqual(await dumped(ports, extensions, ['secret'], { tenantId: id + 1 }), [])
})

behaviour('a dump of a period has what began in it, the earliest first, on however many pages', async ports => {
  const minute = (n: number): string => String((n * 7) % 60).padStart(2, '0')
  const starts = Array.from({ length: 1_300 }, (_, n) => `2026-10-01T12:${minute(n)}:00.000000Z`)
  const period = { from: '2026-10-01T12:05:00.000000Z', to: '2026-10-01T12:50:00.000000Z' }
  const { id } = await insert(ports.records, 'tenants')
  await Promise.all(starts.map(started_at => insert(ports.records, 'cdrs', { tenant_id: id, started_at })))
  assert.deepEqual(
    (await dumped(ports, cdrs, ['started_at'], { tenantId: id, period })).flat(),
    starts.filter(start => start >= period.from && start < period.to).toSorted(),
  )
  assert.deepEqual(await dumped(ports, cdrs, ['started_at'], { tenantId: id + 1, period }), [])
})
