import assert from 'node:assert/strict'
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
  await create(ports, { tenant_id, status_class: 'failed', parts: null })
  await create(ports, { status_class: null })
  await create(ports, { status_class: 'failed', requested_at: MARCH.to })
  const figures = await ports.smsReports.figures(MARCH)
  const of = { sms_gateway_id: 7, tenant_id }
  assert.deepEqual(
    figures.toSorted((a, b) => b.messages - a.messages || Number(b.tenant_id) - Number(a.tenant_id)),
    [
      { ...of, status_class: 'delivered', messages: 2, parts: 3 },
      { ...of, status_class: 'failed', messages: 1, parts: 0 },
      { ...of, tenant_id: null, status_class: null, messages: 1, parts: 0 },
    ],
  )
})

behaviour('a gateway is suspect while its last sends, so many, all failed', async ports => {
  const { id } = await insert(ports.records, 'sms_gateways')
  const send = (status_class: 'failed' | 'unknown' | 'pending', submitted_at: string | null) =>
    create(ports, { sms_gateway_id: id, status_class, submitted_at })
  const suspects = (): Promise<readonly number[]> => ports.smsReports.suspects(3)
  await send('pending', SUBMITTED)
  await send('failed', null)
  await send('unknown', null)
  assert.deepEqual(await suspects(), [])
  await send('failed', null)
  assert.deepEqual(await suspects(), [id])
  await send('pending', null)
  assert.deepEqual(await suspects(), [id])
  await send('pending', SUBMITTED)
  assert.deepEqual(await suspects(), [])
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
