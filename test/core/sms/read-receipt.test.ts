import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isJsonObject, type JsonObject, parseJson } from '../../../core/json.ts'
import type { Receipt } from '../../../core/sms/message.ts'
import { readReceipt } from '../../../core/sms/read-receipt.ts'

const SIZE = 123
const plain = { tokenIn: null, sendsReference: false }

const read = (members: JsonObject): Receipt | null => readReceipt({ query: {}, body: members, size: SIZE }, plain)

test('the message is named by message_id, id or messageId, in this order', () => {
  assert.equal(read({ messageId: 'c', id: 'b', message_id: 'a' })?.externalId, 'a')
  assert.equal(read({ messageId: 'c', id: 'b' })?.externalId, 'b')
  assert.equal(read({ messageId: 'c' })?.externalId, 'c')
  assert.equal(read({ message_id: '', id: null, messageId: ' c ' })?.externalId, 'c')
})

test('a numeric id is its digits', () => {
  const payload = parseJson('{"id":12345678901234567890}')
  assert.ok(isJsonObject(payload))
  assert.equal(read(payload)?.externalId, '12345678901234567890')
})

test('the status is status, else message_status, else delivered, in lower case', () => {
  assert.equal(read({ id: 'a', status: 'DELIVRD', message_status: 'x' })?.status, 'delivrd')
  assert.equal(read({ id: 'a', message_status: 'UNDELIV' })?.status, 'undeliv')
  assert.equal(read({ id: 'a' })?.status, 'delivered')
  assert.equal(read({ id: 'a', status: 8 })?.status, '8')
  assert.equal(read({ id: 'a', status: 'S'.repeat(300) })?.status, 's'.repeat(255))
})

test('a status that is empty or not text changes nothing', () => {
  for (const status of [{ groupName: 'REJECTED' }, ['UNDELIV'], false, true, null, '', ' '])
    for (const name of ['status', 'message_status'])
      assert.equal(read({ id: 'a', [name]: status })?.status, null, JSON.stringify(status))
  assert.equal(read({ id: 'a', status: null, message_status: 'Expired' })?.status, 'expired')
})

test('the query fills in what the body lacks, but never the token', () => {
  const given = {
    query: { id: 'a', status: 'X', ref: '42', token: 'hush' },
    body: { status: 'Y', token: 'own' },
    size: SIZE,
  }
  const read = readReceipt(given, { ...plain, tokenIn: { in: 'query', name: 'token' } })
  assert.deepEqual(read, {
    externalId: 'a',
    reference: null,
    status: 'y',
    payload: { id: 'a', status: 'Y', ref: '42', token: 'own' },
    size: SIZE,
  })
  const { payload } = readReceipt({ ...given, body: {} }, { ...plain, tokenIn: { in: 'query', name: 'token' } }) ?? {}
  assert.deepEqual(payload, { id: 'a', status: 'X', ref: '42' })
  assert.equal(
    readReceipt({ ...given, body: {} }, { ...plain, tokenIn: { in: 'header', name: 'token' } })?.payload.token,
    'hush',
  )
})

test('a payload that names no message is not a receipt', () => {
  for (const payload of [{}, { status: 'DELIVRD' }, { id: {} }, { id: true }, { id: 'x'.repeat(256) }])
    assert.equal(read(payload), null)
})

test('inherited members name nothing', () => {
  assert.equal(read(Object.create({ id: 'a' })), null)
  const payload = parseJson('{"__proto__":{"id":"a","status":"b"}}')
  assert.ok(isJsonObject(payload))
  assert.equal(read(payload), null)
})

test('the status of a payload that nests too deep is still read', () => {
  let deep: unknown = 1
  for (let level = 0; level < 40; level++) deep = { deep }
  assert.deepEqual(read({ id: 'a', status: 'X', deep }), {
    externalId: 'a',
    reference: null,
    status: 'x',
    payload: {},
    size: SIZE,
  })
})

test('every JSON object is read without throwing, and kept unchanged', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), payload => {
      const receipt = read(payload)
      if (receipt) assert.deepEqual(receipt.payload, payload)
    }),
  )
})
