import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { parseJson } from '../../../core/json.ts'
import {
  boolean,
  date,
  decimal,
  type Field,
  integer,
  json,
  Problem,
  refersTo,
  text,
} from '../../../core/resources/field.ts'

const parsed = (field: Field, given: unknown): unknown => {
  const value = field.parse(given)
  return value instanceof Problem ? { problem: value.predicate } : value
}

test('text is trimmed, unless blanks are significant', () => {
  assert.equal(parsed(text(10), '  a b\t\n'), 'a b')
  assert.equal(parsed(text(10, { untrimmed: true }), '  a b '), '  a b ')
  assert.equal(parsed(text(10, { untrimmed: true }), '   '), '   ')
})

test('text is counted by code points, after trimming', () => {
  assert.equal(parsed(text(3), '😀😀😀'), '😀😀😀')
  assert.deepEqual(parsed(text(3), '😀😀😀😀'), { problem: 'must not be greater than 3 characters' })
  assert.equal(parsed(text(3), '   abc   '), 'abc')
  assert.deepEqual(parsed(text(3, { untrimmed: true }), ' abc'), { problem: 'must not be greater than 3 characters' })
  assert.deepEqual(parsed(text(3), 'a\0'), { problem: 'must not contain the character NUL' })
  assert.equal(parsed(text(null), 'x'.repeat(100_000)), 'x'.repeat(100_000))
})

test('the limit of a text is its number of code points, whatever they are', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).map(given => given.replaceAll('\0', '\x01')),
      fc.nat(30),
      (given, max) => {
        const fits = [...given].length <= max
        assert.equal(text(max, { untrimmed: true }).parse(given) instanceof Problem, !fits)
      },
    ),
    { numRuns: 1000 },
  )
})

test('a lone half of a surrogate pair counts as one, and is replaced, since UTF-8 has no form for it', () => {
  assert.equal(parsed(text(2, { untrimmed: true }), '\ud800\ud800'), '\ufffd\ufffd')
  assert.equal(parsed(text(3), '\u{1f600}\udc00'), '\u{1f600}\ufffd')
  assert.deepEqual(parsed(text(2, { untrimmed: true }), '\ud800\ud800\udc00\ud800'), {
    problem: 'must not be greater than 2 characters',
  })
})

test('only a string is text', () => {
  for (const given of [1, true, [], {}, ['a'], new LosslessNumber('12345678901234567890')])
    assert.deepEqual(parsed(text(5), given), { problem: 'must be a string' })
})

test('an integer is given as a number or as digits', () => {
  for (const [given, value] of [
    [5, 5],
    ['5', 5],
    [' 5 ', 5],
    ['+5', 5],
    ['-5', -5],
    ['007', 7],
    [1.0, 1],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ] as const)
    assert.equal(parsed(integer(), given), value, String(given))
})

test('a fraction, an exponent, a boolean and a list are no integers', () => {
  for (const given of [
    1.5,
    '1.5',
    '1.0',
    '1e3',
    true,
    false,
    [],
    [1],
    {},
    'abc',
    '0x10',
    '1_000',
    '9007199254740992',
    2 ** 53,
    Number.NaN,
  ])
    assert.deepEqual(parsed(integer(), given), { problem: 'must be an integer' }, String(given))
  assert.deepEqual(parsed(integer(), parseJson('1e3')), { problem: 'must be an integer' })
  assert.deepEqual(parsed(integer(), parseJson('12345678901234567890')), { problem: 'must be an integer' })
})

test('an integer keeps its bounds', () => {
  const port = integer({ min: 1, max: 65_535 })
  assert.equal(parsed(port, 1), 1)
  assert.equal(parsed(port, '65535'), 65_535)
  assert.deepEqual(parsed(port, 0), { problem: 'must be at least 1' })
  assert.deepEqual(parsed(port, '-1'), { problem: 'must be at least 1' })
  assert.deepEqual(parsed(port, 65_536), { problem: 'must not be greater than 65535' })
})

