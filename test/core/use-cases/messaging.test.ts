import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStorage } from '../../../adapters/sqlite/storage.ts'
import { AppError } from '../../../core/errors.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../../core/json.ts'
import type { GatewayReply } from '../../../core/ports/messages.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import type { Value } from '../../../core/resources/field.ts'
import type { Submission } from '../../../core/sms/message.ts'
import { messaging } from '../../../core/use-cases/messaging.ts'
import { manualClock } from '../../support/clock.ts'

const GATEWAY = {
  name: 'Local',
  provider_type: 'test',
  server_host: 'sms.example.com',
  server_port: 8080,
  api_path: 'send',
  username: 'user',
  password: 'secret word',
  default_sender_id: null,
  callback_token: null,
  is_active: true,
  use_ssl: false,
  notes: null,
  meta: null,
}
const BODY = { to_number: '+380501234567', from_sender: 'ACME', message: 'Hello' }
const anyToken = () => true

function objectOf(json: string): JsonObject {
  const value = parseJson(json)
  assert.ok(isJsonObject(value))
  return value
}

async function world(changes: Record<string, Value> = {}) {
  const clock = manualClock()
  const storage = openStorage(':memory:', { clock })
  const gateways = resourceNamed('sms_gateways')
  const submissions: Submission[] = []
  let uuids = 0
  let answer: (submission: Submission) => GatewayReply | Promise<GatewayReply> = () => ({
    kind: 'answered',
    status: 200,
    body: '{"message_id":"m1"}',
  })
  const gateway = objectOf(await storage.records.insert(gateways, { ...GATEWAY, ...changes }))
  const use = messaging({
    records: storage.records,
    messages: storage.messages,
    client: {
      submit: async submission => {
        submissions.push(submission)
        return answer(submission)
      },
    },
    clock,
    ids: { uuid: () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}` },
    settings: { baseUrl: 'https://pbx.example.com', gatewayTimeout: 15 },
  })
  const stored = async (): Promise<JsonObject[]> => {
    const list: JsonObject[] = []
    for await (const page of storage.records.list(resourceNamed('sms_messages'), { view: 'plain' }))
      list.push(...(JSON.parse(`[${page.json}]`) as JsonObject[]))
    return list
  }
  return {
    clock,
    storage,
    submissions,
    use,
    stored,
    gatewayId: Number(gateway.id),
    send: async (body: unknown = BODY) => objectOf(await use.send(Number(gateway.id), body)),
    answerWith: (next: typeof answer) => {
      answer = next
    },
  }
}

test('a send stores the message as queued before the gateway hears of it', async () => {
  const { send, stored, answerWith } = await world()
  let during: JsonObject[] = []
  answerWith(async () => {
    during = await stored()
    return { kind: 'answered', status: 200, body: '{}' }
  })
  await send()
  assert.deepEqual(
    during.map(({ delivery_status, submitted_at, remote_response }) => [
      delivery_status,
      submitted_at,
      remote_response,
    ]),
    [['queued', null, {}]],
  )
})

test('a message that the gateway took is not said to be worth another try when its answer cannot be stored', async () => {
  const { storage, send, stored } = await world()
  storage.messages.settle = () => Promise.reject(new AppError('busy', 'Busy.', { retryAfter: 1 }))
  await assert.rejects(send(), (error: unknown) => {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'busy')
    assert.equal(error.details.retryAfter, undefined)
    assert.match(error.message, /handed to the gateway.*do not send it again/)
    return true
  })
  assert.equal((await stored())[0]?.delivery_status, 'queued')
})

test('the gateway gets the documented members and nothing else', async () => {
  const { send, submissions, gatewayId } = await world()
  await send({ ...BODY, tenant_id: null, extra: 1 })
  const [submission] = submissions
  assert.equal(submission?.url, 'http://sms.example.com:8080/send')
  assert.deepEqual([submission.username, submission.password], ['user', 'secret word'])
  assert.deepEqual(JSON.parse(submission.body), {
    to: '+380501234567',
    from: 'ACME',
    content: 'Hello',
    'dlr-url': `https://pbx.example.com/api/sms-gateways/${gatewayId}/dlr`,
    'dlr-level': 2,
    'dlr-method': 'POST',
  })
})

