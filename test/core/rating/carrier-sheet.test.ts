import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeCell, codesIn, codeWarning, decimalIn, SHEET_RULES } from '../../../core/rating/carrier-sheet.ts'
import { Problem } from '../../../core/resources/field.ts'

const problemOf = (read: unknown): string => (read instanceof Problem ? read.predicate : `no problem: ${read}`)

test('a cell holds one code unless a comma or semicolon parts several', () => {
  assert.deepEqual(codesIn('61 38,39'), ['6138', '6139'])
  assert.deepEqual(codesIn('+61 38; 39'), ['+6138', '+6139'])
  assert.deepEqual(codesIn('1,44'), ['1', '44'])
  assert.deepEqual(codesIn('380 44'), ['380 44'])
  assert.deepEqual(codesIn('="61 38,39"'), ['61 38,39'])
  assert.match(problemOf(codesIn('61 38,,39')), /broken code among several/)
  assert.match(problemOf(codesIn('61 38,n/a')), /must be one prefix, or several/)
  assert.match(problemOf(codesIn('3.8044E+11')), /a spreadsheet made of a long number/)
})

test('a cell of codes is scanned once, however long it is', () => {
  const long = 'a'.repeat(2 ** 20)
  for (const cell of [`="${long}`, `="${long}" `, '1'.repeat(2 ** 20).concat('x'), `${' '.repeat(2 ** 20)}x`])
    assert.ok(codesIn(cell))
})

test('a code is written so that its cell reads back as that one code', () => {
  for (const code of ['380', '+380', '380 44', '61 38,39', '3E5', '="x"', '1;2'])
    assert.deepEqual(codesIn(codeCell(code)), [code])
  assert.equal(codeCell('380'), '380')
})

test('a range, and a code without a digit, are kept with a warning', () => {
  assert.equal(codeWarning('380'), null)
  assert.equal(codeWarning('380 44'), null)
  assert.match(codeWarning('38044-38046') ?? '', /a range must be written out/)
  assert.match(codeWarning('fixed') ?? '', /matches no number/)
})

test('the decimal mark of an amount is the one that its sheet uses', () => {
  assert.equal(decimalIn('0.0123', 'point'), '0.0123')
  assert.equal(decimalIn(' 0,0123', 'comma'), ' 0.0123')
  assert.equal(decimalIn(0.5, 'comma'), 0.5)
  assert.match(problemOf(decimalIn('0,0123', 'point')), /0,0123 has a decimal comma$/)
  assert.match(problemOf(decimalIn('0.5', 'comma')), /0\.5 has a point$/)
})

test('a price is refused where it would have to be rounded', () => {
  const price = (given: unknown): unknown => SHEET_RULES.price?.(given)
  assert.equal(price('0.0123'), '0.0123')
  assert.equal(price('0.01230'), '0.01230')
  assert.match(problemOf(price('0.01234')), /more than four decimals/)
  assert.match(problemOf(price('1.2E-3')), /without an exponent/)
})

test('a first and a next interval are one when they are the same', () => {
  const interval = (given: unknown): unknown => SHEET_RULES.interval?.(given)
  assert.equal(interval('60/60'), '60')
  assert.equal(interval(6), '6')
  assert.match(problemOf(interval('60/6')), /a first and a next one that differ/)
})
