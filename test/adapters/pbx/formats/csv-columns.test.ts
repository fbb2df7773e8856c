import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvColumns } from '../../../../adapters/pbx/formats/csv-columns.ts'

test('quoted and plain columns are distinguished, and doubled quotes are one', () => {
  assert.deepEqual(csvColumns('"a","",,7,"say ""hi"", x",""""'), ['a', '', '', '7', 'say "hi", x', '"'])
  assert.deepEqual(csvColumns(''), [''])
  assert.deepEqual(csvColumns(','), ['', ''])
})

test('quotes that do not fit together give no columns', () => {
  for (const record of ['"a', '"a"b', 'a"b', '"a""', '"a" ,b', '"', '"a","b']) assert.equal(csvColumns(record), null)
})

test('columns written with quotes come back, whatever is in them', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[",\n x]{0,6}$/))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), columns => {
      assert.deepEqual(csvColumns(columns.map(column => `"${column.replaceAll('"', '""')}"`).join(',')), columns)
    }),
  )
})
