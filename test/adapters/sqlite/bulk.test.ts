import assert from 'node:assert/strict'
import { it } from 'node:test'
import { IN_MEMORY } from '../../../adapters/sqlite/database.ts'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import type { BulkPlan, BulkRecord } from '../../../core/ports/bulk.ts'
import { rates } from '../../../core/resources/rates.ts'
import { manualClock } from '../../support/clock.ts'

const plan: BulkPlan = {
  resource: rates,
  columns: ['prefix', 'destination'],
  constants: { tenant_id: 1, cost_per_minute: 1, billing_increment: 1, status: 'active' },
  isSparse: false,
  mode: 'insert',
  onRejection: 'store nothing',
  allowDuplicates: false,
  formerMark: null,
}

it('records that find no room on their way in are a full disk', async () => {
  const storage = openStorage(IN_MEMORY, { clock: manualClock(), create: true, migrate: true })
  const load = storage.bulk.load(plan)
  storage.connection.db.pragma('temp.max_page_count = 1')
  const records = Array.from({ length: 1_000 }, (_, row): BulkRecord => {
    return { row, line: row, raw: null, values: [String(row), 'x'.repeat(100)] }
  })
  await assert.rejects(load.add(records), { code: 'storage_full' })
  await load.close()
  await storage.close()
})
