import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { systemClock } from '../../../adapters/system/clock.ts'
import { addSeconds } from '../../../core/dates.ts'
import { manualClock } from '../../support/clock.ts'
import { startDaemon } from '../../support/daemon.ts'
import { startWorld } from '../../support/data/records.ts'
import { idsOf, insert } from '../../support/data/rows.ts'
import { sqliteOf } from '../../support/data/stored.ts'
import { temporaryFolder } from '../../support/http/app.ts'
import { keepSending } from '../../support/messaging/messages.ts'

const DAY = 86_400

const folder = temporaryFolder()
after(folder.remove)
let files = 0

/** A database with calls and audit rows of today and of 400 days ago. */
async function aged(): Promise<string> {
  const path = join(folder.path, `${++files}.db`)
  const now = systemClock().now()
  for (const start of [addSeconds(now, -400 * DAY), now]) {
    const storage = openStorage(path, { clock: manualClock(start), create: true })
    await insert(storage.records, 'tenants')
    await insert(storage.records, 'cdrs', { started_at: start })
    await storage.close()
  }
  return path
}

async function counted(path: string): Promise<{ calls: number; audit: unknown }> {
  const storage = openStorage(path, { clock: systemClock() })
  const calls = (await idsOf(storage.records, 'cdrs')).length
  const audit = storage.connection.db
    .prepare(`SELECT count(*) FROM audit WHERE resource IN ('tenants', 'cdrs')`)
    .pluck()
    .get()
  await storage.close()
  return { calls, audit }
}

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
    const { messages, connection, records } = sqliteOf(service.trunkline.storage)
    await insert(records, 'sms_gateways')
    await keepSending(messages, 1)
    const receipt = { externalId: 'gw-1', reference: null, status: 'DELIVRD', payload: {}, size: 2 }
    await messages.receive(1, receipt, message => message, '192.0.2.1')
    const waiting = (): unknown => connection.db.prepare('SELECT count(*) FROM parked_receipts').pluck().get()
    clock.advance(2 * 3_600 - 60)
    await service.trunkline.messaging.sweep()
    assert.equal(waiting(), 1)
    clock.advance(120)
    await service.trunkline.messaging.sweep()
    assert.equal(waiting(), 0)
    await close()
  })
})
