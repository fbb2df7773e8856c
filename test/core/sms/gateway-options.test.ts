import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringifyJson } from '../../../core/json.ts'
import { gatewayOptions } from '../../../core/sms/gateway-options.ts'

const from = (meta: unknown) => gatewayOptions(JSON.stringify(meta))

test('a gateway without meta behaves as documented', () => {
  const documented = {
    ...{ dlrLevel: 2, dlrMethod: 'POST', dlrAck: null, interimStatuses: new Set(), tokenIn: null },
    ...{ profile: null, account: {}, sendsReference: false, maxParts: null, caFile: null },
  }
  for (const meta of [null, '{}', '{"other":1}', '[]', '"text"', '{"dlr_level":null,"dlr_method":null,"dlr_ack":null}'])
    assert.deepEqual(gatewayOptions(meta), documented, String(meta))
})

test('level and method are passed on unchanged, digits included', () => {
  assert.equal(from({ dlr_level: 3 }).dlrLevel, 3)
  assert.equal(from({ dlr_method: 'GET' }).dlrMethod, 'GET')
  assert.equal(stringifyJson(gatewayOptions('{"dlr_level":12345678901234567890}').dlrLevel), '12345678901234567890')
})

test('only text is used as the acknowledgement', () => {
  assert.equal(from({ dlr_ack: 'ACK/Jasmin' }).dlrAck, 'ACK/Jasmin')
  for (const dlr_ack of [1, true, {}, ['ACK']]) assert.equal(from({ dlr_ack }).dlrAck, null)
})

test('interim statuses are known in any case', () => {
  assert.deepEqual(
    from({ interim_statuses: ['ESME_ROK', 'Buffered', 8] }).interimStatuses,
    new Set(['esme_rok', 'buffered', '8']),
  )
  for (const interim_statuses of ['ESME_ROK', {}, 5, null])
    assert.equal(from({ interim_statuses }).interimStatuses.size, 0)
})

test('a token is looked for in the query or in a header', () => {
  assert.deepEqual(from({ dlr_token_in: 'query:token' }).tokenIn, { in: 'query', name: 'token' })
  assert.deepEqual(from({ dlr_token_in: 'header:X-Callback-Token' }).tokenIn, {
    in: 'header',
    name: 'X-Callback-Token',
  })
  assert.equal(from({ dlr_token_in: null }).tokenIn, null)
})

test('an unreadable token place accepts no receipt, rather than every one', () => {
  for (const dlr_token_in of [
    '',
    'query',
    'query:',
    'cookie:a',
    'header:a b',
    'QUERY:a',
    5,
    true,
    {},
    [],
    `query:${'x'.repeat(101)}`,
  ])
    assert.equal(from({ dlr_token_in }).tokenIn, 'unreadable', JSON.stringify(dlr_token_in))
})

test('an object without a text form does no harm', () => {
  const hostile = { toString: 1, valueOf: null }
  assert.equal(from({ dlr_token_in: hostile }).tokenIn, 'unreadable')
  assert.deepEqual(from({ interim_statuses: [hostile, 'a', null] }).interimStatuses, new Set(['a']))
})
