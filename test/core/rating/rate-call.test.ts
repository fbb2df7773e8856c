import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainDialling } from '../../../core/dialling/read-number.ts'
import { buildDeck } from '../../../core/rating/deck.ts'
import { explain } from '../../../core/rating/explain.ts'
import { type RatableCall, rateCall } from '../../../core/rating/rate-call.ts'

const ukraine = { id: 1, prefix: '380', pricePerMinute: 1230, increment: 60, active: true }
const kyiv = { id: 2, prefix: '+380 44', pricePerMinute: 1000, increment: 6, active: true }
const deck = buildDeck([ukraine, kyiv])

const to = (number: string, internationalPrefix = '00') => ({
  destination: plainDialling(internationalPrefix).read(number),
})

const call = (more: Partial<RatableCall> = {}): RatableCall => ({
  direction: 'outbound',
  answered: true,
  answeredSeconds: 61,
  ...to('00380441234567'),
  ...more,
})

test('an answered outbound call is rated, and the rate is kept as it was', () => {
  assert.deepEqual(rateCall(deck, call()), {
    outcome: 'rated',
    billSeconds: 66,
    cost: 1100,
    rate: { id: 2, prefix: '+380 44', pricePerMinute: 1000, increment: 6 },
    unrated: false,
  })
})

test('a call that nobody answered costs nothing and is not unrated', () => {
  const expected = { outcome: 'not answered', billSeconds: 0, cost: 0, rate: null, unrated: false }
  assert.deepEqual(rateCall(deck, call({ answered: false })), expected)
  assert.deepEqual(rateCall(deck, call({ answeredSeconds: 0 })), expected)
  assert.deepEqual(rateCall(deck, call({ answeredSeconds: 0, ...to('999') })), expected)
  assert.deepEqual(rateCall(deck, call({ answered: false, direction: 'inbound' })), expected)
})

test('an inbound call costs nothing, keeps its seconds and is not unrated', () => {
  const expected = { outcome: 'inbound', billSeconds: 61, cost: 0, rate: null, unrated: false }
  assert.deepEqual(rateCall(deck, call({ direction: 'inbound' })), expected)
})

test('a call that no rate matches keeps its seconds, costs nothing and is unrated', () => {
  const expected = { outcome: 'no match', billSeconds: 61, cost: 0, rate: null, unrated: true }
  for (const number of ['49301234567', '', 's', 'park380']) {
    assert.deepEqual(rateCall(deck, call(to(number))), expected)
  }
})

test('an emergency call costs nothing and is not unrated, unless a rate is for that very number', () => {
  const destination = { kind: 'emergency', digits: '1911' } as const
  const expected = { outcome: 'emergency', billSeconds: 61, cost: 0, rate: null, unrated: false }
  for (const rates of [[], [{ ...ukraine, prefix: '1' }], [{ ...ukraine, prefix: '191' }]])
    assert.deepEqual(rateCall(buildDeck(rates), call({ destination })), expected)
  assert.deepEqual(rateCall(null, call({ destination })), expected)
  assert.equal(rateCall(buildDeck([{ ...ukraine, prefix: '1911' }]), call({ destination })).outcome, 'rated')
})

test('a cost that no amount can hold leaves the call unrated', () => {
  const slip = buildDeck([{ ...ukraine, pricePerMinute: Number.MAX_SAFE_INTEGER, increment: 3600 }])
  const expected = { outcome: 'too large', billSeconds: 61, cost: 0, rate: null, unrated: true }
  assert.deepEqual(rateCall(slip, call()), expected)
})

test('an explanation shows the match, the shorter prefixes, the rounding, the arithmetic and the cost', () => {
  assert.deepEqual(explain(deck, call({ answeredSeconds: 64 }), '00380441234567'), [
    { kind: 'number', given: '00380441234567', read: { kind: 'plain', digits: '380441234567' } },
    { kind: 'matching', rate: kyiv },
    { kind: 'shorter', rate: ukraine },
    { kind: 'rounding', seconds: 64, increment: 6, billSeconds: 66 },
    { kind: 'arithmetic', billSeconds: 66, pricePerMinute: 1000, remainder: 0, roundedUp: false },
    { kind: 'result', ...rateCall(deck, call({ answeredSeconds: 64 })) },
  ])
})

test('an explanation gives the remainder of the division and whether it rounds up', () => {
  const odd = buildDeck([{ ...ukraine, pricePerMinute: 101, increment: 1 }])
  const steps = explain(odd, call({ answeredSeconds: 30 }), '')
  const expected = { kind: 'arithmetic', billSeconds: 30, pricePerMinute: 101, remainder: 30, roundedUp: true }
  assert.deepEqual(
    steps.find(({ kind }) => kind === 'arithmetic'),
    expected,
  )
  assert.equal(rateCall(odd, call({ answeredSeconds: 30 })).cost, 51)
})

test('an explanation of a call without a lookup is only its result', () => {
  for (const given of [call({ direction: 'inbound' }), call({ answered: false })]) {
    assert.deepEqual(explain(deck, given, ''), [{ kind: 'result', ...rateCall(deck, given) }])
  }
})

test('an explanation of a number without a rate says how it was read', () => {
  const given = call(to('+49 30'))
  assert.deepEqual(explain(deck, given, '+49 30'), [
    { kind: 'number', given: '+49 30', read: { kind: 'plain', digits: '4930' } },
    { kind: 'result', ...rateCall(deck, given) },
  ])
})
