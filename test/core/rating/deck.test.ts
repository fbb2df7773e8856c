import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainDialling, type ReadNumber } from '../../../core/dialling/read-number.ts'
import { buildDeck, type Rate } from '../../../core/rating/deck.ts'
import { rateCall } from '../../../core/rating/rate-call.ts'

const rate = (id: number, prefix: string, more: Partial<Rate> = {}): Rate => ({
  id,
  prefix,
  pricePerMinute: 100,
  increment: 60,
  active: true,
  ...more,
})

const plain = (digits: string): ReadNumber => ({ kind: 'plain', digits })

const ids = (rates: Rate[]): (number | null)[] => rates.map(({ id }) => id)

test('the longest prefix wins, in whatever order the rates come', () => {
  const rates = [rate(1, '380'), rate(2, '38044'), rate(3, '3'), rate(4, '49')]
  assert.equal(buildDeck(rates).match(plain('380441234567'))?.id, 2)
  assert.equal(buildDeck(rates.reverse()).match(plain('380441234567'))?.id, 2)
})

test('on equal prefixes a rate that has no id yet is newer than all that have one, and the last of them the newest', () => {
  const [first, second] = [rate(0, '380', { id: null }), rate(0, '+380', { id: null, increment: 1 })]
  for (const rates of [
    [rate(7, '380'), first, second],
    [first, second, rate(7, '380')],
  ])
    assert.deepEqual(buildDeck(rates).match(plain('380441234567')), second)
})

test('on equal prefixes the newest rate wins, in whatever order they come', () => {
  const rates = [rate(7, '380'), rate(9, '+380'), rate(8, '00380')]
  assert.equal(buildDeck(rates).match(plain('380'))?.id, 9)
  assert.equal(buildDeck(rates.reverse()).match(plain('380'))?.id, 9)
  assert.equal(buildDeck(rates).size, 1)
})

test('a rate that is not active matches nothing', () => {
  const deck = buildDeck([rate(1, '380'), rate(2, '38044', { active: false }), rate(3, '380', { active: false })])
  assert.equal(deck.match(plain('38044'))?.id, 1)
})

test('a number shorter than every prefix, or another, matches nothing', () => {
  const deck = buildDeck([rate(1, '380')])
  assert.equal(deck.match(plain('38')), null)
  assert.equal(deck.match(plain('48')), null)
  assert.equal(deck.match(plain('')), null)
  assert.equal(buildDeck([]).match(plain('380')), null)
})

test('all matching rates come longest first, one for each prefix', () => {
  const deck = buildDeck([rate(1, '3'), rate(2, '380'), rate(3, '380'), rate(4, '38044'), rate(5, '381')])
  assert.deepEqual(ids(deck.matches(plain('380441'))), [4, 3, 1])
  assert.deepEqual(deck.matches(plain('7')), [])
})

test('a prefix that leaves nothing to compare matches nothing and is reported', () => {
  const deck = buildDeck([rate(1, '+'), rate(2, '00'), rate(3, 'n/a'), rate(4, '00', { active: false }), rate(5, '1')])
  assert.deepEqual(ids([...deck.ignored]), [1, 2, 3])
  assert.equal(deck.match(plain('2')), null)
  assert.equal(deck.match(plain('')), null)
})

test('a feature code is matched by its own prefix, not by a country', () => {
  const deck = buildDeck([rate(1, '98'), rate(2, '*9'), rate(3, '#')])
  assert.deepEqual(
    [deck.match(plain('*98'))?.id, deck.match(plain('98'))?.id, deck.match(plain('#31#'))?.id],
    [2, 1, 3],
  )
})

test('a short number matches only its own rate, and a number that its country does not have matches none', () => {
  const deck = buildDeck([rate(1, '1'), rate(2, '14'), rate(3, '1411'), rate(4, '5'), rate(5, '*')])
  assert.equal(deck.match({ kind: 'short', digits: '1411' })?.id, 3)
  assert.deepEqual(ids(deck.matches({ kind: 'short', digits: '1411' })), [3])
  for (const digits of ['1911', '14110']) {
    assert.equal(deck.match({ kind: 'emergency', digits }), null)
    assert.deepEqual(deck.matches({ kind: 'short', digits }), [])
  }
  for (const kind of ['unknown', 'area unknown'] as const) assert.equal(deck.match({ kind, digits: '5551234' }), null)
})

