import assert from 'node:assert/strict'
import { addSeconds } from '../../../core/dates.ts'
import type { Receive } from '../../../core/ports/messages.ts'
import type { Message, Receipt } from '../../../core/sms/message.ts'
import { queuedMessage } from '../../support/messages.ts'
import { insert, listOf, shown } from '../../support/rows.ts'
import { behaviour, type Ports } from './contract.ts'

const GATEWAY = 7
const DEADLINE = '2026-03-01T12:00:45.000000Z'
const MAX_PARKED = 10_000

const receipt = (externalId: string, status: string | null = 'delivrd', payload: Receipt['payload'] = {}): Receipt => ({
  externalId,
  status,
  payload,
  size: JSON.stringify(payload).length,
})

/** A change of the state that shows in which order receipts came. */
const receive: Receive = (message, { status, payload }) => ({
  ...message,
  delivery_status: message.delivery_status === 'submitted' ? String(status) : `${message.delivery_status},${status}`,
  remote_response: JSON.stringify(payload),
})

const submitAs =
  (external_message_id: string) =>
  (message: Message): Message => ({ ...message, delivery_status: 'submitted', external_message_id })

async function create({ messages }: Ports, changes: Partial<Message> = {}): Promise<Message> {
  const { id: _, ...message } = queuedMessage(changes)
  return messages.create(message, DEADLINE)
}

/** Receipts are parked for gateways that are there. */
async function withGateways({ records }: Ports): Promise<void> {
  for (let id = 1; id <= GATEWAY + 1; id++) await insert(records, 'sms_gateways')
}

const statuses = async ({ records }: Ports): Promise<unknown[]> =>
  (await listOf(records, 'sms_messages')).map(message => message.delivery_status)

behaviour('a new message is stored as it is, with an id', async ports => {
  const created = await create(ports, { remote_response: '{"a":12345678901234567890}', message: '😀\u0000' })
  const [stored] = await listOf(ports.records, 'sms_messages')
  assert.ok(created.id > 0)
  const { remote_response: _, ...fields } = created
  for (const [name, value] of Object.entries(fields)) assert.deepEqual(stored?.[name], value, name)
  assert.ok(stored?.created_at)
})

behaviour('a message for a tenant that is not there is invalid', async ports => {
  await assert.rejects(create(ports, { tenant_id: 5 }), {
    code: 'invalid',
    message: 'The selected tenant id is invalid.',
  })
  assert.deepEqual(await statuses(ports), [])
})

behaviour('messages are listed by when they were created, the newest first', async ports => {
  const ids = [(await create(ports)).id, (await create(ports)).id, (await create(ports)).id]
  assert.deepEqual(
    (await listOf(ports.records, 'sms_messages')).map(({ id }) => id),
    ids.toReversed(),
  )
})

behaviour('settling changes the message and returns its view', async ports => {
  const { id } = await create(ports)
  const view = shown(await ports.messages.settle(id, submitAs('m1'), receive))
  assert.deepEqual([view.id, view.delivery_status, view.external_message_id], [id, 'submitted', 'm1'])
  assert.deepEqual(await listOf(ports.records, 'sms_messages'), [view])
})

behaviour('settling gives the change the message as it is stored by then', async ports => {
  const created = await create(ports, { external_message_id: 'early' })
  await ports.messages.receive(GATEWAY, receipt('early'), receive)
  await ports.messages.settle(
    created.id,
    message => {
      assert.deepEqual(message, { ...created, delivery_status: 'queued,delivrd' })
      return message
    },
    receive,
  )
})

behaviour('a change that throws leaves the message and the parked receipts as they were', async ports => {
  await withGateways(ports)
  const { id } = await create(ports)
  await ports.messages.receive(GATEWAY, receipt('m1'), receive)
  const refuse = (): never => {
    throw new RangeError('refused')
  }
  await assert.rejects(ports.messages.settle(id, refuse, receive), RangeError)
  await assert.rejects(ports.messages.settle(id, submitAs('m1'), refuse), RangeError)
  assert.deepEqual(await statuses(ports), ['queued'])
  await ports.messages.settle(id, submitAs('m1'), receive)
  assert.deepEqual(await statuses(ports), ['delivrd'])
})

behaviour('settling a message that is not there is an internal error', async ports => {
  await assert.rejects(
    ports.messages.settle(5, message => message, receive),
    { code: 'internal' },
  )
})

