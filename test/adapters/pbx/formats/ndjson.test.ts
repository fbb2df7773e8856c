import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNdjson } from '../../../../adapters/pbx/formats/ndjson.ts'
import type { CompletedCall } from '../../../../core/calls/completed-call.ts'

const LEAST = {
  id: 'c-1',
  destination_number: '+380441234567',
  started_at: '2024-07-01 12:34:50',
  answered_seconds: 65,
}

const call = (members: object): CompletedCall => {
  const read = parseNdjson(JSON.stringify(members))
  if ('reason' in read) assert.fail(read.reason)
  return read
}

test('a line with only the required members is a call', () => {
  assert.deepEqual(call(LEAST), {
    source: 'ndjson',
    switchCallId: 'c-1',
    part: null,
    accountcode: '',
    context: '',
    callerNumber: '',
    destinationNumber: '+380441234567',
    direction: null,
    leg: 'a',
    startedAt: { local: '2024-07-01 12:34:50' },
    answeredAt: null,
    endedAt: null,
    answeredSeconds: 65,
    durationSeconds: 65,
    disposition: 'ANSWERED',
    raw: JSON.stringify(LEAST),
  })
})

test('a line can give every member', () => {
  const read = call({
    ...LEAST,
    id: 17,
    accountcode: 'acme',
    context: 'trunk',
    caller_number: '101',
    direction: 'inbound',
    started_at: '2024-07-01T14:34:50.5+02:00',
    answered_at: '2024-07-01T12:34:56Z',
    ended_at: '2024-07-01 12:36:01',
    duration_seconds: '71',
    disposition: 'answered',
  })
  assert.deepEqual(
    [read.switchCallId, read.accountcode, read.context, read.callerNumber],
    ['17', 'acme', 'trunk', '101'],
  )
  assert.deepEqual(read.startedAt, { epochMicros: 1_719_837_290_500_000 })
  assert.deepEqual(read.answeredAt, { epochMicros: 1_719_837_296_000_000 })
  assert.deepEqual(read.endedAt, { local: '2024-07-01 12:36:01' })
  assert.deepEqual([read.direction, read.durationSeconds, read.disposition], ['inbound', 71, 'ANSWERED'])
})

test('a zone may be whole hours alone, as PostgreSQL writes it', () => {
  const { startedAt } = call({ ...LEAST, started_at: '2024-07-01 14:34:50.5+02' })
  assert.deepEqual(startedAt, { epochMicros: 1_719_837_290_500_000 })
})

test('no answered seconds and no disposition mean no answer', () => {
  assert.equal(call({ ...LEAST, answered_seconds: 0 }).disposition, 'NO ANSWER')
  assert.equal(call({ ...LEAST, answered_seconds: 0, disposition: null }).disposition, 'NO ANSWER')
})

test('the reason of a broken line names the member and the problem', () => {
  const reasons: [object, string][] = [
    [{ ...LEAST, id: '' }, 'member id is empty'],
    [{ ...LEAST, id: null }, 'member id is empty'],
    [{ ...LEAST, destination_number: undefined }, 'member destination_number is empty'],
    [{ ...LEAST, answered_seconds: -1 }, 'member answered_seconds is no number of seconds: "-1"'],
    [{ ...LEAST, answered_seconds: null }, 'member answered_seconds is no number of seconds: ""'],
    [{ ...LEAST, started_at: '2024-13-01 00:00:00' }, 'member started_at is no date and time: "2024-13-01 00:00:00"'],
    [{ ...LEAST, started_at: '0001-01-01T00:00:00Z' }, 'member started_at is no date and time: "0001-01-01T00:00:00Z"'],
    [{ ...LEAST, started_at: '2024-07-01' }, 'member started_at is no date and time: "2024-07-01"'],
    [{ ...LEAST, direction: 'sideways' }, 'member direction is neither inbound nor outbound: "sideways"'],
    [{ ...LEAST, disposition: 'x'.repeat(51) }, 'member disposition is longer than 50 characters'],
  ]
  for (const [members, reason] of reasons) assert.deepEqual(parseNdjson(JSON.stringify(members)), { reason })
  assert.deepEqual(parseNdjson('{"id":'), { reason: 'is no valid JSON: it may have been torn' })
  assert.deepEqual(parseNdjson('7'), { reason: 'is no JSON object' })
})

test('members of an object that were not given are not found in its prototype', () => {
  assert.equal(call({ ...LEAST, accountcode: {} }).accountcode, '')
  assert.deepEqual(parseNdjson('{"__proto__": {"id": "x"}}'), {
    reason: 'member answered_seconds is no number of seconds: ""',
  })
})
