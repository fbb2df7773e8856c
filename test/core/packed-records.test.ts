import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf, packed, recordAt } from '../../core/packed-records.ts'
import type { BulkRecord } from '../../core/ports/bulk.ts'
import type { Value } from '../../core/resources/field.ts'

const recordsOf = (...columns: readonly (readonly (Value | undefined)[])[]): BulkRecord[] =>
  (columns[0] ?? []).map((_, index) => ({
    row: index * 2,
    line: index + 10,
    raw: index % 2 ? `row ${index}` : null,
    values: columns.map(column => column[index]),
  }))

/** Everything needed to pass them to another thread. */
const copied = (records: readonly BulkRecord[]): BulkRecord[] => {
  const there = structuredClone(packed(records))
  return records.map((_, index) => recordAt(there, index))
}

test('packed records arrive unchanged on another thread, whatever their values', () => {
  const records = recordsOf(
    [1, null, -0, Number.MAX_SAFE_INTEGER, 0.5],
    ['', null, 'a', '\0', 'ß€😀'],
    [null, null, null, null, null],
    [null, null, 'late', null, ''],
    [true, false, null, true, false],
    [1, 'one', null, 2, 'two'],
    ['x', undefined, 'y', undefined, null],
    [undefined, undefined, undefined, undefined, 7],
    ['\ud800', 'half a pair', '\udc00', null, '\ud83d'],
  )
  assert.deepEqual(copied(records), records)
})

test('no records, and records without values, are packed as well', () => {
  assert.deepEqual(copied([]), [])
  assert.equal(countOf([packed([]), packed(recordsOf([1, 2]))]), 2)
  const bare = [{ row: 1, line: 2, raw: null, values: [] }]
  assert.deepEqual(copied(bare), bare)
})

test('many texts are passed as one', () => {
  const { values } = packed(recordsOf(Array.from({ length: 1_000 }, (_, n) => `text ${n}`)))
  assert.ok(values[0] && 'text' in values[0] && values[0].ends.length === 1_000)
})
