import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../core/errors.ts'
import type { JsonObject } from '../../../../core/json.ts'
import { BODY, objectOf, world } from '../../../support/messaging/messaging.ts'

test('a send stores the message as queued before it contacts the gateway', async () => {
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

test('when the answer to an accepted message cannot be stored, the error does not suggest another try', async () => {
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
  assert.deepEqual(submission.basic, { username: 'user', password: 'secret word' })
  assert.deepEqual(JSON.parse(submission.body ?? ''), {
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

test('a submitted message and a failed one are both returned as stored', async () => {
  const { send, stored, answerWith } = await world()
  const submitted = await send()
  assert.deepEqual(
    [submitted.delivery_status, submitted.external_message_id, submitted.direction, submitted.delivered_at],
    ['submitted', 'm1', 'outbound', null],
  )
  answerWith(() => ({ kind: 'failed', exception: 'connect ECONNREFUSED with secret word', isWritten: false }))
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

test('a send that breaks rules reports each of them, stores nothing and contacts no gateway', async () => {
  const { send, stored, submissions } = await world()
  await assert.rejects(
    send({ to_number: '0', message: 'x'.repeat(1001), tenant_id: 5, callback_url: 'ftp://a' }),
    (error: unknown) => {
      assert.ok(error instanceof AppError)
      assert.deepEqual(
        error.details.errors?.map(({ field }) => field),
        ['to_number', 'from_sender', 'message', 'tenant_id', 'callback_url'],
      )
      return true
    },
  )
  assert.deepEqual([await stored(), submissions], [[], []])
})

test('the callback address of the request is used unchanged', async () => {
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
