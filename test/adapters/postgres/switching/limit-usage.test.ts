import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStorage } from '../../../../adapters/postgres/storage.ts'
import { acme, completedCall, taken } from '../../../contracts/calls/switch.ts'
import { manualClock } from '../../../support/clock.ts'
import { execute } from '../../../support/data/stored.ts'
import { newDatabase } from '../../../support/postgres/databases.ts'

test('a call that is known to be stored counts, also where so many do that their sum is kept', async () => {
  const clock = manualClock('2026-03-01T12:00:00.000000Z')
  const storage = await openStorage(await newDatabase(), { clock, create: true })
  try {
    const { tenantId: id } = await acme(storage)
    const at = `'2026-03-01T11:30:00.000000Z'`
    await execute(
      storage,
      `INSERT INTO cdrs (tenant_id, caller_number, destination_number, direction, disposition, duration_seconds,
         bill_seconds, cost, started_at, ended_at, created_at, updated_at)
       SELECT ${id}, '101', '380', 'outbound', 'ANSWERED', 1, 1, 0, ${at}, ${at}, ${at}, ${at}
       FROM generate_series(1, 50000)`,
    )
    const { limitUsage } = storage
    const calls = async (): Promise<number> => (await limitUsage.of({ id, timezone: 'UTC' })).tenant.calls_per_day
    assert.equal(await calls(), 50_000)
    const part = { channelId: '17.1', callId: '17.1' }
    await taken(storage, [completedCall({ switchCallId: '17.1/1', part, start: '2026-03-01 11:30:00' })])
    assert.deepEqual([...(await limitUsage.stored('asterisk', ['17.1']))], ['17.1'])
    assert.equal(await calls(), 50_001)
  } finally {
    await storage.close()
  }
})
