import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAsteriskCsv } from '../../../../adapters/pbx/formats/asterisk-csv.ts'
import { parseAsteriskCustom } from '../../../../adapters/pbx/formats/asterisk-custom.ts'
import type { Parser } from '../../../../adapters/pbx/formats/parser.ts'
import { type CompletedCall, isAnswered } from '../../../../core/calls/completed-call.ts'

const HEAD =
  '"acme","101","00380441234567","from-internal","""Олена, Kyiv"" <101>","PJSIP/101-0000002a","PJSIP/trunk-0000002b","Dial","PJSIP/00380441234567@trunk,60"'
const TIMES = '"2024-07-01 12:34:50","2024-07-01 12:34:56","2024-07-01 12:36:01",71,65'
const ROW16 = `${HEAD},${TIMES},"ANSWERED","DOCUMENTATION"`
const ROW18 = `${ROW16},"1719837290.42","note"`
const ROW21 = `${ROW18},"peer","1719837290.42",7`

const CUSTOM =
  '"""Олена, Kyiv"" <101>","101","00380441234567","from-internal","PJSIP/101-0000002a","","Dial","PJSIP/1@trunk,60",' +
  '"2024-07-01 12:34:50","2024-07-01 12:34:56","2024-07-01 12:36:01","71","65","ANSWERED","DOCUMENTATION","acme","1719837290.42",""'

const call = (parse: Parser, record: string): CompletedCall => {
  const read = parse(record)
  if ('reason' in read) assert.fail(read.reason)
  return read
}

const reason = (parse: Parser, record: string): string => {
  const read = parse(record)
  return 'reason' in read ? read.reason : assert.fail('the row was read')
}

test('a row of 21 columns is a call whose key is its uniqueid and sequence', () => {
  assert.deepEqual(parseAsteriskCsv(ROW21), {
    source: 'asterisk-csv',
    switchCallId: '1719837290.42/7',
    part: { channelId: '1719837290.42', callId: '1719837290.42' },
    accountcode: 'acme',
    context: 'from-internal',
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
    raw: ROW21,
  })
})

test('rows of 16, 17 and 18 columns are read alike, each with a key of its own', () => {
  const [of16, of17, of18] = [ROW16, `${ROW16},"1719837290.42"`, ROW18].map(row => call(parseAsteriskCsv, row))
  for (const read of [of16, of17, of18]) assert.equal(read?.answeredSeconds, 65)
  assert.match(of16?.switchCallId ?? '', /^[0-9a-f]{32}$/)
  assert.match(of17?.switchCallId ?? '', /^1719837290\.42\/[0-9a-f]{32}$/)
  assert.match(of18?.switchCallId ?? '', /^1719837290\.42\/[0-9a-f]{32}$/)
})

test('without a sequence, rows of one uniqueid have different keys and the same row always the same', () => {
  const other = ROW18.replace('trunk-0000002b', 'trunk-0000002c')
  assert.equal(call(parseAsteriskCsv, ROW18).switchCallId, call(parseAsteriskCsv, ROW18).switchCallId)
  assert.notEqual(call(parseAsteriskCsv, ROW18).switchCallId, call(parseAsteriskCsv, other).switchCallId)
})

test('a call that nobody answered has no answer', () => {
  const row = `${HEAD},"2024-07-01 12:34:50",,"2024-07-01 12:35:01",11,0,"NO ANSWER","DOCUMENTATION"`
  const read = call(parseAsteriskCsv, row)
  assert.deepEqual([read.answeredAt, read.answeredSeconds, read.disposition], [null, 0, 'NO ANSWER'])
  assert.equal(isAnswered(read), false)
})

test('each disposition is translated to our terms', () => {
  const pairs = { BUSY: 'BUSY', FAILED: 'FAILED', CONGESTION: 'CONGESTION', CANCEL: 'CANCELLED', UNKNOWN: 'UNKNOWN' }
  for (const [theirs, ours] of Object.entries(pairs)) {
    assert.equal(call(parseAsteriskCsv, ROW16.replace('ANSWERED', theirs)).disposition, ours)
  }
})