test('a reference is an integer', () => {
  const field = refersTo('tenants', 'restrict')
  assert.equal(parsed(field, '12'), 12)
  assert.deepEqual(parsed(field, 'acme'), { problem: 'must be an integer' })
  assert.deepEqual(field.references, { to: 'tenants', onDelete: 'restrict' })
})

test('a decimal is a number or numeric text, not below 0', () => {
  for (const [given, units] of [
    [0, 0],
    [0.0123, 123],
    ['0.0123', 123],
    ['-0', 0],
    ['1e-4', 1],
    [parseJson('1e3'), 10_000_000],
    [parseJson('0.00005000000000000000000'), 1],
  ] as const)
    assert.equal(parsed(decimal(), given), units, String(given))
  for (const given of ['abc', true, [], {}, '1,5', '1e300'])
    assert.deepEqual(parsed(decimal(), given), { problem: 'must be a number' }, String(given))
  for (const given of [-1, '-0.0001', '-0.00005'])
    assert.deepEqual(parsed(decimal(), given), { problem: 'must be at least 0' })
})

test('a whole number that a double holds is taken as a number and as text alike', () => {
  for (const given of [9_007_199_254_740_991, '9007199254740991', new LosslessNumber('9007199254740991')])
    assert.equal(parsed(integer(), given), 9_007_199_254_740_991)
  for (const given of ['9007199254740993', new LosslessNumber('9007199254740993'), new LosslessNumber('1e3')])
    assert.deepEqual(parsed(integer(), given), { problem: 'must be an integer' })
})

test('an amount that rounds to zero from below is below zero', () => {
  for (const given of ['-0.00004', -0.00001, '-1e-9'])
    assert.deepEqual(parsed(decimal(), given), { problem: 'must be at least 0' }, String(given))
  for (const given of ['-0', -0, '-0.0000']) assert.equal(parsed(decimal(), given), 0)
})

test('a handful of values are true, and all others are false', () => {
  for (const given of [true, 1, '1', 'true', 'on', 'yes', ' yes ']) assert.equal(parsed(boolean(), given), true)
  for (const given of [false, 0, '0', 'false', 'off', 'no', 'TRUE', 'On', 2, '2', 'y', [], {}, [1], -1])
    assert.equal(parsed(boolean(), given), false)
})

test('a date is text in one of the documented forms', () => {
  assert.equal(parsed(date(), ' 2026-10-01 12:00:00 '), '2026-10-01T12:00:00.000000Z')
  for (const given of ['2026-02-30', 'soon', 1790000000, true, {}])
    assert.deepEqual(parsed(date(), given), { problem: 'must be a valid date' }, String(given))
})

test('a JSON object is kept to the digit, the empty one too', () => {
  assert.equal(parsed(json(), {}), '{}')
  assert.equal(
    parsed(json(), parseJson('{"b":12345678901234567890,"a":[null,{}]}')),
    '{"b":12345678901234567890,"a":[null,{}]}',
  )
})

test('a list, a text or a number is not a JSON object', () => {
  for (const given of [[], 'text', 1, true, new LosslessNumber('12345678901234567890')])
    assert.deepEqual(parsed(json(), given), { problem: 'must be an object' })
})

test('a JSON object that nests deeper than 32 levels is refused', () => {
  const nested = (depth: number): unknown => parseJson(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
  assert.equal(typeof parsed(json(), nested(32)), 'string')
  assert.deepEqual(parsed(json(), nested(33)), { problem: 'must not nest deeper than 32 levels' })
})

test('no field throws, whatever it is given', () => {
  const fields = [text(5), integer({ min: 1 }), decimal(), boolean(), date(), json(), refersTo('tenants', 'keep')]
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }), given => {
      for (const field of fields) field.parse(given)
    }),
    { numRuns: 500 },
  )
})

test('a field is required unless it is optional or has a default', () => {
  assert.ok(text(5).required && integer().required && decimal().required && date().required)
  for (const field of [
    text(5, { optional: true }),
    text(5, { optional: true, fallback: 'x' }),
    integer({ fallback: 0 }),
    boolean(),
    date({ optional: true }),
    json(),
  ])
    assert.ok(!field.required)
})
