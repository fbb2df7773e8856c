import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFreeswitchJson } from '../../../../adapters/pbx/formats/freeswitch-json.ts'
import type { CompletedCall } from '../../../../core/calls/completed-call.ts'

const UUID = '5f1c3a52-9d5e-4b7c-8a8e-0e7d3f6a1b2c'

const VARIABLES = {
  direction: 'inbound',
  uuid: UUID,
  accountcode: 'acme & sons',
  sip_from_display: 'Олена %41',
  start_stamp: '2024-07-01 12:34:50',
  start_epoch: '1719837290',
  start_uepoch: '1719837290123456',
  answer_epoch: '1719837296',
  answer_uepoch: '1719837296223456',
  end_epoch: '1719837361',
  end_uepoch: '1719837361323456',
  duration: '71',
  billsec: '65',
  hangup_cause: 'NORMAL_CLEARING',
}

const PROFILE = { caller_id_number: '101', destination_number: '+380441234567', context: 'default', uuid: UUID }
const TIMES = { created_time: '1719837290123456', answered_time: '1719837296223456', hangup_time: '1719837361323456' }

const encoded = (variables: object): object =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, encodeURIComponent(String(value))]))

const document = (variables: object, callflow: unknown = [{ caller_profile: PROFILE, times: TIMES }]): string =>
  JSON.stringify({ 'core-uuid': 'c', switchname: 's', channel_data: { direction: 'inbound' }, variables, callflow })

const call = (record: string): CompletedCall => {
  const read = parseFreeswitchJson(record)
  if ('reason' in read) assert.fail(read.reason)
  return read
}

const without = (...names: string[]): object =>
  Object.fromEntries(Object.entries(VARIABLES).filter(([name]) => !names.includes(name)))

test('a document with encoded variables is a call whose key is its UUID', () => {
  const record = document(encoded(VARIABLES))
  assert.deepEqual(parseFreeswitchJson(record), {
    source: 'freeswitch-json',
    switchCallId: UUID,
    part: null,
    accountcode: 'acme & sons',
    context: 'default',
    callerNumber: '101',
    destinationNumber: '+380441234567',
    direction: null,
    leg: 'a',
    startedAt: { epochMicros: 1_719_837_290_123_456 },
    answeredAt: { epochMicros: 1_719_837_296_223_456 },
    endedAt: { epochMicros: 1_719_837_361_323_456 },
    answeredSeconds: 65,
    durationSeconds: 71,
    disposition: 'ANSWERED',
    raw: record,
  })
})

test('variables that are not encoded stay as they are', () => {
  const plain = call(document({ ...VARIABLES, accountcode: 'a%41' }))
  assert.equal(plain.accountcode, 'a%41')
  assert.equal(call(document(encoded({ ...VARIABLES, accountcode: 'a%41+b' }))).accountcode, 'a%41+b')
})

test('a value that is badly encoded stays as it is', () => {
  assert.equal(call(document({ ...encoded(VARIABLES), accountcode: '%E9t%' })).accountcode, '%E9t%')
})

test('the number is what was dialled, wherever the call was transferred to; a lone profile need be no array', () => {
  const target = { caller_profile: { ...PROFILE, destination_number: '9', context: 'transfers' }, times: TIMES }
  const dialled = { caller_profile: PROFILE, times: TIMES }
  const { destinationNumber, context } = call(document(VARIABLES, [target, target, dialled]))
  assert.deepEqual([destinationNumber, context], ['+380441234567', 'default'])
  assert.equal(call(document(VARIABLES, dialled)).destinationNumber, '+380441234567')
})

test('a started answered second counts, by the microseconds and not by the whole seconds', () => {
  const answered = (billusec: string, billsec: string): unknown[] => {
    const { answeredSeconds, disposition } = call(document(encoded({ ...VARIABLES, billusec, billsec })))
    return [answeredSeconds, disposition]
  }
  assert.deepEqual(answered('720000', '0'), [1, 'ANSWERED'])
  assert.deepEqual(answered('1240000', '1'), [2, 'ANSWERED'])
  assert.deepEqual(answered('1240000', '2'), [2, 'ANSWERED'])
  assert.deepEqual(answered('65000000', '65'), [65, 'ANSWERED'])
  assert.deepEqual(answered('65000001', '65'), [66, 'ANSWERED'])
  assert.deepEqual(answered('0', '1'), [0, 'NO ANSWER'])
  assert.equal(call(document({ ...VARIABLES, uduration: '71200000' })).durationSeconds, 72)
})

