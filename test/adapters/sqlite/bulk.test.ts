import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readRecord } from '../../../adapters/pbx/records.ts'
import { IN_MEMORY } from '../../../adapters/sqlite/database/database.ts'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { packed } from '../../../core/packed-records.ts'
import type { BulkPlan, BulkRecord } from '../../../core/ports/bulk.ts'
import { cdrs } from '../../../core/resources/cdrs.ts'
import { rates } from '../../../core/resources/rates.ts'
import { manualClock } from '../../support/clock.ts'
import { asteriskRow, rules, switchWorld } from '../../support/data/switch.ts'

const plan: BulkPlan = {
  resource: rates,
  columns: ['prefix', 'destination'],
  constants: { tenant_id: 1, cost_per_minute: 1, billing_increment: 1, status: 'active' },
  isSparse: false,
  mode: 'insert',
  onRejection: 'store nothing',
  allowDuplicates: false,
  formerMark: null,
  before: 0,
}

it('records that find no room on their way in are a full disk', async () => {
  const storage = openStorage(IN_MEMORY, { clock: manualClock(), create: true, migrate: true })
  const load = storage.bulk.load(plan)
  storage.connection.db.pragma('temp.max_page_count = 1')
  const records = Array.from({ length: 1_000 }, (_, row): BulkRecord => {
    return { row, line: row, raw: null, values: [String(row), 'x'.repeat(100)] }
  })
  await assert.rejects(load.add([packed(records)]), { code: 'storage_full' })
  await load.close()
  await storage.close()
})

it('a call that a daemon takes in while an import stores it is stored once', async () => {
  const world = await switchWorld()
  const { calls } = world.storage
  const importing = openStorage(world.path, { clock: manualClock(), create: false, migrate: false })
  const read = readRecord('asterisk-csv', asteriskRow({ id: '1' }).trimEnd())
  const values = { tenant_id: world.tenantId, caller_number: '101', direction: 'outbound', disposition: 'ANSWERED' }
  const load = importing.bulk.load({
    ...plan,
    resource: cdrs,
    columns: ['switch_call_id', 'destination_number'],
    constants: {
      ...{ ...values, duration_seconds: 65, bill_seconds: 120, cost: 246, source: 'asterisk' },
      started_at: '2026-10-01T12:00:00.000000Z',
    },
  })
  const record = (row: number, id: string, to: string): BulkRecord => ({ row, line: row, raw: null, values: [id, to] })
  await load.add([packed([record(0, '1/7', '00380501112233'), record(1, '2/7', '2')])])
  const progress: number[] = []
  const counts = await load.store(async ({ created }) => {
    progress.push(created)
    if (progress.length === 1) await calls.store({ name: 'a', rules: rules() }, [read], null)
    return { input: 'a', mark: 'b' }
  })
  assert.deepEqual([progress, counts.created, counts.skipped], [[2, 1], 1, 1])
  assert.deepEqual(
    (await world.calls()).map(call => call.switch_call_id),
    ['1/7', '2/7'],
  )
  await load.close()
  await importing.close()
  await world.close()
})