behaviour('a receipt changes the message of its gateway and external id, and says so', async ports => {
  const { id } = await create(ports)
  await ports.messages.settle(id, submitAs('m1'), receive)
  assert.equal(await ports.messages.receive(GATEWAY, receipt('m1', 'undeliv', { err: '001' }), receive), 'matched')
  const [stored] = await listOf(ports.records, 'sms_messages')
  assert.deepEqual([stored?.delivery_status, stored?.remote_response], ['undeliv', { err: '001' }])
})

behaviour('a receipt of another gateway or id, or in another case, changes nothing', async ports => {
  const { id } = await create(ports)
  await ports.messages.settle(id, submitAs('m1'), receive)
  for (const [gateway, external] of [
    [GATEWAY + 1, 'm1'],
    [GATEWAY, 'M1'],
    [GATEWAY, 'm'],
    [GATEWAY, 'm1 '],
  ] as const)
    assert.equal(await ports.messages.receive(gateway, receipt(external), receive), 'ignored')
  assert.deepEqual(await statuses(ports), ['submitted'])
})

behaviour('when a gateway gave an id twice, the newest message gets the receipt', async ports => {
  for (let n = 0; n < 2; n++) await ports.messages.settle((await create(ports)).id, submitAs('m1'), receive)
  await ports.messages.receive(GATEWAY, receipt('m1'), receive)
  assert.deepEqual(await statuses(ports), ['delivrd', 'submitted'])
})

behaviour('receipts that came early are applied with the reply, in their order, and only once', async ports => {
  await withGateways(ports)
  const payload = { id: '12345678901234567890', nested: { list: [1, null] } }
  for (const status of ['first', 'second'])
    assert.equal(await ports.messages.receive(GATEWAY, receipt('m1', status, payload), receive), 'parked')
  await ports.messages.receive(GATEWAY, receipt('other', 'foreign'), receive)
  await ports.messages.receive(GATEWAY + 1, receipt('m1', 'foreign'), receive)
  const view = shown(await ports.messages.settle((await create(ports)).id, submitAs('m1'), receive))
  assert.deepEqual([view.delivery_status, view.remote_response], ['first,second', payload])
  const next = shown(await ports.messages.settle((await create(ports)).id, submitAs('m1'), receive))
  assert.equal(next.delivery_status, 'submitted')
})

behaviour('queued messages past their deadline expire, no others, and none that had a receipt', async ports => {
  const [late, settled] = [await create(ports), await create(ports)]
  await ports.messages.settle(settled.id, submitAs('m1'), receive)
  await create(ports, { delivered_at: DEADLINE })
  const fail = (message: Message): Message => ({ ...message, delivery_status: 'failed' })
  assert.equal(await ports.messages.expire(DEADLINE, fail), 0)
  assert.equal(await ports.messages.expire(addSeconds(DEADLINE, 1), fail), 1)
  assert.deepEqual(await statuses(ports), ['queued', 'submitted', 'failed'])
  assert.equal(await ports.messages.expire(addSeconds(DEADLINE, 1), fail), 0)
  assert.ok(late.id < settled.id)
})

behaviour('parked receipts are forgotten by their age', async ports => {
  await withGateways(ports)
  const { messages, clock } = ports
  await messages.receive(GATEWAY, receipt('m1'), receive)
  const between = clock.now()
  await messages.receive(GATEWAY, receipt('m2'), receive)
  assert.equal(await messages.forgetParked(between), 1)
  assert.equal(await messages.forgetParked(between), 0)
  const settle = async (external: string) =>
    shown(await messages.settle((await create(ports)).id, submitAs(external), receive)).delivery_status
  assert.deepEqual([await settle('m1'), await settle('m2')], ['submitted', 'delivrd'])
})

behaviour('each gateway parks ten thousand receipts; the next one drops the oldest', async ports => {
  await withGateways(ports)
  const { messages } = ports
  const park = (gateway: number, external: string) => messages.receive(gateway, receipt(external), receive)
  await park(GATEWAY + 1, 'neighbour')
  await Promise.all(Array.from({ length: MAX_PARKED }, (_, n) => park(GATEWAY, `m${n}`)))
  await park(GATEWAY, 'one more')
  await park(GATEWAY, 'and another')
  const settle = async (external: string, sms_gateway_id = GATEWAY) => {
    const { id } = await create(ports, { sms_gateway_id })
    return shown(await messages.settle(id, submitAs(external), receive)).delivery_status
  }
  assert.deepEqual(
    [await settle('m0'), await settle('m1'), await settle('m2'), await settle('one more'), await settle('and another')],
    ['submitted', 'submitted', 'delivrd', 'delivrd', 'delivrd'],
  )
  assert.equal(await settle('neighbour', GATEWAY + 1), 'delivrd')
  assert.equal(await messages.forgetParked('9999'), MAX_PARKED - 3)
})
