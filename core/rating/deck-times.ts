import type { Timestamp } from '../dates.ts'
import { AppError } from '../errors.ts'
import { FOREVER, type Period } from './period.ts'

/**
 * A tenant's decks follow one another: each is in force from its moment on, until that of the next. The rates that are
 * stored are those of the deck in force; pending decks and past ones are kept aside, except those of a past that is
 * `forgotten`. Without any, the stored rates have been in force all along.
 */
export const DECK_STATES = ['pending', 'in force', 'past', 'forgotten'] as const
export type DeckState = (typeof DECK_STATES)[number]

export interface DeckTime {
  readonly id: number
  /** No two of a tenant's have the same. */
  readonly effectiveAt: Timestamp
  readonly state: DeckState
}

/** A tenant's, the earliest first. */
export type DeckTimes = readonly DeckTime[]

/** Before every other moment: when the first of a tenant's decks took effect. */
export const ALL_ALONG: Timestamp = FOREVER.from

/** Are its rates kept aside, rather than stored as the tenant's rates or nowhere? */
export const isAside = ({ state }: DeckTime): boolean => state === 'pending' || state === 'past'

/** The deck of that moment; null for the stored rates that no deck has replaced yet. */
export const deckTimeAt = (times: DeckTimes, moment: Timestamp): DeckTime | null =>
  times.findLast(({ effectiveAt }) => effectiveAt <= moment) ?? null

/** The decks that are kept aside and in force at some moment of a period. */
export const asideWithin = (times: DeckTimes, { from, to }: Period): DeckTimes =>
  times.filter((time, i) => isAside(time) && time.effectiveAt < to && (times[i + 1]?.effectiveAt ?? to) > from)

/** When a deck takes effect of which nothing is said: now, but all along where it is the tenant's first. */
export const momentUnsaid = (times: DeckTimes, hasRates: boolean, now: Timestamp): Timestamp =>
  hasRates || times.some(({ state }) => state === 'in force') ? now : ALL_ALONG

/** What becomes of a deck that is to be in force from a moment on. */
export interface DeckPlace {
  readonly effectiveAt: Timestamp
  readonly state: Exclude<DeckState, 'forgotten'>
  /** The deck of that moment up to now: what the new one is compared with; null as in {@link deckTimeAt}. */
  readonly former: DeckTime | null
  /** Has it the same moment as the former one, so that nothing is left of that? */
  readonly replaces: boolean
}

/**
 * Where a deck belongs among a tenant's, none of which is due: aside until its moment, in force at once where that is
 * past, or among the past ones where the deck in force is younger. Throws `conflict` where another waits for the same
 * moment, or the deck of that moment is forgotten.
 */
export function deckPlace(times: DeckTimes, effectiveAt: Timestamp, now: Timestamp): DeckPlace {
  const former = deckTimeAt(times, effectiveAt)
  const replaces = former?.effectiveAt === effectiveAt
  if (former?.state === 'forgotten')
    throw new AppError('conflict', 'The rates of that time are not kept any more.', {
      hint: 'trunkline rate pending list --all',
    })
  if (former?.state === 'pending' && replaces)
    throw new AppError('conflict', `Another deck is already pending for that moment (id ${former.id}).`, {
      hint: 'trunkline rate pending list',
    })
  // By the decks first: the clock may have been set back.
  const state = former?.state === 'past' ? 'past' : effectiveAt > now ? 'pending' : 'in force'
  return { effectiveAt, state, former, replaces }
}
