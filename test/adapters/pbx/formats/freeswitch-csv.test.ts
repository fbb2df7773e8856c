import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFreeswitchCsv } from '../../../../adapters/pbx/formats/freeswitch-csv.ts'
import type { CompletedCall } from '../../../../core/calls/completed-call.ts'

const UUID = '5f1c3a52-9d5e-4b7c-8a8e-0e7d3f6a1b2c'
const BLEG = 'a0c9f1de-22aa-4f0b-9a0e-6d4b1f5c7e99'

interface Parts {
  readonly name?: string
  readonly answer?: string
  readonly billsec?: string
  readonly cause?: string
}

const head = ({
  name = 'Ann',
  answer = '2024-07-01 12:34:56',
  billsec = '65',
  cause = 'NORMAL_CLEARING',
}: Parts): string =>
  `"${name}","101","00380441234567","default","2024-07-01 12:34:50","${answer}","2024-07-01 12:36:01","71","${billsec}",` +
  `"${cause}","${UUID}","${BLEG}"`

const example = (parts: Parts = {}): string => `${head(parts)},"acme","PCMA","PCMU"`
const builtIn = (parts: Parts = {}): string => `${head(parts)}, "acme"`

const call = (record: string): CompletedCall => {
  const read = parseFreeswitchCsv(record)
  if ('reason' in read) assert.fail(read.reason)
  return read
}

test('a row of the example template is a call whose key is its UUID', () => {
  assert.deepEqual(parseFreeswitchCsv(example()), {
    source: 'freeswitch-csv',
    switchCallId: UUID,
    part: null,
    accountcode: 'acme',
    context: 'default',
    callerNumber: '101',
    destinationNumber: '00380441234567',
    direction: null,
    leg: 'a',
    startedAt: { local: '2024-07-01 12:34:50' },
    answeredAt: { local: '2024-07-01 12:34:56' },
    endedAt: { local: '2024-07-01 12:36:01' },
    answeredSeconds: 65,
    durationSeconds: 71,
    disposition: 'ANSWERED',
    raw: example(),
  })
})

test('a row of the built-in template is the same call', () => {
  assert.deepEqual({ ...call(builtIn()), raw: '' }, { ...call(example()), raw: '' })
})

test('rows of the templates that append columns are the same call', () => {
  for (const appended of [',"agent","stat"', ',"agent","code","rx","tx","file"']) {
    assert.deepEqual({ ...call(example() + appended), raw: '' }, { ...call(example()), raw: '' })
  }
})

test('quotes and column ends within the caller name move no column', () => {
  for (const name of ['Ann "the boss" Lee', 'Lee","Ann', 'a", "b","c', '"', '', 'Олена', '1","2","3","4","5']) {
    for (const row of [example({ name }), builtIn({ name })]) {
      assert.deepEqual({ ...call(row), raw: '' }, { ...call(example()), raw: '' }, row)
    }
  }
})

test('a row that was torn and written again whole on the same line is the call', () => {
  for (const length of [1, 9, 20, 60, 100, example().length]) {
    const read = call(example().slice(0, length) + example())
    assert.deepEqual({ ...read, raw: '' }, { ...call(example()), raw: '' }, String(length))
  }
})

test('a call without an answer is recognised by its hang-up cause', () => {
  const causes = {
    NORMAL_CLEARING: 'NO ANSWER',
    NO_ANSWER: 'NO ANSWER',
    USER_BUSY: 'BUSY',
    ORIGINATOR_CANCEL: 'CANCELLED',
    NORMAL_CIRCUIT_CONGESTION: 'CONGESTION',
    CALL_REJECTED: 'FAILED',
    UNALLOCATED_NUMBER: 'FAILED',
  }
  for (const [cause, disposition] of Object.entries(causes)) {
    const read = call(example({ answer: '', billsec: '0', cause }))
    assert.deepEqual([read.disposition, read.answeredAt, read.answeredSeconds], [disposition, null, 0])
  }
})

test('a call that was answered for less than a second has one second, though its whole seconds may be 0', () => {
  const { answeredSeconds, disposition } = call(example({ billsec: '0' }))
  assert.deepEqual([answeredSeconds, disposition], [1, 'ANSWERED'])
})

test('a call without an answer, or with a cause that shows nobody reached, was not answered', () => {
  assert.equal(call(example({ answer: '', billsec: '0' })).disposition, 'NO ANSWER')
  const causes = { USER_BUSY: 'BUSY', NO_ANSWER: 'NO ANSWER', ORIGINATOR_CANCEL: 'CANCELLED', CALL_REJECTED: 'FAILED' }
  for (const [cause, disposition] of Object.entries(causes))
    assert.equal(call(example({ cause })).disposition, disposition)
})

test('an answered call is answered, whatever cut it', () => {
  for (const cause of ['NORMAL_CLEARING', 'ALLOTTED_TIMEOUT', 'MEDIA_TIMEOUT']) {
    assert.equal(call(example({ cause })).disposition, 'ANSWERED')
  }
})

test('the reason of a broken row names the column and the problem', () => {
  assert.deepEqual(parseFreeswitchCsv(example({ billsec: 'x' })), {
    reason: 'column 9 (billsec) is no number of seconds: "x"',
  })
  assert.deepEqual(parseFreeswitchCsv(example().replace('2024-07-01 12:34:50', '')), {
    reason: 'column 5 (start_stamp) is no date and time: ""',
  })
  assert.deepEqual(parseFreeswitchCsv(example().replace(UUID, '')), { reason: 'column 11 (uuid) is empty' })
})

test('a row that was torn is not read with its columns shifted', () => {
  const reason = 'is no row of 15 or 13 quoted columns: it may have been torn'
  for (const torn of [`${head({})},"acme","PCMA"`, `${head({})},"acme","`, head({}), '"Ann","101"', '"', '']) {
    assert.deepEqual(parseFreeswitchCsv(torn), { reason }, torn)
  }
})

test('every truncated row is unusable with a reason, except where a shorter template ends', () => {
  const row = example()
  for (let length = 0; length < row.length; length++) {
    const read = parseFreeswitchCsv(row.slice(0, length))
    assert.ok('reason' in read || length === `${head({})},"acme"`.length, row.slice(0, length))
  }
})
