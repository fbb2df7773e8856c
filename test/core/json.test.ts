import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { isJsonObject, isShallow, MAX_DEPTH, numeral, parseJson, stringifyJson } from '../../core/json.ts'

const nested = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`

test('no digit of a number is lost', () => {
  for (const text of [
    '12345678901234567890',
    '-12345678901234567890',
    '0.1234567890123456789',
    '1e400',
    '{"id":98765432109876543210,"n":1}',
    '[9007199254740993,1.5,-0.25,100]',
  ])
    assert.equal(stringifyJson(parseJson(text)), text)
})

test('a number that a double holds is a plain number, also beside one that it does not hold', () => {
  assert.deepEqual(parseJson('[1, 1.5, 12345678901234567890]'), [1, 1.5, new LosslessNumber('12345678901234567890')])
  assert.deepEqual(parseJson('[123456789012345, 12345678.1234567]'), [123456789012345, 12345678.1234567])
})

test('the digits of numbers and of numeric text are returned as they were written', () => {
  assert.equal(numeral(parseJson('12345678901234567890')), '12345678901234567890')
  assert.equal(numeral(parseJson('1e3')), '1e3')
  assert.equal(numeral(17), '17')
  assert.equal(numeral('017'), '017')
  for (const value of [null, undefined, true, {}, [], { value: '1', isLosslessNumber: true }])
    assert.equal(numeral(value), null)
})

test('keys that mean something to JavaScript are plain data, with and without long numbers', () => {
  for (const text of [
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    '{"__proto__":{"polluted":12345678901234567890},"constructor":1,"toString":2,"hasOwnProperty":3}',
  ]) {
    const value = parseJson(text)
    assert.ok(isJsonObject(value))
    assert.ok(Object.hasOwn(value, '__proto__'))
    assert.equal(value.polluted, undefined)
    assert.equal(Reflect.get({}, 'polluted'), undefined)
    assert.equal(stringifyJson(value), text)
  }
})

test('an object that looks like a lossless number is an object still, and cannot put raw text into JSON', () => {
  const text = '{"x":{"isLosslessNumber":true,"value":"1,\\"injected\\":2"},"n":12345678901234567890}'
  const value = parseJson(text)
  assert.ok(isJsonObject(value) && isJsonObject(value.x))
  assert.equal(stringifyJson(value), text)
})

test('of a repeated key the last one counts', () => {
  assert.equal(stringifyJson(parseJson('{"a":1,"a":2}')), '{"a":2}')
  assert.equal(
    stringifyJson(parseJson('{"a":12345678901234567890,"a":12345678901234567891}')),
    '{"a":12345678901234567891}',
  )
})

test('text that is not JSON throws a SyntaxError', () => {
  for (const text of [
    '',
    '{',
    '{"a":}',
    "{'a':1}",
    '[1,]',
    '01',
    '1 2',
    'NaN',
    '[12345678901234567890',
    '{"a":1e5}}',
    '"\u0001"',
  ])
    assert.throws(() => parseJson(text), SyntaxError, text)
})

test('JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), text => {
      assert.deepEqual(JSON.parse(stringifyJson(parseJson(text))), JSON.parse(JSON.stringify(JSON.parse(text))))
    }),
  )
})

test(`an object may nest ${MAX_DEPTH} levels deep`, () => {
  assert.ok(isShallow(parseJson(nested(MAX_DEPTH))))
  assert.ok(!isShallow(parseJson(nested(MAX_DEPTH + 1))))
  assert.ok(!isShallow(parseJson(`{"a":${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}}`)))
  assert.ok(isShallow({ a: new LosslessNumber('1') }, 1))
})

test('text of a hundred thousand levels is either read and found too deep, or refused without a crash', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  assert.ok(!isShallow(parseJson(deep)))
  assert.throws(() => parseJson(deep.replace('[]', '[12345678901234567890]')), RangeError)
})

test('arrays, null and numbers are not JSON objects', () => {
  assert.ok(isJsonObject({}))
  for (const value of [null, undefined, [], 'text', 1, true, new LosslessNumber('1')]) assert.ok(!isJsonObject(value))
})
