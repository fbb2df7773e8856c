import type { Timestamp } from '../dates.ts'
import { AppError } from '../errors.ts'
import { FOREVER, type Period } from './period.ts'

/**
 * A tenant's decks follow one another in time: each is in force from its moment until the next one's. The stored rates
 * are those of the deck in force. Pending and past decks are kept aside, except a past one that is `forgotten`.
 * Without decks, the stored rates have always been in force.
 */
export type DeckState = 'pending' | 'in force' | 'past' | 'forgotten'

export interface DeckTime {
  readonly id: number
  /** Unique among the tenant's decks. */
  readonly effectiveAt: Timestamp
  readonly state: DeckState
}

/** A tenant's decks, earliest first. */
export type DeckTimes = readonly DeckTime[]

/** The beginning of time: when a tenant's first deck took effect. */
export const ALL_ALONG: Timestamp = FOREVER.from

/** True if its rates are kept aside, apart from the tenant's stored rates. */
export const isAside = ({ state }: DeckTime): boolean => state === 'pending' || state === 'past'

/** Returns the deck in force at that moment; null for stored rates that no deck has replaced yet. */
export const deckTimeAt = (times: DeckTimes, moment: Timestamp): DeckTime | null =>
  times.findLast(({ effectiveAt }) => effectiveAt <= moment) ?? null

/** Returns the decks kept aside that are in force at some moment of a period. */
export const asideWithin = (times: DeckTimes, { from, to }: Period): DeckTimes =>
  times.filter((time, i) => isAside(time) && time.effectiveAt < to && (times[i + 1]?.effectiveAt ?? to) > from)

/** Returns when a deck takes effect by default: now, or from the beginning if it is the tenant's first. */
export const defaultMoment = (times: DeckTimes, hasRates: boolean, now: Timestamp): Timestamp =>
  hasRates || times.some(({ state }) => state === 'in force') ? now : ALL_ALONG

/** Where a new deck goes among the tenant's decks. */
export interface DeckPlace {
  readonly effectiveAt: Timestamp
  readonly state: Exclude<DeckState, 'forgotten'>
  /** The deck that held that moment so far, to compare the new one with; null as in {@link deckTimeAt}. */
  readonly former: DeckTime | null
  /** True if both take effect at the same moment, so that nothing of the former one is left. */
  readonly replaces: boolean
}

/**
 * Finds the place of a new deck. It is pending if its moment is to come, in force if that is past, or past if the deck
 * in force is younger. Expects that every due deck has been put in force. Throws `conflict` if another deck is pending
 * for the same moment, or the deck of that moment is forgotten.
 */
export function deckPlace(times: DeckTimes, effectiveAt: Timestamp, now: Timestamp): DeckPlace {
  const former = deckTimeAt(times, effectiveAt)
  const replaces = former?.effectiveAt === effectiveAt
  if (former?.state === 'forgotten')
    throw new AppError('conflict', 'The rates of that time are no longer kept.', {
      hint: 'trunkline rate pending list --all',
    })
  if (former?.state === 'pending' && replaces)
    throw new AppError('conflict', `Another deck is already pending for that moment (id ${former.id}).`, {
      hint: 'trunkline rate pending list',
    })
  // The existing decks decide before the clock, which may have been set back.
  const state = former?.state === 'past' ? 'past' : effectiveAt > now ? 'pending' : 'in force'
  return { effectiveAt, state, former, replaces }
}
