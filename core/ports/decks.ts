import type { Actor } from '../audit.ts'
import type { Timestamp } from '../dates.ts'
import type { Rate } from '../rating/deck.ts'
import type { DeckTime } from '../rating/deck-times.ts'
import type { InactiveRate } from '../rating/passed-over.ts'
import type { BulkCounts } from './bulk.ts'

/** A deck of a tenant, without its rates. */
export interface DeckEntry extends DeckTime {
  readonly tenantId: number
  /** The file that it was read from; empty for the rates that were there before the first such deck. */
  readonly file: string
  /** How many rates it has, or had when it took effect. */
  readonly rates: number
  readonly createdAt: Timestamp
}

/** What becomes of the rates of a deck when another takes its place. */
export type DeckChanges = Pick<BulkCounts, 'created' | 'updated' | 'unchanged' | 'removed'>

/** A deck that has taken effect, and what that changed of the stored rates. */
export interface DeckApplied extends DeckChanges {
  readonly deck: DeckEntry
}

/** The decks that follow one another; an import brings them in (see `Replacement`). */
export interface Decks {
  /** Those of one tenant or of all, the earliest first; with `all`, those that are not pending too. */
  list(filter: { readonly tenantId?: number; readonly all?: boolean }): Promise<readonly DeckEntry[]>
  /** What a rate of the tenant's deck of that moment is called there; empty when it is not in it any more. */
  destination(tenantId: number, moment: Timestamp, rate: Pick<Rate, 'id' | 'prefix'>): Promise<string>
  /** The rates of the tenant's deck of that moment that its calls are not rated by, for their status. */
  inactiveRates(tenantId: number, moment: Timestamp): Promise<readonly InactiveRate[]>
  /** Deletes a deck that is pending. Throws `not_found`, and `conflict` when it is not pending any more. */
  cancel(id: number, by?: Actor): Promise<DeckEntry>
  /** When the next pending deck takes effect; null when there is none. */
  nextMoment(): Promise<Timestamp | null>
  /**
   * Makes the rates of each deck whose moment has come the stored ones, in their order, each in a transaction, and
   * keeps what was aside. Nothing happens to those that another process has done.
   */
  putInForce(): Promise<readonly DeckApplied[]>
  /** Forgets past decks that were replaced before that moment; returns how many. */
  forget(before: Timestamp, signal?: AbortSignal): Promise<number>
}
