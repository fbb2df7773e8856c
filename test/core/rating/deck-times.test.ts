import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ALL_ALONG,
  asideWithin,
  type DeckState,
  type DeckTime,
  deckPlace,
  deckTimeAt,
  defaultMoment,
} from '../../../core/rating/deck-times.ts'
import { FOREVER } from '../../../core/rating/period.ts'

const day = (number: number): string => `2026-10-${String(number).padStart(2, '0')}T00:00:00.000000Z`
const time = (id: number, effectiveAt: string, state: DeckState): DeckTime => ({ id, effectiveAt, state })

const times = [
  time(1, ALL_ALONG, 'forgotten'),
  time(2, day(5), 'past'),
  time(3, day(10), 'in force'),
  time(4, day(20), 'pending'),
]
const NOW = day(15)

describe('the deck of a moment', () => {
  it('is the last that took effect, from that moment itself on', () => {
    const found = [day(1), day(5), day(9), day(10), day(19), day(20), day(31)].map(at => deckTimeAt(times, at)?.id)
    assert.deepEqual(found, [1, 2, 2, 3, 3, 4, 4])
  })

  it('is that of the stored rates where no deck has replaced them yet', () => {
    assert.equal(deckTimeAt([], NOW), null)
    assert.equal(deckTimeAt([time(4, day(20), 'pending')], NOW), null)
  })
})

describe('the decks of a period that are kept aside', () => {
  const ids = (from: string, to: string) => asideWithin(times, { from, to }).map(({ id }) => id)

  it('are those in force at any moment of the period', () => {
    assert.deepEqual(ids(day(11), day(12)), [])
    assert.deepEqual(ids(day(9), day(12)), [2])
    assert.deepEqual(ids(day(10), day(12)), [])
    assert.deepEqual(ids(day(9), day(20)), [2])
    assert.deepEqual(ids(day(9), day(21)), [2, 4])
    assert.deepEqual(ids(FOREVER.from, FOREVER.to), [2, 4])
  })
})

describe('a new deck', () => {
  const place = (effectiveAt: string) => {
    const { state, former, replaces } = deckPlace(times, effectiveAt, NOW)
    return [state, former?.id, replaces]
  }

  it('waits for its moment, and is compared with the deck in force until then', () => {
    assert.deepEqual(place(day(16)), ['pending', 3, false])
    assert.deepEqual(place(day(21)), ['pending', 4, false])
    assert.deepEqual(deckPlace([], day(16), NOW).former, null)
  })

  it('is in force at once, from now on or from a moment since the present one took effect', () => {
    assert.deepEqual(place(NOW), ['in force', 3, false])
    assert.deepEqual(place(day(11)), ['in force', 3, false])
    assert.equal(deckPlace([], day(1), NOW).state, 'in force')
  })

  it('with the same moment as the present or a past one replaces it completely', () => {
    assert.deepEqual(place(day(10)), ['in force', 3, true])
    assert.deepEqual(place(day(5)), ['past', 2, true])
  })

  it('from before the present one rates the calls until the next one took effect', () => {
    assert.deepEqual(place(day(7)), ['past', 2, false])
  })

  it('is refused if another is pending for its moment, and for a time whose rates are no longer kept', () => {
    assert.throws(() => place(day(20)), { code: 'conflict', message: /\(id 4\)/ })
    assert.throws(() => place(day(2)), { code: 'conflict', message: /no longer kept/ })
  })

  it('is by default in force from now on, or from the start if it is the first', () => {
    assert.equal(defaultMoment([], false, NOW), ALL_ALONG)
    assert.equal(defaultMoment([], true, NOW), NOW)
    assert.equal(defaultMoment(times, false, NOW), NOW)
  })
})
