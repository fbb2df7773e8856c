import assert from 'node:assert/strict'
import { addSeconds } from '../../../core/dates.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { smsMessages } from '../../../core/resources/sms-messages.ts'
import type { Message } from '../../../core/sms/message.ts'
import { insert, listOf, row, shown } from '../../support/data/rows.ts'
import { queuedMessage } from '../../support/messaging/messages.ts'
import { contract } from '../contract.ts'
import { create, DEADLINE, GATEWAY, receipt, receive, SENDER, statuses, submitAs, withSends } from './message-world.ts'

export const messagesContract = contract('messages', ['messages', 'records'])
const { behaviour } = messagesContract

behaviour('a new message is stored as it is, with an id', async ports => {
  const created = await create(ports, { remote_response: '{"a":12345678901234567890}', message: '😀\u0001' })
  const [stored] = await listOf(ports.records, 'sms_messages')
  assert.ok(created.id > 0)
  const shownFields = Object.keys(smsMessages.fields).filter(name => name !== 'remote_response')
  const row: Readonly<Record<string, unknown>> = created
  for (const name of shownFields) assert.deepEqual(stored?.[name], row[name], name)
  assert.ok(stored?.created_at)
})

behaviour('a message for a missing tenant is invalid', async ports => {
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
  await ports.messages.receive(GATEWAY, receipt('early'), receive, SENDER)
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
  await withSends(ports)
  const { id } = await create(ports)
  await ports.messages.receive(GATEWAY, receipt('m1'), receive, SENDER)
  const refuse = (): never => {
    throw new RangeError('refused')
  }
  await assert.rejects(ports.messages.settle(id, refuse, receive), RangeError)
  await assert.rejects(ports.messages.settle(id, submitAs('m1'), refuse), RangeError)
  assert.deepEqual(await statuses(ports), ['queued'])
  await ports.messages.settle(id, submitAs('m1'), receive)
  assert.deepEqual(await statuses(ports), ['delivrd'])
})

behaviour('settling a missing message is an internal error', async ports => {
  await assert.rejects(
    ports.messages.settle(5, message => message, receive),
    { code: 'internal' },
  )
})

behaviour('a receipt changes the message of its gateway and external id, and says so', async ports => {
  const { id } = await create(ports)
  await ports.messages.settle(id, submitAs('m1'), receive)
  assert.equal(
    await ports.messages.receive(GATEWAY, receipt('m1', 'undeliv', { err: '001' }), receive, SENDER),
    'matched',
  )
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
    assert.equal(await ports.messages.receive(gateway, receipt(external), receive, SENDER), 'ignored')
  assert.deepEqual(await statuses(ports), ['submitted'])
})

