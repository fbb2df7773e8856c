import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { packed } from '../../../../core/packed-records.ts'
import type { BulkPlan, BulkRecord, Rejection } from '../../../../core/ports/bulk.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import type { Value } from '../../../../core/resources/field.ts'
import { type Desk, openDesk } from '../../../support/cli/imports.ts'
import { changed } from '../../../support/data/reader.ts'

let desk: Desk
beforeEach(async () => {
  desk = await openDesk()
  for (const [i, slug] of ['acme', 'beta'].entries()) {
    await desk.create('tenants', { slug, domain: `${slug}.example.com`, max_extensions: 5000 })
    const tenant_id = i + 1
    await desk.create('extensions', { tenant_id, extension_number: '101' })
    await desk.create('queues', { tenant_id, queue_number: '800' })
    await desk.create('dids', { tenant_id, number: `+4930${i}` })
  }
})
afterEach(() => desk.close())

/** Enough rows that a thread stores them. */
const MANY = 300

const didFile = (tenantOf: (row: number) => string): string => {
  const rows = Array.from({ length: MANY }, (_, i) => `${tenantOf(i)},+49${300 + i},Carrier,active\n`)
  return `tenant,number,provider,status\n${rows.join('')}`
}

const SENTENCE = 'The tenant id field must stay the same while routes refer to the DID.'

describe('an import of DIDs', () => {
  beforeEach(() => desk.create('routes', { did_id: 1, target_type: 'extension', target_id: 1 }))

  it('moves none to another tenant that a route joins to its own, on the thread either', async () => {
    const flags = ['--mode', 'upsert', '--on-error', 'continue']
    const { summary } = await desk.take(
      'dids',
      didFile(() => 'beta'),
      flags,
    )
    assert.deepEqual([summary.created, summary.updated, summary.rejected], [MANY - 2, 1, 1])
    const [error] = summary.errors
    assert.deepEqual([error?.line, error?.rule, error?.field, error?.message], [2, 'joined', 'tenant', SENTENCE])
    assert.deepEqual(await desk.query('SELECT tenant_id FROM dids WHERE id = 1'), ['1'])
  })

  it('changes one that stays where it is, and moves one that nothing joins', async () => {
    const text = 'tenant,number,provider,status\nacme,+49300,Other,active\nacme,+49301,Other,active\n'
    const { summary } = await desk.take('dids', text, ['--mode', 'upsert'])
    assert.equal(summary.updated, 2)
    assert.deepEqual(await desk.query('SELECT tenant_id, provider FROM dids ORDER BY id'), ['1|Other', '1|Other'])
  })
})

async function stored(plan: Pick<BulkPlan, 'resource' | 'columns'>, rows: readonly (readonly Value[])[]) {
  const load = desk.services.bulk.load({
    ...plan,
    constants: {},
    isSparse: false,
    mode: 'upsert',
    onRejection: 'leave it out',
    allowDuplicates: false,
    formerMark: null,
    before: 0,
  })
  const records = rows.map((values, row): BulkRecord => ({ row, line: row + 2, raw: null, values }))
  try {
    await load.add([packed(records)])
    const counts = await load.store(() => ({ input: 'a', mark: 'b' }))
    const rejections: Rejection[] = []
    for await (const rejection of load.rejections()) rejections.push(rejection)
    return { counts, errors: rejections.map(({ line, errors }) => [line, errors[0]?.rule, errors[0]?.field]) }
  } finally {
    await load.close()
  }
}

describe('many records at once', () => {
  it('make no agent of a queue and an extension of two tenants', async () => {
    for (let i = 0; i < MANY; i++)
      await desk.create('extensions', { tenant_id: 2, extension_number: String(1_000 + i) })
    const of = { resource: resourceNamed('agents'), columns: ['queue_id', 'extension_id', 'penalty'] }
    const rows = Array.from({ length: MANY }, (_, i) => [i === 7 ? 1 : 2, i + 3, 0])
    const { counts, errors } = await stored(of, rows)
    assert.deepEqual([counts.created, counts.rejected], [MANY - 1, 1])
    assert.deepEqual(errors, [[9, 'foreign', 'extension_id']])
  })

  it('make no route from a DID of one tenant to what another has', async () => {
    const of = { resource: resourceNamed('routes'), columns: ['did_id', 'target_type', 'target_id'] }
    const { counts, errors } = await stored(of, [
      [1, 'extension', 2],
      [1, 'queue', 2],
      [1, 'extension', 1],
      [2, 'queue', 2],
    ])
    assert.equal(counts.created, 2)
    assert.deepEqual(errors, [
      [2, 'foreign', 'target_id'],
      [3, 'foreign', 'target_id'],
    ])
  })

  it('leave an agent that joins two tenants already as it is, and change its penalty', async () => {
    const agents = resourceNamed('agents')
    await desk.create('agents', { queue_id: 1, extension_id: 1 })
    await changed(desk.path, 'UPDATE agents SET extension_id = 2')
    const { counts } = await stored({ resource: agents, columns: ['queue_id', 'extension_id', 'penalty'] }, [[1, 2, 5]])
    assert.deepEqual([counts.updated, counts.rejected], [1, 0])
  })
})
