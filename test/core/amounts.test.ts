import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { formatAmount, parseAmount } from '../../core/amounts.ts'
import { parseJson } from '../../core/json.ts'

const RUNS = { numRuns: 1000 }

/** The written decimal as an exact fraction. */
function rational(written: string): { numerator: bigint; denominator: bigint } {
  const [mantissa = '', exponent = '0'] = written.toLowerCase().split('e')
  const negative = mantissa.startsWith('-')
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.')
  const shift = Number(exponent) - fraction.length
  const digits = BigInt(`${whole}${fraction}`) * (negative ? -1n : 1n)
  return {
    numerator: shift > 0 ? digits * 10n ** BigInt(shift) : digits,
    denominator: shift < 0 ? 10n ** BigInt(-shift) : 1n,
  }
}

/** Units of 0.0001, rounded half away from zero, by integer arithmetic alone; null past the safe integers. */
function exactUnits(written: string): number | null {
  const { numerator, denominator } = rational(written)
  const size = (numerator < 0n ? -numerator : numerator) * 10_000n
  const units = (2n * size + denominator) / (2n * denominator)
  if (units > BigInt(Number.MAX_SAFE_INTEGER)) return null
  return Number(numerator < 0n ? -units : units)
}

const same = (actual: number | null, expected: number | null, written: string): void =>
  assert.equal(actual === 0 ? 0 : actual, expected === 0 ? 0 : expected, written)

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max })

const writtenDecimal = fc
  .tuple(
    fc.constantFrom('', '-', '+'),
    digits(1, 14),
    fc.option(digits(1, 9)),
    fc.option(fc.integer({ min: -30, max: 30 })),
  )
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
  )

test('an amount is read into units of 0.0001', () => {
  for (const [given, units] of [
    [0, 0],
    [1, 10_000],
    [0.0123, 123],
    ['0.0123', 123],
    [' 12.5 ', 125_000],
    ['+3', 30_000],
    ['.5', 5_000],
    ['5.', 50_000],
    ['1e3', 10_000_000],
    ['1.5E-2', 150],
    ['-2.5', -25_000],
    ['000000000000000000001.0000', 10_000],
    [1e-7, 0],
    [new LosslessNumber('0.00010000000000000000001'), 1],
    [new LosslessNumber('12345678901.23456789'), 123_456_789_012_346],
  ] as const)
    assert.equal(parseAmount(given), units, String(given))
})

test('more than four places are rounded half up on the written digits, where floating point would go wrong', () => {
  for (const [given, units] of [
    ['0.00005', 1],
    ['0.00004999999999999999999999', 0],
    ['1.00005', 10_001],
    [1.00005, 10_001],
    [1.00015, 10_002],
    ['8.00025', 80_003],
    ['0.99995', 10_000],
    ['5e-5', 1],
    ['4.9e-5', 0],
    ['-0.00005', -1],
  ] as const)
    assert.equal(parseAmount(given), units, String(given))
})

test('text that is not a decimal is not an amount', () => {
  for (const given of [
    '',
    ' ',
    '.',
    '-',
    'e5',
    '.e5',
    '1,5',
    '1 000',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '--1',
    '1.2.3',
    '١',
  ])
    assert.equal(parseAmount(given), null, given)
  for (const given of [null, undefined, true, [], [1], {}, Number.NaN, Number.POSITIVE_INFINITY, 1n])
    assert.equal(parseAmount(given), null, String(given))
})

test('an amount that a safe integer of units cannot hold is refused', () => {
  assert.equal(parseAmount('900719925474.0991'), Number.MAX_SAFE_INTEGER)
  assert.equal(parseAmount('900719925474.0992'), null)
  assert.equal(parseAmount('900719925474.09915'), null)
  assert.equal(parseAmount('1e300'), null)
  assert.equal(parseAmount(`${'9'.repeat(500)}`), null)
})

test('every written decimal is rounded as exact rational arithmetic rounds it', () => {
  fc.assert(
    fc.property(writtenDecimal, written => {
      same(parseAmount(written), exactUnits(written), written)
    }),
    RUNS,
  )
})

test('a number, its text and its lossless form are the same amount', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }), given => {
      const expected = exactUnits(String(given))
      same(parseAmount(given), expected, String(given))
      same(parseAmount(String(given)), expected, String(given))
      same(parseAmount(new LosslessNumber(String(given))), expected, String(given))
    }),
    RUNS,
  )
})

test('an amount in a JSON text is the same whether it is written as a number or as text', () => {
  fc.assert(
    fc.property(digits(1, 12), digits(1, 12), (whole, fraction) => {
      const written = `${BigInt(whole)}.${fraction}`
      same(parseAmount(parseJson(written)), exactUnits(written), written)
      same(parseAmount(parseJson(`"${written}"`)), exactUnits(written), written)
    }),
    RUNS,
  )
})

test('an amount is written with four places', () => {
  for (const [units, text] of [
    [0, '0.0000'],
    [123, '0.0123'],
    [10_000, '1.0000'],
    [-1, '-0.0001'],
    [-123_456, '-12.3456'],
    [Number.MAX_SAFE_INTEGER, '900719925474.0991'],
  ] as const)
    assert.equal(formatAmount(units), text)
})

test('reading what was written gives the amount back', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), units => {
      same(parseAmount(formatAmount(units)), units, String(units))
    }),
    RUNS,
  )
})