behaviour('when a gateway gave an id twice, the newest message gets the receipt', async ports => {
  for (let n = 0; n < 2; n++) await ports.messages.settle((await create(ports)).id, submitAs('m1'), receive)
  await ports.messages.receive(GATEWAY, receipt('m1'), receive, SENDER)
  assert.deepEqual(await statuses(ports), ['delivrd', 'submitted'])
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

behaviour('what decides on the receipts of a gateway outlives it', async ({ records, messages }) => {
  const gateways = resourceNamed('sms_gateways')
  const guarded = await insert(records, 'sms_gateways', { callback_token: 't', meta: '{"dlr_token_in":"query:t"}' })
  const open = await insert(records, 'sms_gateways')
  assert.equal(await messages.retired(guarded.id), null)
  for (const { id } of [guarded, open]) await records.remove(gateways, id, { cascade: false })
  assert.deepEqual(
    { ...(await messages.retired(guarded.id)) },
    { callback_token: 't', meta: '{"dlr_token_in":"query:t"}' },
  )
  assert.equal(await messages.retired(open.id), null)
})

behaviour('what depends on the id of a new message is filled in as it is stored', async ports => {
  const { id: _, ...message } = queuedMessage()
  const complete = (created: Message): Message => ({
    ...created,
    reference: `ref-${created.id}`,
    callback_url: `https://pbx.example.com/${created.id}`,
    external_message_id: `own-${created.id}`,
  })
  const created = await ports.messages.create(message, DEADLINE, undefined, complete)
  assert.deepEqual(created, complete({ ...message, id: created.id }))
  const view = shown(await ports.messages.settle(created.id, stored => stored, receive))
  assert.deepEqual([view.external_message_id, view.callback_url], [created.external_message_id, created.callback_url])
  const named = { ...receipt(''), externalId: null, reference: created.reference }
  assert.equal(await ports.messages.receive(GATEWAY, named, receive, SENDER), 'matched')
})

behaviour('a receipt that gives our reference is for that message, whatever other id it gives', async ports => {
  const { messages } = ports
  await create(ports, { external_message_id: 'm1' })
  await create(ports, { external_message_id: 'm2', reference: 'ours' })
  const named = { ...receipt('m1', 'named'), reference: 'ours' }
  assert.equal(await messages.receive(GATEWAY, named, receive, SENDER), 'matched')
  assert.deepEqual(await statuses(ports), ['queued,named', 'queued'])
  assert.equal(await messages.receive(GATEWAY + 1, { ...named, externalId: null }, receive, SENDER), 'ignored')
  const unknown = { ...named, externalId: null, reference: 'nobody' }
  assert.equal(await messages.receive(GATEWAY, unknown, receive, SENDER), 'ignored')
})

behaviour('a receipt for all that share an external id is for those that nothing final is known of', async ports => {
  for (const status_class of ['delivered', 'pending', null] as const)
    await create(ports, { external_message_id: 'm1', status_class })
  assert.equal(await ports.messages.receive(GATEWAY, receipt('m1', 'all'), receive, SENDER, 'all'), 'matched')
  assert.deepEqual(await statuses(ports), ['queued,all', 'queued,all', 'queued'])
  await create(ports, { external_message_id: 'm2', status_class: 'delivered' })
  await ports.messages.receive(GATEWAY, receipt('m2', 'again'), receive, SENDER, 'all')
  assert.equal((await statuses(ports))[0], 'queued,again')
})

behaviour(
  'a message in parts is found by the id of each, and takes the receipts that were early for any',
  async ports => {
    const { messages } = ports
    const { id } = await create(ports)
    await messages.receive(GATEWAY, receipt('p2', 'early'), receive, SENDER)
    const part_classes = '{"p1":"pending","p2":"pending"}'
    await messages.settle(id, message => ({ ...submitAs('p1')(message), part_classes }), receive)
    assert.deepEqual(await statuses(ports), ['early'])
    for (const part of ['p1', 'p2'])
      assert.equal(await messages.receive(GATEWAY, receipt(part, part), receive, SENDER, 'all'), 'matched')
    assert.deepEqual(await statuses(ports), ['early,p1,p2'])
    assert.equal(await messages.receive(GATEWAY, receipt('p3'), receive, SENDER, 'all'), 'ignored')
  },
)

behaviour(
  'a gateway whose password goes elsewhere is named until a message sent after that is accepted',
  async ports => {
    const { records, messages } = ports
    const gateways = resourceNamed('sms_gateways')
    const { id } = shown(await records.insert(gateways, row('sms_gateways')))
    const send = async (submitted_at: string | null): Promise<void> => {
      const created = await create(ports, { sms_gateway_id: id })
      await messages.settle(created.id, message => ({ ...submitAs('m')(message), submitted_at }), receive)
    }
    const named = async (): Promise<number[]> => (await messages.retargeted()).map(({ gatewayId }) => gatewayId)
    await records.update(gateways, id, { notes: 'x' })
    assert.deepEqual(await named(), [])
    for (const change of [{ server_host: 'b.example.com' }, { server_port: 9 }, { use_ssl: true }, { username: 'b' }]) {
      await records.update(gateways, id, change)
      assert.deepEqual(await named(), [id], JSON.stringify(change))
      await send(null)
      assert.deepEqual(await named(), [id])
      await send(ports.clock.now())
      assert.deepEqual(await named(), [])
    }
    await records.update(gateways, id, { username: 'c' })
    await records.remove(gateways, id, { cascade: false })
    assert.deepEqual(await named(), [])
  },
)