test("the gateway's address is made of its own fields", async () => {
  for (const [changes, url] of [
    [{ use_ssl: true, server_port: 443 }, 'https://sms.example.com:443/send'],
    [{ api_path: null }, 'http://sms.example.com:8080/send'],
    [{ api_path: '/secure/send' }, 'http://sms.example.com:8080/secure/send'],
    [{ server_host: '::1' }, 'http://[::1]:8080/send'],
    [{ server_host: '[::1]' }, 'http://[::1]:8080/send'],
  ] as const) {
    const { send, submissions } = await world(changes)
    await send()
    assert.equal(submissions[0]?.url, url)
  }
})

test('a submitted message and a failed one are both returned as they are stored', async () => {
  const { send, stored, answerWith } = await world()
  const submitted = await send()
  assert.deepEqual(
    [submitted.delivery_status, submitted.external_message_id, submitted.direction, submitted.delivered_at],
    ['submitted', 'm1', 'outbound', null],
  )
  answerWith(() => ({ kind: 'failed', exception: 'connect ECONNREFUSED with secret word' }))
  const failed = await send()
  assert.deepEqual(
    [failed.delivery_status, failed.error_message, failed.submitted_at, failed.remote_response],
    ['failed', 'connect ECONNREFUSED with [redacted]', null, { exception: 'connect ECONNREFUSED with [redacted]' }],
  )
  assert.match(String(failed.external_message_id), /^00000000-0000-4000-8000-/)
  assert.deepEqual(await stored(), [failed, submitted])
})

test('a send through an unknown gateway is not found, whatever its body', async () => {
  const { use } = await world()
  await assert.rejects(use.send(99, {}), { code: 'not_found', message: 'SMS gateway not found.' })
})

test('a send that breaks rules tells each of them, stores nothing and calls nobody', async () => {
  const { send, stored, submissions } = await world()
  await assert.rejects(
    send({ to_number: '0', message: 'x'.repeat(1001), tenant_id: 5, callback_url: 'ftp://a' }),
    (error: unknown) => {
      assert.ok(error instanceof AppError)
      assert.deepEqual(Object.keys(error.details.errors ?? {}), [
        'to_number',
        'from_sender',
        'message',
        'tenant_id',
        'callback_url',
      ])
      return true
    },
  )
  assert.deepEqual([await stored(), submissions], [[], []])
})

test('the callback address of the request is used as it is', async () => {
  const { send, submissions } = await world({ callback_token: 't', meta: '{"dlr_token_in":"query:token"}' })
  const sent = await send({ ...BODY, callback_url: 'https://other.example.com/x?y=1' })
  assert.equal(sent.callback_url, 'https://other.example.com/x?y=1')
  assert.match(String(submissions[0]?.body), /"dlr-url":"https:\/\/other\.example\.com\/x\?y=1"/)
})

test('the default callback address carries the token where the gateway wants it in the query', async () => {
  for (const [meta, query] of [
    ['{"dlr_token_in":"query:token"}', '?token=t%26%3D%20%C3%B6'],
    ['{"dlr_token_in":"header:X-Token"}', ''],
    ['{"dlr_token_in":"nowhere"}', ''],
    [null, ''],
  ] as const) {
    const { send, gatewayId } = await world({ callback_token: 't&= ö', meta })
    assert.equal((await send()).callback_url, `https://pbx.example.com/api/sms-gateways/${gatewayId}/dlr${query}`)
  }
})

test("level and method come from the gateway's meta", async () => {
  const { send, submissions } = await world({ meta: '{"dlr_level":3,"dlr_method":"GET"}' })
  await send()
  const body = objectOf(submissions[0]?.body ?? '')
  assert.deepEqual([body['dlr-level'], body['dlr-method']], [3, 'GET'])
})

