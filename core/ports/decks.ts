import type { Actor } from '../audit.ts'
import type { Timestamp } from '../dates.ts'
import type { Rate } from '../rating/deck.ts'
import type { DeckTime } from '../rating/deck-times.ts'
import type { InactiveRate } from '../rating/passed-over.ts'
import type { BulkCounts } from './bulk.ts'

/** A tenant's deck, without its rates. */
export interface DeckEntry extends DeckTime {
  readonly tenantId: number
  /** The file that it was imported from; empty for the rates that were there before the first such deck. */
  readonly file: string
  /** The number of its rates, or of those that it had when it took effect. */
  readonly rates: number
  readonly createdAt: Timestamp
}

/** What happens to a deck's rates when another replaces it. */
export type DeckChanges = Pick<BulkCounts, 'created' | 'updated' | 'unchanged' | 'removed'>

/** A deck that took effect, and what that changed in the stored rates. */
export interface DeckApplied extends DeckChanges {
  readonly deck: DeckEntry
}

/** A tenant's decks over time. Imports add them, see `Replacement`. */
export interface Decks {
  /** Lists the pending decks of one tenant or of all, earliest first; with `all`, the others too. */
  list(filter: { readonly tenantId?: number; readonly all?: boolean }): Promise<readonly DeckEntry[]>
  /** Returns the destination of a rate in the tenant's deck of that moment; empty if it is no longer in it. */
  destination(tenantId: number, moment: Timestamp, rate: Pick<Rate, 'id' | 'prefix'>): Promise<string>
  /** Returns the rates of the tenant's deck of that moment that are not active, so that no call is rated by them. */
  inactiveRates(tenantId: number, moment: Timestamp): Promise<readonly InactiveRate[]>
  /** Deletes a pending deck. Throws `not_found`, and `conflict` if it is no longer pending. */
  cancel(id: number, by?: Actor): Promise<DeckEntry>
  /** Returns when the next pending deck takes effect; null if there is none. */
  nextMoment(): Promise<Timestamp | null>
  /**
   * Puts the decks that are due in force, in order, each in a transaction, and keeps the rates of the former one
   * aside. Skips those that another process has done.
   */
  putInForce(): Promise<readonly DeckApplied[]>
  /** Deletes past decks that were replaced before that moment; returns how many. */
  forget(before: Timestamp, signal?: AbortSignal): Promise<number>
}