const CARRIERS = {
  ...VARIABLES,
  ...{ direction: 'outbound', accountcode: 'acme', call_direction: 'outbound' },
  ...{ trunkline_dialled: '+380441234567', trunkline_extension: '101' },
}
const originator = { originator_caller_profiles: [PROFILE] }

test("the leg to a carrier is the call's record, with the number and the extension that the dialplan has set", () => {
  const profile = { ...PROFILE, caller_id_number: '12125550100', destination_number: '380441234567', originator }
  const read = call(document(encoded(CARRIERS), [{ caller_profile: profile, times: TIMES }]))
  assert.deepEqual(
    [read.leg, read.accountcode, read.callerNumber, read.destinationNumber, read.direction, read.isCarriers],
    ['a', 'acme', '101', '+380441234567', 'outbound', true],
  )
})

test('the leg to a carrier is answered once it has run, whatever ended it', () => {
  const ended = { ...CARRIERS, hangup_cause: 'CALL_REJECTED' }
  assert.equal(call(document({ ...ended, billusec: '1' })).disposition, 'ANSWERED')
  assert.equal(call(document({ ...ended, billusec: '0' })).disposition, 'FAILED')
})

test('times come from the profile, or in seconds, when the variables have no microseconds', () => {
  const noMicros = without('start_uepoch', 'answer_uepoch', 'end_uepoch')
  assert.deepEqual(call(document(noMicros)).startedAt, { epochMicros: 1_719_837_290_123_456 })
  const seconds = call(document(noMicros, [{ caller_profile: PROFILE }]))
  assert.deepEqual(seconds.startedAt, { epochMicros: 1_719_837_290_000_000 })
  assert.deepEqual(seconds.endedAt, { epochMicros: 1_719_837_361_000_000 })
})

test('a call that nobody answered has no answer', () => {
  const unanswered = { ...VARIABLES, answer_epoch: '0', answer_uepoch: '0', billsec: '0', hangup_cause: 'USER_BUSY' }
  const read = call(
    document(encoded(unanswered), [{ caller_profile: PROFILE, times: { ...TIMES, answered_time: '0' } }]),
  )
  assert.deepEqual([read.answeredAt, read.answeredSeconds, read.disposition], [null, 0, 'BUSY'])
})

test('a call is answered if it has NORMAL_CLEARING and answered seconds; an answer time is not enough', () => {
  assert.equal(call(document({ ...VARIABLES, billsec: '0' })).disposition, 'NO ANSWER')
  assert.equal(call(document({ ...VARIABLES, hangup_cause: 'USER_BUSY' })).disposition, 'BUSY')
  assert.equal(call(document({ ...VARIABLES, billsec: '1' })).disposition, 'ANSWERED')
})

test('the leg that the switch placed is a b leg', () => {
  const profile = { ...PROFILE, originator }
  assert.equal(call(document(VARIABLES, [{ caller_profile: profile, times: TIMES }])).leg, 'b')
})

test('the direction is the one that the dialplan set, not the one of the leg', () => {
  assert.equal(call(document({ ...VARIABLES, call_direction: 'outbound' })).direction, 'outbound')
  assert.equal(call(document({ ...VARIABLES, call_direction: 'local' })).direction, null)
})

test('the reason of a broken document names the variable and the problem', () => {
  const reasons: [string, string][] = [
    [document({ ...VARIABLES, billsec: '-1' }), 'variable billsec is no number of seconds: "-1"'],
    [document(without('uuid')), 'variable uuid is empty'],
    [document(without('hangup_cause')), 'variable hangup_cause is empty'],
    [document({ uuid: UUID }, []), 'variable start_uepoch is no time in microseconds: ""'],
    ['{"variables": []}', 'has no member "variables"'],
    ['[]', 'is no JSON object'],
    [document(VARIABLES).slice(0, -1), 'is no valid JSON: it may have been torn'],
  ]
  for (const [record, reason] of reasons) assert.deepEqual(parseFreeswitchJson(record), { reason })
})
