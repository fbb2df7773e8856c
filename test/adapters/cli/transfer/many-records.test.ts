import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { packed } from '../../../../core/packed-records.ts'
import { resourceNamed } from '../../../../core/resources/all.ts'
import { type Desk, openDesk } from '../../../support/cli/imports.ts'
import { onPostgres } from '../../../support/storages.ts'

let desk: Desk
beforeEach(async () => {
  desk = await openDesk()
  await desk.create('tenants', { slug: 'acme' })
  await desk.create('extensions', { tenant_id: 1 })
})
afterEach(() => desk.close())

/** Enough rows that a thread stores them on SQLite, and that its rejections span several pages. */
const ROWS = 2_000

const calls = (extensionOf: (row: number) => number): string => {
  const rows = Array.from({ length: ROWS }, (_, i) => `acme,${extensionOf(i)},${i},2,outbound,BUSY,0,0,1,2026-01-01\n`)
  const fields =
    'tenant,extension_id,caller_number,destination_number,direction,disposition,duration_seconds,bill_seconds'
  return `${fields},cost,started_at\n${rows.join('')}`
}

const dangling = (row: number): boolean => row % 4 !== 1

describe('many records', () => {
  it('refer to records that are there: others are rejected, each with its reason', async () => {
    const rejects = join(desk.folder, 'r.csv')
    const text = calls(row => (dangling(row) ? 77 : 1))
    const { summary } = await desk.take('cdrs', text, ['--on-error', 'continue', '--reject-file', rejects])
    assert.deepEqual([summary.rows, summary.created, summary.rejected], [ROWS, ROWS / 4, (ROWS * 3) / 4])
    const dangle = 'SELECT count(*) FROM cdrs WHERE extension_id NOT IN (SELECT id FROM extensions)'
    assert.deepEqual(await desk.query(dangle), ['0'])
    assert.deepEqual(await desk.query('SELECT caller_number FROM cdrs ORDER BY id LIMIT 2'), ['1', '5'])
    assert.equal(
      readFileSync(rejects, 'utf8').match(/^extension_id: The selected extension id is invalid\.,acme,77/gm)?.length,
      1500,
    )
  })

  it('are not stored from the batch on that holds a bad one, when that is to stop the import', async () => {
    const { summary } = await desk.take(
      'cdrs',
      calls(row => (row === 1_700 ? 77 : 1)),
    )
    // A batch is larger on PostgreSQL.
    const before = onPostgres ? 1_000 : 1_500
    assert.deepEqual([summary.created, summary.rejected], [before, 1])
    assert.deepEqual(await desk.query('SELECT count(*) FROM cdrs'), [String(before)])
  })

  it('follow the rules of their table all together', async () => {
    const rows = Array.from({ length: ROWS }, (_, i) => `${i === 1_999 ? 5 : 100 + i},Place,1,60,active\n`)
    const text = `prefix,destination,cost_per_minute,billing_increment,status\n5,Place,1,60,active\n${rows.join('')}`
    const { summary } = await desk.take('rates', text, ['--tenant', 'acme'])
    assert.deepEqual([summary.created, summary.rejected], [0, 1])
    assert.deepEqual(await desk.query('SELECT count(*) FROM rates'), ['0'])
    const kept = await desk.take('rates', text, ['--tenant', 'acme', '--on-error', 'continue'])
    assert.deepEqual([kept.summary.created, kept.summary.rejected], [ROWS, 1])
  })
})

it('what keeps many records from being stored is reported as it is', async () => {
  const resource = { ...resourceNamed('cdrs'), name: 'nowhere' }
  const load = desk.services.bulk.load({
    resource,
    columns: [],
    constants: {},
    isSparse: false,
    mode: 'insert',
    onRejection: 'store nothing',
    allowDuplicates: false,
    formerMark: null,
    before: 0,
  })
  const records = Array.from({ length: ROWS }, (_, row) => ({ row, line: row, raw: null, values: [] }))
  await assert.rejects(async () => {
    await load.add([packed(records)])
    await load.store(() => ({ input: 'x', mark: '' }))
  }, /nowhere/)
  await load.close()
})

it('what is added while the place of a batch is worked out is of the next batch', async () => {
  const { bulk } = desk.services
  const resource = resourceNamed('cdrs')
  const given = { tenant_id: 1, caller_number: '1', destination_number: '2', direction: 'outbound' }
  const constants = { ...given, duration_seconds: 0, bill_seconds: 0, cost: 0, started_at: '2026-01-01' }
  const plan = { resource, columns: ['disposition'], constants, isSparse: false, mode: 'insert' } as const
  const load = bulk.load({ ...plan, onRejection: 'store nothing', allowDuplicates: false, formerMark: null, before: 0 })
  const records = packed(Array.from({ length: 300 }, (_, row) => ({ row, line: row, raw: null, values: ['BUSY'] })))
  await load.add([records])
  const stored = load.store(async ({ created }) => {
    await nextTurn()
    return { input: 'x', mark: String(created) }
  })
  await load.add([records])
  assert.equal((await stored).created, 300)
  assert.equal((await load.store(() => ({ input: 'x', mark: 'all' }))).created, 300)
  await load.close()
})
