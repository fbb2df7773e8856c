import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { detectFormat, formats } from '../../../../adapters/pbx/formats/detect.ts'
import { recordSplitter } from '../../../../adapters/pbx/record-splitter.ts'
import { SOURCE_FORMATS, type SourceFormat } from '../../../../core/calls/completed-call.ts'

const RECORDS: [SourceFormat, string][] = [
  [
    'asterisk-csv',
    '"acme","1","2","ctx","clid","ch","dch","Dial","x","2024-07-01 12:34:50",,"2024-07-01 12:34:59",9,0,"BUSY","DOCUMENTATION","1.2","note"',
  ],
  [
    'asterisk-csv',
    '"","1","2","ctx","clid","ch","","","","2024-07-01 12:34:50","2024-07-01 12:34:51","2024-07-01 12:34:59",9,8,"ANSWERED","DOCUMENTATION"',
  ],
  [
    'asterisk-custom',
    '"clid","1","2","ctx","ch","dch","Dial","x","2024-07-01 12:34:50","2024-07-01 12:34:51","2024-07-01 12:34:59","9","8","ANSWERED","DOCUMENTATION","acme","1.2","note"',
  ],
  [
    'asterisk-custom',
    '"clid","1","2","ctx","ch","dch","Dial","x","2024-07-01 12:34:50","","2024-07-01 12:34:59","9","0","NO ANSWER","DOCUMENTATION","acme","1.2","",4',
  ],
  [
    'freeswitch-csv',
    '"Ann "x"","1","2","default","2024-07-01 12:34:50","","2024-07-01 12:34:59","9","0","USER_BUSY","u-1","", "acme"',
  ],
  [
    'freeswitch-csv',
    '"Ann","1","2","default","2024-07-01 12:34:50","2024-07-01 12:34:51","2024-07-01 12:34:59","9","8","NORMAL_CLEARING","u-1","u-2","acme","PCMA","PCMA"',
  ],
  [
    'freeswitch-json',
    '{"core-uuid":"c","variables":{"uuid":"u-1","start_uepoch":"1719837290123456","duration":"9","billsec":"0","hangup_cause":"NO_ANSWER"},"callflow":[]}',
  ],
  ['ndjson', '{"id":"1","destination_number":"2","started_at":"2024-07-01 12:34:50","answered_seconds":8}'],
]

for (const [format, record] of RECORDS) {
  test(`a record of ${format} is recognised by its form and read by no other parser: ${record.slice(0, 24)}…`, () => {
    assert.equal(detectFormat(record), format)
    const readers = SOURCE_FORMATS.filter(each => !('reason' in formats[each].parse(record)))
    assert.deepEqual(readers, [format])
  })

  test(`a record of ${format} comes whole through its splitter: ${record.slice(0, 24)}…`, () => {
    const splitter = recordSplitter(formats[format].rule)
    assert.deepEqual(
      splitter.push(Buffer.from(`${record}\n${record}\n`)).map(({ text }) => text),
      [record, record],
    )
  })
}

test('a record that was torn, or is of no known form, is reported as neither', () => {
  for (const record of ['', '"acme","1","2"', 'accountcode,src,dst', '{}', '[]', 'null', '"']) {
    assert.equal(detectFormat(record), null)
  }
})

test('no parser throws, whatever it is given', () => {
  const damaged = fc
    .tuple(fc.constantFrom(...RECORDS.map(([, record]) => record)), fc.nat(), fc.nat(8), fc.string({ maxLength: 6 }))
    .map(([record, at, length, put]) => {
      const place = at % record.length
      return record.slice(0, place) + put + record.slice(place + length)
    })
  fc.assert(
    fc.property(fc.oneof(damaged, fc.string(), fc.json()), record => {
      for (const format of SOURCE_FORMATS) {
        const read = formats[format].parse(record)
        assert.ok('reason' in read ? read.reason !== '' : read.raw === record)
      }
    }),
    { numRuns: 2000 },
  )
})
