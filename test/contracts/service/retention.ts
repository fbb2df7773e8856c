import assert from 'node:assert/strict'
import { FOREVER } from '../../../core/rating/period.ts'
import { idsOf, insert, listOf } from '../../support/data/rows.ts'
import { queuedMessage } from '../../support/messaging/messages.ts'
import { contract } from '../contract.ts'

export const retentionContract = contract('retention', ['retention', 'records', 'messages', 'audit'])
const { behaviour } = retentionContract

const MOMENT = '2026-03-01T12:00:00.000000Z'

behaviour('calls from before a moment are deleted and counted, and no others', async ({ records, retention }) => {
  const { id: tenant_id } = await insert(records, 'tenants')
  const starts = Array.from({ length: 450 }, (_, n) => (n % 3 ? '2026-02-28T23:59:59.999999Z' : MOMENT))
  await Promise.all(starts.map(started_at => insert(records, 'cdrs', { tenant_id, started_at })))
  assert.equal(await retention.deleteBefore('cdrs', MOMENT), 300)
  assert.equal(await retention.deleteBefore('cdrs', MOMENT), 0)
  assert.deepEqual(new Set((await listOf(records, 'cdrs')).map(call => call.started_at)), new Set([MOMENT]))
})

behaviour('notes of the audit trail from before a moment are deleted', async ({ records, retention, audit, clock }) => {
  await insert(records, 'tenants')
  const between = clock.now()
  await insert(records, 'tenants')
  assert.equal(await retention.deleteBefore('audit', between), 1)
  const left = []
  for await (const { at } of audit.list(FOREVER)) left.push(at)
  assert.equal(left.length, 1)
  assert.ok(String(left[0]) > between)
})

behaviour('the answers to old messages are cleared, and the messages stay', async ports => {
  const { records, messages, retention } = ports
  for (const requested_at of ['2026-02-28T23:59:59.999999Z', MOMENT])
    for (const remote_response of ['{"a":1}', '{}']) {
      const { id: _, ...message } = queuedMessage({ requested_at, remote_response })
      await messages.create(message, '9999')
    }
  assert.equal(await retention.clearResponsesBefore(MOMENT), 1)
  assert.equal(await retention.clearResponsesBefore(MOMENT), 0)
  const left = (await listOf(records, 'sms_messages')).map(message => message.remote_response)
  assert.deepEqual(left, [{}, { a: 1 }, {}, {}])
})

behaviour('nothing is deleted once it is to stop', async ({ records, retention }) => {
  const { id: tenant_id } = await insert(records, 'tenants')
  await insert(records, 'cdrs', { tenant_id })
  assert.equal(await retention.deleteBefore('cdrs', '9999', AbortSignal.abort()), 0)
  assert.equal((await idsOf(records, 'cdrs')).length, 1)
})