test('cdr_custom rows of 18 and 19 columns are calls', () => {
  const read = call(parseAsteriskCustom, `${CUSTOM},7`)
  assert.equal(read.source, 'asterisk-custom')
  assert.equal(read.switchCallId, '1719837290.42/7')
  assert.deepEqual([read.accountcode, read.callerNumber, read.destinationNumber], ['acme', '101', '00380441234567'])
  assert.deepEqual([read.context, read.answeredSeconds, read.durationSeconds], ['from-internal', 65, 71])
  assert.match(call(parseAsteriskCustom, CUSTOM).switchCallId, /^1719837290\.42\/[0-9a-f]{32}$/)
})

test('fractions of a second are cut, as Asterisk does without them', () => {
  const read = call(parseAsteriskCustom, `${CUSTOM.replace('"71","65"', '"71.999999","65.500000"')},7`)
  assert.deepEqual([read.answeredSeconds, read.durationSeconds], [65, 71])
})

test('the reason of a broken row names the column and the problem', () => {
  assert.equal(
    reason(parseAsteriskCsv, ROW18.replace('2024-07-01 12:34:50', 'yesterday')),
    'column 10 (start) is no date and time: "yesterday"',
  )
  assert.equal(
    reason(parseAsteriskCsv, ROW18.replace('2024-07-01 12:34:56', '2024-02-30 12:34:56')),
    'column 11 (answer) is no date and time: "2024-02-30 12:34:56"',
  )
  assert.equal(
    reason(parseAsteriskCsv, ROW18.replace(',65,', ',-5,')),
    'column 14 (billsec) is no number of seconds: "-5"',
  )
  assert.equal(
    reason(parseAsteriskCsv, ROW18.replace('ANSWERED', 'NORMAL_CLEARING')),
    'column 15 (disposition) is not known: "NORMAL_CLEARING"',
  )
  assert.equal(
    reason(parseAsteriskCustom, CUSTOM.replace('"65"', '"9999999999"')),
    'column 13 (billsec) is no number of seconds: "9999999999"',
  )
})

test('a torn row says that it may be torn', () => {
  assert.equal(
    reason(parseAsteriskCsv, '"acme","10'),
    'the quotes of the row do not fit together: it may have been torn',
  )
  assert.equal(
    reason(parseAsteriskCsv, '"acme","10"acme"'),
    'the quotes of the row do not fit together: it may have been torn',
  )
  assert.equal(reason(parseAsteriskCsv, '"acme","101"'), 'has 2 columns, not 16, 17, 18, 21')
  assert.equal(reason(parseAsteriskCustom, ROW21), 'has 21 columns, not 18, 19')
})

test('every beginning of a row is a reason or, at a column, the same call, and nothing throws', () => {
  const whole = call(parseAsteriskCsv, ROW21)
  for (let length = 0; length < ROW21.length; length++) {
    const raw = ROW21.slice(0, length)
    const read = parseAsteriskCsv(raw)
    if ('reason' in read) assert.notEqual(read.reason, '')
    else {
      assert.deepEqual(read, { ...whole, raw, switchCallId: read.switchCallId, part: read.part })
    }
  }
})

test('a call that ends in a queue or a mailbox is a call inside', () => {
  for (const [app, expected] of [
    ['Queue', 'inbound'],
    ['VoiceMail', 'inbound'],
    ['VoiceMailMain', 'inbound'],
    ['Dial', null],
  ] as const) {
    const call = parseAsteriskCsv(ROW21.replace('"Dial"', `"${app}"`))
    assert.ok('direction' in call)
    assert.equal(call.direction, expected)
  }
})

/** A row of the first set-up, by its columns that matter. */
const ofOurs = (dst: string, dcontext: string, channel: string, dstchannel: string): string =>
  `"acme","101","${dst}","${dcontext}","101","${channel}","${dstchannel}","Dial","x","2026-11-22 10:00:00","2026-11-22 10:00:01","2026-11-22 10:00:03",3,2,"ANSWERED","DOCUMENTATION","1.1","","","1.1",7`
const [DESK, HALL, CARRIER] = ['PJSIP/acme-101-00000001', 'PJSIP/acme-102-00000002', 'PJSIP/_carrier-00000003']

test('a call inside that is transferred stays a call inside, whatever number Asterisk writes into its row', () => {
  for (const [dst, context] of [
    ['0901110015', 'tenant-acme'],
    ['prefix', 'tl-refused'],
    ['+380501110014', 'trunks-acme-0'],
  ] as const) {
    const call = parseAsteriskCsv(ofOurs(dst, context, DESK, HALL))
    assert.ok('direction' in call, JSON.stringify(call))
    assert.deepEqual([call.destinationNumber, call.direction, call.leg], ['102', 'inbound', 'a'])
  }
})

