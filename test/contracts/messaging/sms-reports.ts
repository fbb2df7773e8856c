import assert from 'node:assert/strict'
import type { Message } from '../../../core/sms/message.ts'
import { insert } from '../../support/data/rows.ts'
import { contract } from '../contract.ts'
import { create } from './message-world.ts'

export const smsReportsContract = contract('reports on messages', ['smsReports', 'messages', 'records'])
const { behaviour } = smsReportsContract

const MARCH = { from: '2026-03-01T00:00:00.000000Z', to: '2026-04-01T00:00:00.000000Z' }
const SUBMITTED = '2026-03-01T12:00:01.000000Z'

behaviour('messages and their parts are counted by gateway, tenant and what their status means', async ports => {
  const { id: tenant_id } = await insert(ports.records, 'tenants')
  await create(ports, { tenant_id, status_class: 'delivered', parts: 2 })
  await create(ports, { tenant_id, status_class: 'delivered', parts: 1 })
  await create(ports, { tenant_id, status_class: 'failed', parts: null, message: 'ж'.repeat(140) })
  await create(ports, { status_class: null })
  await create(ports, { status_class: 'failed', requested_at: MARCH.to })
  const figures = await ports.smsReports.figures(MARCH)
  const of = { sms_gateway_id: 7, tenant_id }
  assert.deepEqual(
    figures.toSorted((a, b) => b.messages - a.messages || Number(b.tenant_id) - Number(a.tenant_id)),
    [
      { ...of, status_class: 'delivered', messages: 2, parts: 3 },
      { ...of, status_class: 'failed', messages: 1, parts: 3 },
      { ...of, tenant_id: null, status_class: null, messages: 1, parts: 1 },
    ],
  )
})

const failed = (message: Message): Message => ({ ...message, status_class: 'failed', delivery_status: 'failed' })
const accepted = (message: Message): Message => ({ ...message, submitted_at: SUBMITTED, delivery_status: 'submitted' })

behaviour(
  'a gateway is suspect while its last few sends all failed, wherever the messages went afterwards',
  async ports => {
    const { id } = await insert(ports.records, 'sms_gateways')
    const { id: other } = await insert(ports.records, 'sms_gateways', { name: 'Other' })
    const sent = (): Promise<Message> => create(ports, { sms_gateway_id: id, status_class: 'pending' })
    const settle = async (change: (message: Message) => Message, messageId?: number): Promise<unknown> =>
      ports.messages.settle(messageId ?? (await sent()).id, change, message => message)
    const suspects = (): Promise<readonly number[]> => ports.smsReports.suspects(3)
    await settle(failed)
    await settle(failed)
    assert.deepEqual(await suspects(), [])
    const moved = await sent()
    await ports.messages.change(moved.id, message => ({ ...message, sms_gateway_id: other }))
    assert.deepEqual(await suspects(), [id])
    await settle(accepted, moved.id)
    assert.deepEqual(await suspects(), [id], 'the other gateway took it')
    await settle(accepted)
    await settle(failed)
    assert.deepEqual(await suspects(), [])
  },
)

behaviour('the failures of a gateway that was deleted are not counted', async ports => {
  const { id } = await create(ports, { sms_gateway_id: 99, status_class: 'pending' })
  await ports.messages.settle(id, failed, message => message)
  assert.deepEqual(await ports.smsReports.suspects(1), [])
})

behaviour('messages that nothing final is known of are pending', async ports => {
  for (const status_class of ['pending', 'delivered', 'pending'] as const) await create(ports, { status_class })
  assert.equal(await ports.smsReports.pending(), 2)
})

behaviour('messages that nothing final is known of are overdue from a moment on, by gateway', async ports => {
  for (const [sms_gateway_id, status_class, requested_at] of [
    [1, 'pending', '2026-03-01T00:00:00.000000Z'],
    [1, 'pending', '2026-03-02T00:00:00.000000Z'],
    [1, 'delivered', '2026-03-01T00:00:00.000000Z'],
    [2, 'pending', '2026-03-01T00:00:00.000000Z'],
  ] as const)
    await create(ports, { sms_gateway_id, status_class, requested_at })
  const overdue = await ports.smsReports.overdue('2026-03-02T00:00:00.000000Z')
  assert.deepEqual(
    overdue.toSorted((a, b) => a.gateway - b.gateway),
    [
      { gateway: 1, count: 1 },
      { gateway: 2, count: 1 },
    ],
  )
})