test('text that is not a normalised number matches no further than its digits', () => {
  assert.equal(buildDeck([rate(1, '1')]).match(plain('a1')), null)
})

test('of very many rates each is matched by its own prefix, whatever symbols it is of', () => {
  const symbols = '0123456789*#'
  const word = (n: number): string =>
    n.toString(12).replace(/[0-9ab]/g, digit => symbols[Number.parseInt(digit, 12)] ?? '')
  const rates = Array.from({ length: 30_000 }, (_, n) =>
    rate(n + 1, word(n + 1), { pricePerMinute: n, increment: n + 7 }),
  )
  const deck = buildDeck(rates, { prefix: text => text })
  assert.equal(deck.size, rates.length)
  for (const each of rates) assert.deepEqual(deck.match(plain(each.prefix)), each)
})

interface Naive {
  readonly rates: Rate[]
  readonly number: string
  readonly seconds: number
}

const punctuated = (digits: RegExp): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('', '+', '00', '0', '('), fc.stringMatching(digits)).map(parts => parts.join(''))

const anyRate = fc.record({
  id: fc.integer({ min: 1, max: 1000 }),
  prefix: punctuated(/^[12 -]{0,2}[012]{0,4}$/),
  pricePerMinute: fc.oneof(fc.nat(20_000), fc.nat(2 ** 40)),
  increment: fc.constantFrom(1, 6, 30, 60, 7),
  active: fc.boolean(),
})

const anyCase: fc.Arbitrary<Naive> = fc.record({
  rates: fc.uniqueArray(anyRate, { selector: ({ id }) => id, minLength: 5, maxLength: 30 }),
  number: punctuated(/^[12][012 -]{2,9}$/),
  seconds: fc.oneof(fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 2 ** 31 })),
})

const digitsOf = (written: string): string => {
  const digits = written.replace(/[^0-9]/g, '')
  const isPlus = written.replace(/[ (-]/g, '').startsWith('+')
  return !isPlus && digits.startsWith('00') ? digits.slice(2) : digits
}

function naively({ rates, number, seconds }: Naive): { id: number | null; billSeconds: bigint; cost: bigint } | null {
  const [best] = rates
    .filter(({ active, prefix }) => active && digitsOf(prefix) !== '' && digitsOf(number).startsWith(digitsOf(prefix)))
    .sort((a, b) => digitsOf(b.prefix).length - digitsOf(a.prefix).length || Number(b.id) - Number(a.id))
  if (!best) return null
  let billSeconds = BigInt(seconds)
  while (billSeconds % BigInt(best.increment) !== 0n) billSeconds++
  const sixtieths = billSeconds * BigInt(best.pricePerMinute)
  const down = sixtieths / 60n
  return { id: best.id, billSeconds, cost: sixtieths % 60n < 30n ? down : down + 1n }
}

test('match and cost agree with filtering, sorting and exact fractions', () => {
  let matched = 0
  fc.assert(
    fc.property(anyCase, given => {
      const destination = plainDialling('00').read(given.number)
      const call = { answered: true, answeredSeconds: given.seconds, destination }
      const rated = rateCall(buildDeck(given.rates), { direction: 'outbound', ...call })
      const expected = naively(given)
      if (expected === null || expected.cost > Number.MAX_SAFE_INTEGER) return assert.equal(rated.unrated, true)
      matched++
      assert.equal(rated.rate?.id, expected.id)
      assert.deepEqual([rated.billSeconds, rated.cost], [Number(expected.billSeconds), Number(expected.cost)])
    }),
    { numRuns: 3000 },
  )
  assert.ok(matched > 500, `only ${matched} of the cases matched a rate`)
})
