import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GatewayReply } from '../../../../core/sms/reply.ts'
import { keepSending } from '../../../support/messaging/messages.ts'
import { world } from '../../../support/messaging/messaging.ts'

test('a receipt changes its message, and gets the answer that the gateway expects', async () => {
  const { send, stored, receive, gatewayId } = await world({ meta: '{"dlr_ack":"ACK/Jasmin"}' })
  await send()
  const outcome = await receive(gatewayId, { id: 'm1', message_status: 'DELIVRD', password: 'secret word' })
  assert.deepEqual(outcome, { result: 'received', ack: { body: 'ACK/Jasmin', type: 'text/plain' } })
  const [message] = await stored()
  assert.equal(message?.delivery_status, 'delivrd')
  assert.ok(message.delivered_at)
  assert.deepEqual(message.remote_response, {
    message_id: 'm1',
    id: 'm1',
    message_status: 'DELIVRD',
    password: '[redacted]',
  })
})

test("a receipt that matches nothing is accepted without the gateway's acknowledgement", async () => {
  const { send, stored, receive, gatewayId } = await world({ meta: '{"dlr_ack":"ACK/Jasmin"}' })
  await send()
  const before = await stored()
  for (const [id, payload] of [
    [gatewayId, { id: 'other' }],
    [gatewayId + 1, { id: 'm1' }],
    [gatewayId + 1, {}],
    [null, { id: 'm1' }],
  ] as const)
    assert.deepEqual(await receive(id, payload), { result: 'received', ack: null })
  assert.deepEqual(await receive(gatewayId, {}), { result: 'unreadable', reason: 'no_message_id' })
  assert.deepEqual(await stored(), before)
})

test('a receipt that comes before the reply to its own send is applied with the reply', async () => {
  const { send, receive, gatewayId, answerWith } = await world()
  answerWith(async () => {
    await receive(gatewayId, { id: 'early', status: 'DELIVRD', err: '000' })
    return { kind: 'answered', status: 200, body: '{"id":"early"}' }
  })
  const message = await send()
  assert.deepEqual(
    [message.delivery_status, message.remote_response],
    ['delivrd', { id: 'early', status: 'DELIVRD', err: '000' }],
  )
  assert.ok(message.submitted_at && message.delivered_at)
})

test('a late interim status does not undo the final one', async () => {
  const { send, stored, receive, gatewayId } = await world({ meta: '{"interim_statuses":["ESME_ROK"]}' })
  await send()
  await receive(gatewayId, { id: 'm1', status: 'DELIVRD' })
  const [delivered] = await stored()
  await receive(gatewayId, { id: 'm1', status: 'ESME_ROK', level: '1' })
  const [after] = await stored()
  assert.deepEqual([after?.delivery_status, after?.delivered_at], ['delivrd', delivered?.delivered_at])
  assert.deepEqual(after?.remote_response, { message_id: 'm1', id: 'm1', status: 'ESME_ROK', level: '1' })
})

test('a token is required only if the gateway has one and says where it is', async () => {
  const never = (): boolean => assert.fail('no token is wanted')
  for (const changes of [{}, { callback_token: 't' }, { meta: '{"dlr_token_in":"query:token"}' }]) {
    const { receive, gatewayId } = await world(changes)
    assert.equal((await receive(gatewayId, { id: 'm1' }, never)).result, 'received')
  }
})

test('a receipt without the token is refused and changes nothing', async () => {
  const { send, stored, receive, gatewayId } = await world({
    callback_token: 't',
    meta: '{"dlr_token_in":"header:X-Token"}',
  })
  await send()
  const before = await stored()
  const asked: unknown[] = []
  const outcome = await receive(gatewayId, { id: 'm1' }, (place, token) => {
    asked.push(place, token)
    return false
  })
  assert.deepEqual(outcome, { result: 'refused' })
  assert.deepEqual(asked, [{ in: 'header', name: 'X-Token' }, 't'])
  assert.deepEqual(await stored(), before)
})

test('the sweep fails sends whose process died, never those that may still be answered', async () => {
  const { send, stored, use, clock, answerWith } = await world()
  const answered: ((reply: GatewayReply) => void)[] = []
  const calling = new Promise<void>(called => {
    answerWith(() => {
      called()
      return new Promise<GatewayReply>(resolve => answered.push(resolve))
    })
  })
  const sending = send()
  await calling
  clock.advance(15 + 29)
  assert.deepEqual(await use.sweep(), { failed: 0, forgotten: 0 })
  clock.advance(2)
  assert.deepEqual(await use.sweep(), { failed: 1, forgotten: 0 })
  assert.deepEqual(await use.sweep(), { failed: 0, forgotten: 0 })
  const [given] = await stored()
  assert.match(String(given?.error_message), /^outcome unknown: /)
  answered[0]?.({ kind: 'answered', status: 200, body: '{"id":"late"}' })
  const late = await sending
  assert.deepEqual([late.delivery_status, late.error_message, late.external_message_id], ['submitted', null, 'late'])
})

test('a receipt waits for its message for a day and no longer', async () => {
  const { send, use, receive, clock, gatewayId, answerWith, storage } = await world()
  await keepSending(storage.messages, gatewayId)
  await receive(gatewayId, { id: 'm1', status: 'OLD' })
  clock.advance(3600)
  await receive(gatewayId, { id: 'm2', status: 'NEW' })
  clock.advance(23 * 3600 + 1)
  assert.deepEqual(await use.sweep(), { failed: 0, forgotten: 1 })
  assert.equal((await send()).delivery_status, 'submitted')
  answerWith(() => ({ kind: 'answered', status: 200, body: '{"id":"m2"}' }))
  assert.equal((await send()).delivery_status, 'new')
})
