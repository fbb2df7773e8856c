import assert from 'node:assert/strict'
import { shown } from '../../support/data/rows.ts'
import { contract, manyTimes } from '../contract.ts'
import { create, GATEWAY, receipt, receive, SENDER, submitAs, withSends } from './message-world.ts'

export const parkedReceiptsContract = contract('parked receipts', ['messages', 'records'])
const { behaviour } = parkedReceiptsContract

behaviour('receipts that came early are applied with the reply, in their order, and only once', async ports => {
  await withSends(ports)
  const payload = { id: '12345678901234567890', nested: { list: [1, null] } }
  for (const status of ['first', 'second'])
    assert.equal(await ports.messages.receive(GATEWAY, receipt('m1', status, payload), receive, SENDER), 'parked')
  await ports.messages.receive(GATEWAY, receipt('other', 'foreign'), receive, SENDER)
  await ports.messages.receive(GATEWAY + 1, receipt('m1', 'foreign'), receive, SENDER)
  const view = shown(await ports.messages.settle((await create(ports)).id, submitAs('m1'), receive))
  assert.deepEqual([view.delivery_status, view.remote_response], ['first,second', payload])
  const next = shown(await ports.messages.settle((await create(ports)).id, submitAs('m1'), receive))
  assert.equal(next.delivery_status, 'submitted')
})

behaviour('parked receipts are forgotten by their age', async ports => {
  await withSends(ports)
  const { messages, clock } = ports
  await messages.receive(GATEWAY, receipt('m1'), receive, SENDER)
  const between = clock.now()
  await messages.receive(GATEWAY, receipt('m2'), receive, SENDER)
  assert.equal(await messages.forgetParked(between), 1)
  assert.equal(await messages.forgetParked(between), 0)
  const settle = async (external: string) =>
    shown(await messages.settle((await create(ports)).id, submitAs(external), receive)).delivery_status
  assert.deepEqual([await settle('m1'), await settle('m2')], ['submitted', 'delivrd'])
})

behaviour('a receipt is not parked while no send through its gateway is under way', async ports => {
  const { messages } = ports
  assert.equal(await messages.receive(GATEWAY, receipt('m1'), receive, SENDER), 'ignored')
  const { id } = await create(ports)
  assert.equal(await messages.receive(GATEWAY + 1, receipt('m1'), receive, SENDER), 'ignored')
  assert.equal(await messages.receive(GATEWAY, receipt('m1'), receive, SENDER), 'parked')
  assert.equal(shown(await messages.settle(id, submitAs('m1'), receive)).delivery_status, 'delivrd')
  assert.equal(await messages.receive(GATEWAY, receipt('m2'), receive, SENDER), 'ignored')
})

behaviour("a sender's receipts push out only its own oldest ones", async ports => {
  await withSends(ports)
  const { messages } = ports
  const park = (external: string, sender: string) => messages.receive(GATEWAY, receipt(external), receive, sender)
  await park('ours', 'the gateway')
  await manyTimes(1_001, n => park(`junk${n}`, 'a flood'))
  const settle = async (external: string) =>
    shown(await messages.settle((await create(ports)).id, submitAs(external), receive)).delivery_status
  assert.deepEqual(
    [
      await settle('ours'),
      await settle('junk0'),
      await settle('junk249'),
      await settle('junk250'),
      await settle('junk1000'),
    ],
    ['delivrd', 'submitted', 'submitted', 'delivrd', 'delivrd'],
  )
})

behaviour('a gateway without room drops the oldest receipt of the sender with the most', async ports => {
  await withSends(ports)
  const { messages } = ports
  const park = (external: string, sender: string) => messages.receive(GATEWAY, receipt(external), receive, sender)
  await park('ours', 'the gateway')
  for (let sender = 0; sender < 11; sender++) await manyTimes(950, n => park(`junk${sender}-${n}`, `flood ${sender}`))
  const { id } = await create(ports)
  assert.equal(shown(await messages.settle(id, submitAs('ours'), receive)).delivery_status, 'delivrd')
  assert.ok((await messages.forgetParked('9999')) < 10_000)
})
