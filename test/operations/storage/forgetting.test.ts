import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { systemClock } from '../../../adapters/system/clock.ts'
import { addSeconds } from '../../../core/dates.ts'
import { manualClock } from '../../support/clock.ts'
import { startDaemon } from '../../support/daemon.ts'
import { startWorld } from '../../support/data/records.ts'
import { idsOf, insert } from '../../support/data/rows.ts'
import { columnOf } from '../../support/data/stored.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { keepSending } from '../../support/messaging/messages.ts'
import { databaseAt, onDatabase } from '../../support/storages.ts'

const DAY = 86_400

const folder = temporaryFolder()
after(folder.remove)
let files = 0

/** A database with calls and audit rows of today and of 400 days ago. */
async function aged(): Promise<string> {
  const db = await databaseAt(folder.path, `${++files}.db`)
  const now = systemClock().now()
  for (const start of [addSeconds(now, -400 * DAY), now])
    await onDatabase(db, manualClock(start), async ({ records }) => {
      await insert(records, 'tenants')
      await insert(records, 'cdrs', { started_at: start })
    })
  return db
}

const counted = (db: string): Promise<{ calls: number; audit: number }> =>
  onDatabase(db, systemClock(), async storage => ({
    calls: (await idsOf(storage.records, 'cdrs')).length,
    audit: (await columnOf(storage, `SELECT id FROM audit WHERE resource IN ('tenants', 'cdrs')`)).length,
  }))

describe('the daemon', { timeout: 30_000 }, () => {
  it('deletes audit rows after a year, and call records only if the settings say so', async () => {
    const TRUNKLINE_DB = await aged()
    const daemon = await startDaemon({ TRUNKLINE_DB })
    await daemon.untilLogged('forgot old audit rows')
    await daemon.stop()
    assert.deepEqual(await counted(TRUNKLINE_DB), { calls: 2, audit: 2 })
  })

  it('deletes what the settings limit in time', async () => {
    const TRUNKLINE_DB = await aged()
    const daemon = await startDaemon({ TRUNKLINE_DB, TRUNKLINE_AUDIT_DAYS: '0', TRUNKLINE_CDR_DAYS: '399' })
    await daemon.untilLogged('forgot old call records')
    await daemon.stop()
    assert.deepEqual(await counted(TRUNKLINE_DB), { calls: 1, audit: 4 })
  })
})

describe('receipts that wait for their message', () => {
  it('are deleted after the configured hours', async () => {
    const clock = manualClock()
    const { service, close } = await startWorld({ parked_hours: 2 }, { clock })
    const { storage } = service.trunkline
    const { messages, records } = storage
    await insert(records, 'sms_gateways')
    await keepSending(messages, 1)
    const receipt = { externalId: 'gw-1', reference: null, status: 'DELIVRD', payload: {}, size: 2 }
    await messages.receive(1, receipt, message => message, '192.0.2.1')
    const waiting = async (): Promise<number> => (await columnOf(storage, 'SELECT id FROM parked_receipts')).length
    clock.advance(2 * 3_600 - 60)
    await service.trunkline.messaging.sweep()
    assert.equal(await waiting(), 1)
    clock.advance(120)
    await service.trunkline.messaging.sweep()
    assert.equal(await waiting(), 0)
    await close()
  })
})
