import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Dialling, plainDialling } from '../../../core/dialling/read-number.ts'
import { diallingOf } from '../../../core/dialling/settings.ts'
import { type CheckedRate, checkDeck } from '../../../core/rating/check-deck.ts'
import { buildDeck } from '../../../core/rating/deck.ts'

const rate = (id: number, prefix: string, active = true): CheckedRate => ({
  ...{ id, prefix, active, destination: `to ${prefix}` },
})

const check = (
  rates: readonly CheckedRate[],
  {
    used = [],
    unrated = [],
    dialling = plainDialling('00'),
    pricePerMinute = 1,
  }: { used?: number[]; unrated?: [string, number][]; dialling?: Dialling; pricePerMinute?: number } = {},
) => {
  const deck = buildDeck(
    rates.map(each => ({ ...each, pricePerMinute, increment: 1 })),
    dialling,
  )
  return checkDeck(
    rates,
    new Set(used),
    unrated.map(([number, calls]) => ({ number, calls, seconds: 61, startedAt: '2026-10-01T12:00:00.000000Z' })),
    { dialling, deckAt: () => deck, extensions: new Map([['101', 1]]), dids: new Set(['380441234567']) },
  )
}

const ids = (rates: readonly CheckedRate[]): number[] => rates.map(({ id }) => id)

test('rates with the same prefix, however written, are duplicates, the newest first', () => {
  const { duplicates } = check([
    rate(1, '380'),
    rate(2, '+380'),
    rate(3, '00 380'),
    rate(4, '49'),
    rate(5, '49', false),
  ])
  assert.deepEqual(duplicates.map(ids), [[3, 2, 1]])
})

test("whether two prefixes are the same depends on the tenant's international prefix", () => {
  const rates = [rate(1, '380'), rate(2, '00380')]
  assert.deepEqual(check(rates, { dialling: plainDialling('011') }).duplicates, [])
  assert.deepEqual(check(rates).duplicates.map(ids), [[2, 1]])
})

test('active rates that rated no call are reported', () => {
  assert.deepEqual(ids(check([rate(1, '380'), rate(2, '49'), rate(3, '48', false)], { used: [1] }).unmatched), [2])
})

test('active rates with a prefix that cannot be dialled are listed separately', () => {
  const { unusable, unmatched } = check([rate(1, 'n/a'), rate(2, '+'), rate(3, '380')])
  assert.deepEqual([ids(unusable), ids(unmatched)], [[1, 2], [3]])
})

test('inactive rates are idle unless an active one has their prefix', () => {
  assert.deepEqual(ids(check([rate(1, '380'), rate(2, '+380', false), rate(3, '49', false)]).idle), [3])
})

test('numbers without a rate are reported by their beginnings, the most dialled first', () => {
  const unrated: [string, number][] = [
    ['4930111', 1],
    ['+4930122', 2],
    ['0048221', 9],
    ['s', 1],
  ]
  assert.deepEqual(check([rate(1, '380')], { unrated }).missing, [
    { prefix: '48221', kind: 'plain', calls: 9 },
    { prefix: '49301', kind: 'plain', calls: 3 },
    { prefix: 's', kind: 'plain', calls: 1 },
  ])
})

test('calls that a later rate covers now are counted separately', () => {
  const { missing, ratable } = check([rate(1, '49')], {
    unrated: [
      ['+4930111', 2],
      ['48', 1],
    ],
  })
  assert.deepEqual([missing, ratable], [[{ prefix: '48', kind: 'plain', calls: 1 }], 2])
})

test('rates that still make an unrated call too expensive are reported, and the call is not listed for rerating', () => {
  const unrated: [string, number][] = [['4930111', 2]]
  const rates = [rate(1, '49'), rate(2, '48')]
  const { excessive, missing, ratable } = check(rates, { unrated, pricePerMinute: Number.MAX_SAFE_INTEGER })
  assert.deepEqual([ids(excessive), missing, ratable], [[1], [], 0])
  const corrected = check(rates, { unrated })
  assert.deepEqual([corrected.excessive, corrected.ratable], [[], 2])
})

test('calls that now cost nothing, to emergency and own numbers, are listed for rerating, and miss no rate', () => {
  const dialling = diallingOf({ dialling: { country: 'US' } })
  const { missing, ratable } = check([rate(1, '911')], {
    dialling,
    unrated: [
      ['911', 1],
      ['+380441234567', 2],
      ['101', 4],
    ],
  })
  assert.deepEqual([missing, ratable], [[], 7])
})

test("short numbers, and numbers outside the country's plan, are reported as lacking a rate of their own", () => {
  const unrated: [string, number][] = [
    ['411', 3],
    ['5551234', 2],
    ['55512', 1],
  ]
  const { missing } = check([rate(1, '1'), rate(2, '41'), rate(3, '55')], {
    dialling: diallingOf({ dialling: { country: 'US' } }),
    unrated,
  })
  assert.deepEqual(missing, [
    { prefix: '1411', kind: 'short', calls: 3 },
    { prefix: '5551234', kind: 'area unknown', calls: 2 },
    { prefix: '55512', kind: 'unknown', calls: 1 },
  ])
})

test('a deck without faults has no findings', () => {
  const { unmatched, ...findings } = check([rate(1, '380'), rate(2, '38050')], { used: [1, 2] })
  assert.deepEqual(
    [unmatched, findings],
    [[], { duplicates: [], unusable: [], idle: [], missing: [], excessive: [], ratable: 0 }],
  )
})
