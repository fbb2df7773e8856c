import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../../../core/json.ts'
import type { Message, Receipt } from '../../../core/sms/message.ts'
import { giveUp, receive, settle } from '../../../core/sms/message-states.ts'
import { redactor } from '../../../core/sms/redact-credentials.ts'
import type { GatewayReply } from '../../../core/sms/reply.ts'
import { queuedMessage } from '../../support/messaging/messages.ts'

const NOW = '2026-03-01T12:00:01.000000Z'
const LATER = '2026-03-01T12:00:02.000000Z'
const PASSWORD = 'top  secret'
const redact = redactor({ username: 'u', password: PASSWORD })
const AT_NOW = { redact, now: NOW }
const AT_LATER = { redact, now: LATER }
const noInterim = { interimStatuses: new Set<string>() }

const answered = (status: number, body: string): GatewayReply => ({ kind: 'answered', status, body })
const definite: GatewayReply = { kind: 'failed', exception: 'connect ECONNREFUSED', isWritten: false }
const receipt = (payload: JsonObject, status = 'delivrd'): Receipt => ({
  externalId: 'x',
  reference: null,
  status,
  payload,
  size: JSON.stringify(payload).length,
})
const received = (message: Message, payload: JsonObject, status?: string): Message =>
  receive(message, receipt(payload, status), noInterim, AT_LATER)

function responseOf(message: Message): JsonObject {
  const value = parseJson(message.remote_response ?? 'null')
  assert.ok(isJsonObject(value))
  return value
}

test('queued: a success submits the message, and says when', () => {
  const before = queuedMessage()
  for (const status of [200, 201, 202, 204, 299])
    assert.deepEqual(settle(before, answered(status, '{"message_id":"m1","extra":[1]}'), AT_NOW), {
      ...before,
      delivery_status: 'submitted',
      submitted_at: NOW,
      external_message_id: 'm1',
      remote_response: '{"message_id":"m1","extra":[1]}',
    })
})

test('queued: a success without an id keeps the generated one', () => {
  const before = queuedMessage()
  assert.equal(
    settle(before, answered(202, '0: Accepted for delivery'), AT_NOW).external_message_id,
    before.external_message_id,
  )
})

test("queued: an HTTP error fails the message with the gateway's reason", () => {
  const before = queuedMessage()
  for (const status of [100, 301, 302, 400, 401, 404, 500, 503])
    assert.deepEqual(settle(before, answered(status, '{"message":"no"}'), AT_NOW), {
      ...before,
      delivery_status: 'failed',
      status_class: 'failed',
      error_message: `HTTP ${status}: no`,
      remote_response: '{"message":"no"}',
    })
})

test('queued: a network failure fails the message, and is kept as exception', () => {
  const before = queuedMessage()
  assert.deepEqual(settle(before, definite, AT_NOW), {
    ...before,
    delivery_status: 'failed',
    status_class: 'failed',
    error_message: 'connect ECONNREFUSED',
    remote_response: '{"exception":"connect ECONNREFUSED"}',
  })
})

test('queued: a network failure after the request was written fails the message, its outcome unknown', () => {
  const before = queuedMessage()
  assert.deepEqual(settle(before, { kind: 'failed', exception: 'aborted', isWritten: true }, AT_NOW), {
    ...before,
    delivery_status: 'failed',
    status_class: 'unknown',
    error_message: 'outcome unknown: aborted',
    remote_response: '{"exception":"aborted"}',
  })
})

test('a reply that is not a JSON object is kept as body', () => {
  const kept = (body: string): string | null => settle(queuedMessage(), answered(200, body), AT_NOW).remote_response
  assert.equal(kept('plain text'), '{"body":"plain text"}')
  assert.equal(kept(''), '{"body":""}')
  assert.equal(kept('[1,2]'), '{"body":[1,2]}')
  assert.equal(kept('12345678901234567890'), '{"body":12345678901234567890}')
  assert.equal(kept('null'), '{"body":null}')
})

test('a reply that nests too deep is kept as text, and its id is still read', () => {
  const deep = `{"id":"m7","a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`
  const settled = settle(queuedMessage(), answered(200, deep), AT_NOW)
  assert.deepEqual(responseOf(settled), { body: deep })
  assert.equal(settled.external_message_id, 'm7')
})

test('a reply changes only a queued message', () => {
  for (const delivery_status of ['submitted', 'delivered', 'failed', 'undeliv', '']) {
    const message = queuedMessage({ delivery_status })
    assert.equal(settle(message, answered(200, '{"id":"m"}'), AT_NOW), message)
    assert.equal(settle(message, definite, AT_NOW), message)
  }
})

test('a queued message whose sender died fails with an unknown outcome; any other stays as it is', () => {
  const before = queuedMessage()
  const after = giveUp(before)
  assert.equal(after.delivery_status, 'failed')
  assert.match(after.error_message ?? '', /^outcome unknown: /)
  assert.equal(after.submitted_at, null)
  for (const delivery_status of ['submitted', 'failed', 'delivered']) {
    const message = queuedMessage({ delivery_status })
    assert.equal(giveUp(message), message)
  }
})

test('a message that its gateway reports as queued does not time out', () => {
  const submitted = settle(queuedMessage(), answered(200, '{"id":"m"}'), AT_NOW)
  const message = received(submitted, {}, 'queued')
  assert.equal(message.delivery_status, 'queued')
  assert.equal(giveUp(message), message)
})

