import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diallingOf } from '../../../core/dialling/settings.ts'
import { buildDeck } from '../../../core/rating/deck.ts'
import { unratedNow } from '../../../core/rating/unrated-now.ts'

const dialling = diallingOf({ dialling: { country: 'GB' } })
const increment = 1
const deck = buildDeck(
  [
    { id: 1, prefix: '380', pricePerMinute: 100, increment, active: true },
    { id: 2, prefix: '49', pricePerMinute: 9_000_000_000_000, increment, active: true },
  ],
  dialling,
)
const START = '2026-10-01T12:00:00.000000Z'

const now = (number: string, kept = true) => {
  const catalog = {
    dialling,
    deckAt: () => (kept ? deck : null),
    extensions: new Map([['101', 1]]),
    dids: new Set(['441212345678']),
  }
  const { kind, rate, read } = unratedNow({ number, startedAt: START, seconds: 100_000_000 }, catalog)
  return [kind, rate?.prefix ?? null, read.digits]
}

test('by the present rates of its time, an unrated call is rated, free, too large or without a rate', () => {
  assert.deepEqual(now('00380501112233'), ['rated', '380', '380501112233'])
  assert.deepEqual(now('004930123456'), ['too large', '49', '4930123456'])
  assert.deepEqual(now('0033140000000'), ['no match', null, '33140000000'])
  assert.deepEqual(now('999'), ['free', null, '44999'])
  assert.deepEqual(now('101'), ['free', null, now('101')[2]])
  assert.deepEqual(now('0121 234 5678'), ['free', null, '441212345678'])
})

test('an unrated call whose deck is no longer kept has no rate, unless its number is free', () => {
  assert.deepEqual(now('00380501112233', false), ['no deck', null, '380501112233'])
  assert.deepEqual(now('01212345678', false)[0], 'free')
})
