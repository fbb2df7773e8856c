import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAmount, parseAmount } from '../../../core/amounts.ts'
import { charge } from '../../../core/rating/cost.ts'

/** Published examples: price a minute, increment, answered seconds, bill seconds and, if published, the cost. */
const PUBLISHED = [
  ['0.01', 60, 5, 60, '0.0100', 'go360host knowledge base'],
  ['0.01', 6, 5, 6, '0.0010', 'go360host knowledge base'],
  ['0.50', 6, 27, 30, '0.2500', 'voip.ms wiki'],
  ['1.00', 1, 15, 15, '0.2500', 'Kolmisoft wiki'],
  ['1.00', 10, 15, 20, '0.3333', 'Kolmisoft wiki'],
  ['1.00', 60, 65, 120, '2.0000', 'Kolmisoft wiki'],
  ['0.03', 6, 4, 6, '0.0030', 'miuda rate-deck document'],
  ['0.03', 6, 60, 60, '0.0300', 'miuda rate-deck document'],
  ['0.006', 6, 32, 36, '0.0036', 'cgrates issue 118'],
  ['0.006', 6, 75, 78, '0.0078', 'cgrates issue 118'],
  ['60', 1, 90, 90, '90.0000', 'cgrates costs1_test'],
  ['30', 1, 110, 110, '55.0000', 'cgrates calldesc_test'],
  ['30', 1, 3621, 3621, '1810.5000', 'cgrates calldesc_test'],
  ['0.05', 1, 24, 24, '0.0200', 'cgrates calldesc_test (fee taken off)'],
  ['1.20', 60, 45, 60, '1.2000', 'cgrates tutorial2 (fee taken off)'],
  ['0.1', 1, 180, 180, '0.3000', 'exact; cgrates itself answers 0.3001 and notes that it should not'],
  ['60', 1, 0, 0, '0.0000', 'cgrates costs1_test'],
] as const

for (const [price, increment, seconds, billSeconds, cost, source] of PUBLISHED) {
  test(`${seconds} s at ${price} a minute by ${increment} s cost ${cost} (${source})`, () => {
    const charged = charge({ seconds, pricePerMinute: parseAmount(price) ?? Number.NaN, increment })
    assert.deepEqual(charged && { ...charged, cost: formatAmount(charged.cost) }, { billSeconds, cost })
  })
}

test('half a unit rounds up and less rounds down', () => {
  assert.equal(charge({ seconds: 30, pricePerMinute: 1, increment: 1 })?.cost, 1)
  assert.equal(charge({ seconds: 29, pricePerMinute: 1, increment: 1 })?.cost, 0)
  assert.equal(charge({ seconds: 90, pricePerMinute: 1, increment: 1 })?.cost, 2)
})

test('a day at 99999.9999 a minute is exact', () => {
  const charged = charge({ seconds: 86_400, pricePerMinute: 999_999_999, increment: 1 })
  assert.deepEqual(charged, { billSeconds: 86_400, cost: 1_439_999_998_560 })
})

test('a product beyond the precision of a double is exact', () => {
  const charged = charge({ seconds: 86_399, pricePerMinute: 2_000_000_000_001, increment: 1 })
  assert.deepEqual(charged, { billSeconds: 86_399, cost: Number((86_399n * 2_000_000_000_001n + 30n) / 60n) })
})

test('a cost that no amount can hold is null', () => {
  assert.equal(charge({ seconds: 61, pricePerMinute: Number.MAX_SAFE_INTEGER, increment: 1 }), null)
  assert.equal(charge({ seconds: Number.MAX_SAFE_INTEGER, pricePerMinute: 0, increment: 2 }), null)
})

test('seconds and cost agree with exact integers at every size', () => {
  const safe = fc.oneof(fc.maxSafeNat(), fc.nat(1e6), fc.bigInt(0n, 2n ** 27n).map(Number))
  fc.assert(
    fc.property(
      safe,
      safe,
      fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1 })),
      (seconds, price, step) => {
        const billSeconds = ((BigInt(seconds) + BigInt(step) - 1n) / BigInt(step)) * BigInt(step)
        const cost = (2n * billSeconds * BigInt(price) + 60n) / 120n
        const fits = billSeconds <= Number.MAX_SAFE_INTEGER && cost <= Number.MAX_SAFE_INTEGER
        const expected = fits ? { billSeconds: Number(billSeconds), cost: Number(cost) } : null
        assert.deepEqual(charge({ seconds, pricePerMinute: price, increment: step }), expected)
      },
    ),
    { numRuns: 2000 },
  )
})

test('rounding is exact where a double is at its coarsest', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 1, max: 59 }), (below, seconds) => {
      const price = Math.floor((Number.MAX_SAFE_INTEGER - below) / seconds)
      const cost = Number((2n * BigInt(seconds) * BigInt(price) + 60n) / 120n)
      assert.equal(charge({ seconds, pricePerMinute: price, increment: 1 })?.cost, cost)
    }),
  )
})