test('a reply that comes after the message timed out still counts', () => {
  const settled = settle(giveUp(queuedMessage()), answered(200, '{"id":"m"}'), AT_NOW)
  assert.deepEqual(
    [settled.delivery_status, settled.error_message, settled.external_message_id, settled.submitted_at],
    ['submitted', null, 'm', NOW],
  )
})

test('a receipt without a status is merged, and changes neither status nor time', () => {
  const before = settle(queuedMessage(), answered(200, '{"id":"m"}'), AT_NOW)
  const after = receive(before, { ...receipt({ a: 1 }), status: null }, noInterim, AT_LATER)
  assert.deepEqual(after, { ...before, remote_response: '{"id":"m","a":1}' })
})

test('in any state, a receipt writes its own status and the time', () => {
  for (const delivery_status of ['queued', 'submitted', 'failed', 'delivered', 'undeliv'])
    assert.deepEqual(
      received(queuedMessage({ delivery_status, remote_response: '{"id":"m"}' }), { to: '1' }, 'undeliv'),
      {
        ...queuedMessage(),
        delivery_status: 'undeliv',
        status_class: 'failed',
        delivered_at: LATER,
        remote_response: '{"id":"m","to":"1"}',
      },
    )
})

test('an interim status is merged, and changes neither status nor time', () => {
  const before = queuedMessage({ delivery_status: 'submitted' })
  const options = { interimStatuses: new Set(['esme_rok']) }
  assert.deepEqual(receive(before, receipt({ level: '1' }, 'esme_rok'), options, AT_LATER), {
    ...before,
    remote_response: '{"level":"1"}',
  })
  assert.equal(receive(before, receipt({}, 'delivrd'), options, AT_LATER).delivery_status, 'delivrd')
})

test('the password is never stored, wherever the gateway echoes it', () => {
  const long = `${'x'.repeat(290)} ${PASSWORD} ${'y'.repeat(300)}`
  for (const body of [
    long,
    JSON.stringify({ message: long }),
    JSON.stringify({ [PASSWORD]: [PASSWORD] }),
    `username=foo&password=${encodeURIComponent(PASSWORD)}`,
  ])
    for (const status of [200, 500]) {
      const { error_message, remote_response } = settle(queuedMessage(), answered(status, body), AT_NOW)
      assert.doesNotMatch(`${error_message}${remote_response}`, /top|secret/, `${status} ${body.slice(0, 40)}`)
    }
  const before = queuedMessage()
  const echoed = settle(before, answered(200, JSON.stringify({ id: `x-${PASSWORD}` })), AT_NOW)
  assert.equal(echoed.external_message_id, before.external_message_id)
  const failed = settle(
    queuedMessage(),
    { kind: 'failed', exception: `no route with ${PASSWORD}`, isWritten: false },
    AT_NOW,
  )
  assert.equal(failed.error_message, 'no route with [redacted]')
  assert.doesNotMatch(String(received(queuedMessage(), { echo: PASSWORD }).remote_response), /secret/)
})

test('a receipt that would make the record too large changes the status alone', () => {
  const before = queuedMessage({ remote_response: '{"id":"m"}' })
  const after = received(before, { padding: 'x'.repeat(300_000) })
  assert.deepEqual([after.delivery_status, after.delivered_at, after.remote_response], ['delivrd', LATER, '{"id":"m"}'])
})

test('the stored response may be null', () => {
  assert.equal(received(queuedMessage({ remote_response: null }), { a: '1' }).remote_response, '{"a":"1"}')
})

const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'id', 'status'))
const payloads = fc
  .array(fc.tuple(key, fc.jsonValue({ maxDepth: 3 })), { maxLength: 8 })
  .map(entries => Object.fromEntries(entries))

test("merging is shallow and by own keys: the receipt's members over the stored ones, every key plain data", () => {
  fc.assert(
    fc.property(payloads, payloads, (stored, payload) => {
      const after = responseOf(received(queuedMessage({ remote_response: stringifyJson(stored) }), payload))
      const expected = new Map([...Object.entries(stored), ...Object.entries(payload)])
      assert.deepEqual(new Set(Object.keys(after)), new Set(expected.keys()))
      for (const [name, value] of expected)
        assert.equal(stringifyJson(Object.getOwnPropertyDescriptor(after, name)?.value), JSON.stringify(value), name)
      assert.equal(Object.getPrototypeOf(after), Object.prototype)
      assert.equal(Object.getPrototypeOf({}), Object.prototype)
      assert.deepEqual(Object.keys(Object.prototype), [])
    }),
    { numRuns: 500 },
  )
})

test('the same receipt twice gives the same record, apart from when it was delivered', () => {
  fc.assert(
    fc.property(payloads, payloads, fc.boolean(), (stored, payload, interim) => {
      const before = queuedMessage({ delivery_status: 'submitted', remote_response: stringifyJson(stored) })
      const options = { interimStatuses: new Set(interim ? ['delivrd'] : []) }
      const once = receive(before, receipt(payload), options, AT_NOW)
      const twice = receive(once, receipt(payload), options, AT_LATER)
      assert.deepEqual({ ...twice, delivered_at: once.delivered_at }, once)
    }),
    { numRuns: 500 },
  )
})
