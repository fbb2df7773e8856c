import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../../core/resources/all.ts'
import { boolean, Problem, text } from '../../../core/resources/field.ts'
import { asWritten, written } from '../../../core/resources/values/written.ts'

const meant = (field: Parameters<typeof written>[0], given: unknown): unknown => {
  const value = written(field, given)
  return value instanceof Problem ? value.predicate : value
}

test('yes and no are written in a dozen ways, in upper or lower case, and nothing else is either', () => {
  for (const yes of [true, 1, '1', 'true', 'TRUE', ' On ', 'Yes']) assert.equal(meant(boolean(), yes), true, `${yes}`)
  for (const no of [false, 0, '0', 'false', 'FALSE', 'off', 'No']) assert.equal(meant(boolean(), no), false, `${no}`)
  for (const given of ['ja', 'WAHR', 'x', 'y', '2', 2, 'null', '-'])
    assert.equal(meant(boolean(), given), `must be yes or no, not ${given}`)
  assert.equal(meant(boolean(), { a: 1 }), 'must be yes or no, not {"a":1}')
  assert.equal(meant(boolean(), 'x'.repeat(1_000)), `must be yes or no, not ${'x'.repeat(40)}`)
})

test('a long number that a spreadsheet has mangled is refused wherever a number is dialled', () => {
  const dialled = resources.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, declared]) => (declared.dialled ? [`${name}.${field}`] : [])),
  )
  assert.deepEqual(dialled.toSorted(), [
    'cdrs.caller_number',
    'cdrs.destination_number',
    'dids.number',
    'extensions.extension_number',
    'queues.queue_number',
    'rates.prefix',
  ])
  for (const given of ['4.42E+11', '4,42e+11', '442E9', ' 4.42E+11 '])
    for (const dials of ['name', 'number'] as const)
      assert.match(String(meant(text(50, { dialled: dials }), given)), /which a spreadsheet made of a long number/)
  assert.equal(meant(text(50), '4.42E+11'), '4.42E+11')
  for (const given of ['anonymous', 's', '*98', '101', '+1 (212) 555-0101', 'sip:a@b'])
    assert.equal(meant(text(50, { dialled: 'name' }), given), given)
})

test('a number has digits to dial, and no letters', () => {
  const number = text(50, { dialled: 'number' })
  for (const given of ['+380441234567', '(212) 555-0101', '*98', '00 44 20']) assert.equal(meant(number, given), given)
  for (const given of ['abc', '1-800-FLOWERS', '+', '-'])
    assert.equal(meant(number, given), `must be a number that can be dialled, not ${given}`)
})

test("text in a spreadsheet's notation is taken exactly, and written back so", () => {
  const number = text(50, { dialled: 'number' })
  assert.equal(meant(number, '="abc"'), 'abc')
  for (const stored of ['abc', '4.42E+11', '="1"', '="a""b"', '+380441234567', '12 34'])
    assert.equal(meant(number, asWritten(number, stored)), stored)
  assert.equal(asWritten(number, '+380441234567'), '+380441234567')
  assert.equal(asWritten(number, 'abc'), '="abc"')
})
