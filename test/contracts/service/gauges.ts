import assert from 'node:assert/strict'
import { contract } from '../contract.ts'
import { create, GATEWAY, receipt, receive, SENDER, submitAs, withSends } from '../messaging/message-world.ts'

export const gaugesContract = contract('gauges', ['gauges', 'messages', 'records'])
const { behaviour } = gaugesContract

behaviour('receipts that wait are counted by gateway, until their message has them', async ports => {
  const { gauges, messages } = ports
  assert.deepEqual(await gauges.parkedReceipts(), [])
  await withSends(ports)
  for (const [gateway, external] of [
    [GATEWAY, 'm1'],
    [GATEWAY, 'm2'],
    [GATEWAY + 1, 'm3'],
  ] as const)
    await messages.receive(gateway, receipt(external), receive, SENDER)
  assert.deepEqual(
    (await gauges.parkedReceipts()).toSorted((a, b) => a.gateway - b.gateway),
    [
      { gateway: GATEWAY, count: 2 },
      { gateway: GATEWAY + 1, count: 1 },
    ],
  )
  await messages.settle((await create(ports)).id, submitAs('m1'), receive)
  assert.equal((await gauges.parkedReceipts()).find(({ gateway }) => gateway === GATEWAY)?.count, 1)
})

behaviour('the log has a size in bytes', async ({ gauges }) => {
  const bytes = await gauges.logBytes()
  assert.ok(Number.isInteger(bytes) && bytes >= 0)
})

behaviour('a server tells how it fares, and a file has none', async ({ gauges }) => {
  const figures = await gauges.server()
  if (figures === null) return
  assert.ok(figures.connections >= 1 && figures.connections <= figures.maxConnections)
})