test('a receipt changes its message, and is answered as the gateway wants', async () => {
  const { send, stored, use, gatewayId } = await world({ meta: '{"dlr_ack":"ACK/Jasmin"}' })
  await send()
  const outcome = await use.receipt(gatewayId, { id: 'm1', message_status: 'DELIVRD', text: 'secret word' }, anyToken)
  assert.deepEqual(outcome, { result: 'received', ack: 'ACK/Jasmin' })
  const [message] = await stored()
  assert.equal(message?.delivery_status, 'delivrd')
  assert.ok(message.delivered_at)
  assert.deepEqual(message.remote_response, {
    message_id: 'm1',
    id: 'm1',
    message_status: 'DELIVRD',
    text: '[redacted]',
  })
})

test('a receipt that matches nothing is received, and acknowledged no further', async () => {
  const { send, stored, use, gatewayId } = await world({ meta: '{"dlr_ack":"ACK/Jasmin"}' })
  await send()
  const before = await stored()
  for (const [id, payload] of [
    [gatewayId, { id: 'other' }],
    [gatewayId, {}],
    [gatewayId + 1, { id: 'm1' }],
    [null, { id: 'm1' }],
  ] as const)
    assert.deepEqual(await use.receipt(id, payload, anyToken), { result: 'received', ack: null })
  assert.deepEqual(await stored(), before)
})

test('a receipt that comes before the reply to its own send is applied with the reply', async () => {
  const { send, use, gatewayId, answerWith } = await world()
  answerWith(async () => {
    await use.receipt(gatewayId, { id: 'early', status: 'DELIVRD', err: '000' }, anyToken)
    return { kind: 'answered', status: 200, body: '{"id":"early"}' }
  })
  const message = await send()
  assert.deepEqual(
    [message.delivery_status, message.remote_response],
    ['delivrd', { id: 'early', status: 'DELIVRD', err: '000' }],
  )
  assert.ok(message.submitted_at && message.delivered_at)
})

test('an interim status that comes late does not undo the final one', async () => {
  const { send, stored, use, gatewayId } = await world({ meta: '{"interim_statuses":["ESME_ROK"]}' })
  await send()
  await use.receipt(gatewayId, { id: 'm1', status: 'DELIVRD' }, anyToken)
  const [delivered] = await stored()
  await use.receipt(gatewayId, { id: 'm1', status: 'ESME_ROK', level: '1' }, anyToken)
  const [after] = await stored()
  assert.deepEqual([after?.delivery_status, after?.delivered_at], ['delivrd', delivered?.delivered_at])
  assert.deepEqual(after?.remote_response, { message_id: 'm1', id: 'm1', status: 'ESME_ROK', level: '1' })
})

test('a token is asked for only where the gateway has one and says where it is', async () => {
  const never = (): boolean => assert.fail('no token is wanted')
  for (const changes of [{}, { callback_token: 't' }, { meta: '{"dlr_token_in":"query:token"}' }]) {
    const { use, gatewayId } = await world(changes)
    assert.equal((await use.receipt(gatewayId, { id: 'm1' }, never)).result, 'received')
  }
})

test('a receipt without the token is refused and changes nothing', async () => {
  const { send, stored, use, gatewayId } = await world({
    callback_token: 't',
    meta: '{"dlr_token_in":"header:X-Token"}',
  })
  await send()
  const before = await stored()
  const asked: unknown[] = []
  const outcome = await use.receipt(gatewayId, { id: 'm1' }, (place, token) => {
    asked.push(place, token)
    return false
  })
  assert.deepEqual(outcome, { result: 'refused' })
  assert.deepEqual(asked, [{ in: 'header', name: 'X-Token' }, 't'])
  assert.deepEqual(await stored(), before)
})

test('the sweep gives up on sends whose process died, never on those that may still be answered', async () => {
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

test('a receipt waits a day for its message, no longer', async () => {
  const { send, use, clock, gatewayId, answerWith } = await world()
  await use.receipt(gatewayId, { id: 'm1', status: 'OLD' }, anyToken)
  clock.advance(3600)
  await use.receipt(gatewayId, { id: 'm2', status: 'NEW' }, anyToken)
  clock.advance(23 * 3600 + 1)
  assert.deepEqual(await use.sweep(), { failed: 0, forgotten: 1 })
  assert.equal((await send()).delivery_status, 'submitted')
  answerWith(() => ({ kind: 'answered', status: 200, body: '{"id":"m2"}' }))
  assert.equal((await send()).delivery_status, 'new')
})