test('a call to a DID, a call out and the row of a refused transfer are not taken for calls inside', () => {
  const read = (...row: Parameters<typeof ofOurs>) => {
    const call = parseAsteriskCsv(ofOurs(...row))
    assert.ok('direction' in call, JSON.stringify(call))
    return [call.destinationNumber, call.direction, call.leg]
  }
  assert.deepEqual(read('+380441234567', 'did-acme', DESK, HALL), ['+380441234567', null, 'a'])
  assert.deepEqual(read('+380441234567', 'tl-dids-67', CARRIER, HALL), ['+380441234567', null, 'a'])
  assert.deepEqual(read('+380501110018', 'trunks-acme-0', DESK, CARRIER), ['+380501110018', null, 'a'])
  assert.deepEqual(read('prefix', 'tl-refused', CARRIER, ''), ['prefix', null, 'b'])
})

const LINE = 'Local/101@line-acme-00000007'
const readRow = (...row: Parameters<typeof ofOurs>): unknown[] => {
  const call = parseAsteriskCsv(ofOurs(...row))
  assert.ok('direction' in call, JSON.stringify(call))
  return [call.callerNumber, call.destinationNumber, call.leg]
}

test('a call out is the row of the second half of its line, by the extension that the line is named after', () => {
  const row = ofOurs('+380501110001', 'trunks-acme-0', `${LINE};2`, CARRIER).replace('"acme","101"', '"acme","+380670"')
  const call = parseAsteriskCsv(row)
  assert.ok('direction' in call, JSON.stringify(call))
  assert.deepEqual([call.callerNumber, call.destinationNumber, call.leg], ['101', '+380501110001', 'a'])
  assert.equal(call.isCarriers, true)
})

test('who talks on a line has no record of its own, however the call came there', () => {
  assert.deepEqual(readRow('+380501110001', 'leave-acme', DESK, `${LINE};1`)[2], 'b')
  assert.deepEqual(readRow('102', 'tenant-acme', DESK, `${LINE};1`)[2], 'b', 'INVITE with Replaces, whatever it dials')
  assert.deepEqual(readRow('', 'line-acme', `${LINE};1`, HALL)[2], 'b', 'an attended transfer')
  assert.deepEqual(readRow('', 'line-acme', `${LINE};1`, `${LINE};1`)[2], 'b', 'one of two outside parties')
  assert.deepEqual(readRow('+380901110015', 'leave-acme', DESK, '')[2], 'b', 'a transfer that was refused')
})

test('a phone that an outside party was transferred to was called, even if it transfers that party on', () => {
  assert.deepEqual(readRow('102', 'inside-acme', `${LINE};1`, HALL), ['101', '102', 'a'])
  assert.deepEqual(readRow('0501110024', 'tenant-acme', `${LINE};1`, HALL), ['101', '102', 'a'])
  assert.deepEqual(readRow('+380501110024', 'leave-acme', CARRIER, HALL), ['101', '102', 'a'])
})

test('a line of another tenant, or of somebody else’s dialplan, is a channel like any other', () => {
  for (const channel of ['Local/101@line-beta-00000007;1', 'Local/101@from-internal-00000007;1'])
    assert.deepEqual(readRow('+380501110001', 'from-internal', DESK, channel)[2], 'a')
})

test('an answered call out through our dialplan lasts a second at least', () => {
  const read = (channel: string, disposition: string, seconds: number): number => {
    const row = ofOurs('+380501110001', 'trunks-acme-0', channel, CARRIER)
    return call(parseAsteriskCsv, row.replace(/\d+,"ANSWERED"/, `${seconds},"${disposition}"`)).answeredSeconds
  }
  assert.equal(read(`${LINE};2`, 'ANSWERED', 0), 1)
  assert.equal(read(`${LINE};2`, 'ANSWERED', 2), 2)
  assert.equal(read(`${LINE};2`, 'NO ANSWER', 0), 0)
  assert.equal(read(DESK, 'ANSWERED', 0), 0, 'no call of our dialplan: its seconds are what the switch says')
})
