import type { Actor } from '../audit.ts'
import type { CompletedCall, SourceFormat } from '../calls/completed-call.ts'
import type { Catalog, FeedRules } from '../calls/record-call.ts'
import type { Timestamp } from '../dates.ts'
import type { UnratedCalls } from '../rating/check-deck.ts'
import type { Outcome } from '../rating/outcome.ts'
import type { Period } from '../rating/period.ts'
import type { Direction } from '../rating/rate-call.ts'

/** A record of a switch, whether readable or not. */
export type SwitchRecord =
  | { readonly call: CompletedCall }
  | { readonly format: SourceFormat; readonly raw: string; readonly reason: string }

/** How far a feed was read: what identifies the file, and the byte after the last record stored. */
export interface FeedPlace {
  readonly mark: string
  readonly position: number
}

export interface Feed {
  /** The name of the place: the path as given. */
  readonly name: string
  readonly rules: FeedRules
}

/** The outcome of the records of one batch. */
export interface IngestCounts {
  readonly stored: number
  /** Already stored before. */
  readonly known: number
  readonly quarantined: number
  /** Legs of calls that have their own record. */
  readonly legs: number
  /** Stored calls that are outgoing, answered and without a cost: no rate matched, or the cost is too large. */
  readonly unrated: number
}

/** How to ingest from a switch, besides the file, folder or stream to read. */
export interface Ingest {
  readonly feed: Feed
  readonly format: SourceFormat | 'auto'
  /** Called after each batch with the totals so far. */
  readonly onProgress?: (counts: IngestCounts) => void
  /** Called with each skipped entry of a folder: `trouble` says why it cannot be read; null: it is not in the format. */
  readonly onPassedOver?: (path: string, trouble: string | null) => void
}

export interface Quarantined {
  readonly id: number
  readonly feed: string
  readonly format: SourceFormat
  readonly rules: FeedRules
  readonly record: string
  readonly reason: string
  /** How often it was delivered. */
  readonly seen: number
  readonly created_at: Timestamp
}

/** A quarantined record, and what it reads as now. */
export interface Retry {
  readonly quarantined: Pick<Quarantined, 'id' | 'feed' | 'rules'>
  readonly record: SwitchRecord
}

export interface RerateQuery extends Period {
  readonly tenantId: number
  /** Only `unrated` calls: no rate matched, or the cost by the matching one is too large. */
  readonly unratedOnly: boolean
}

export interface RatingInBrief {
  readonly cost: number
  readonly billSeconds: number
  readonly prefix: string | null
  readonly direction: Direction
}

/** A call whose new rating differs from the stored one. Amounts in units of 0.0001. */
export interface Rerated {
  readonly id: number
  readonly destination_number: string
  readonly started_at: Timestamp
  readonly old: RatingInBrief
  readonly new: RatingInBrief
  /** True if the old cost does not follow from the rate kept with the call: somebody has edited it. */
  readonly editedByHand: boolean
}

export interface RerateOptions {
  readonly dryRun: boolean
  /** The most changes that the result holds. */
  readonly sample: number
  readonly onChanges?: (changes: readonly Rerated[]) => Promise<void>
  readonly by?: Actor
  /** Once it aborts, nobody needs the result: a dry run may then reject with its reason. */
  readonly signal?: AbortSignal
}

export interface RerateResult {
  readonly examined: number
  readonly changed: number
  readonly oldCost: number
  readonly newCost: number
  readonly stillUnrated: number
  /** Of the changed calls, those whose cost was edited by hand. */
  readonly editedByHand: number
  /** Calls that were not examined, since their deck is no longer kept. */
  readonly withoutDeck: number
  /** The first changes. */
  readonly changes: readonly Rerated[]
}

/** What a call was rated by. Amounts in units of 0.0001; null if no rate applied. */
export interface KeptRating {
  readonly direction: Direction
  readonly outcome: Outcome
  readonly prefix: string | null
  readonly cost_per_minute: number | null
  readonly billing_increment: number | null
  readonly bill_seconds: number
  readonly cost: number
  /** When a later rating replaced it; null for the current one. */
  readonly replaced_at: Timestamp | null
}

export const USAGE_GROUPS = ['day', 'destination', 'extension', 'direction'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

export interface UsageLine {
  /** The day, destination, extension number or direction; null for the total. */
  readonly group: string | null
  readonly calls: number
  readonly answered: number
  /** Of answered calls. */
  readonly seconds: number
  readonly bill_seconds: number
  /** Units of 0.0001. */
  readonly cost: number
  /** Calls that no rate matched, or whose cost by the matching one is too large. */
  readonly unrated: number
}

/** A called number, and the prefix of the rate that billed the call. */
export interface RatedNumber {
  readonly number: string
  readonly prefix: string
}

/** Stores and rates switches' calls, and reports on them. */
export interface Calls {
  /** Returns how many records to store at a time: few, while others write as well. */
  batchSize(): number
  /**
   * Rates and stores a batch, with the place reached, in one transaction. Skips calls already stored (the same switch
   * and call id, however they arrived). Quarantines unusable records, and calls with the id of a different call;
   * throws `conflict`, and stores nothing, if quarantine is full.
   */
  store(feed: Feed, records: readonly SwitchRecord[], place: FeedPlace | null): Promise<IngestCounts>
  place(feed: string): Promise<FeedPlace | null>
  quarantine(): AsyncIterable<Quarantined>
  quarantineCount(): Promise<number>
  /**
   * Takes records out of quarantine whose causes are gone, in one transaction; the others stay, with the rules last
   * used and the reason. Returns how many left.
   */
  replay(retries: readonly Retry[]): Promise<number>
  /** Deletes quarantined records for good, noting their beginnings in the audit trail; returns how many there were. */
  discard(ids: readonly number[]): Promise<number>
  /** Returns what the tenant's calls are rated by that start at one moment, or from that moment to `last`. */
  catalog(tenantId: number, first: Timestamp, last?: Timestamp): Promise<Catalog>
  /**
   * Rates stored calls again by the rates in force when they started, as those rates are now. Unless `dryRun`, stores
   * the outcome in one transaction and keeps the former ratings. Passes every change to `onChanges` and awaits it,
   * some thousand at a time, so that they need not be held: as they are found in a dry run, otherwise once they are
   * stored.
   */
  rerate(query: RerateQuery, options: RerateOptions): Promise<RerateResult>
  /** Returns the ratings of a call, the current one last; none if no switch delivered the call. */
  ratings(cdrId: number): Promise<readonly KeptRating[]>
  /** Returns the ids of the rates that calls of the period were rated by. */
  usedRates(tenantId: number, period: Period): Promise<ReadonlySet<number>>
  /** Returns where the period's unrated calls went, how many there were, and their seconds. */
  unratedDestinations(tenantId: number, period: Period): Promise<readonly UnratedCalls[]>
  /** Yields the destinations of these tenants' unrated calls, one per call, some at a time. */
  unratedOf(
    tenantIds: readonly number[],
  ): AsyncIterable<readonly { readonly tenantId: number; readonly number: string }[]>
  /** Returns the numbers and rate prefixes of at most so many of a tenant's newest rated calls of the period. */
  newestRated(tenantId: number, period: Period, most: number): Promise<readonly RatedNumber[]>
  /** Returns the number of unrated calls of all tenants. */
  unratedCount(): Promise<number>
  /** Adds up a tenant's calls. May reject with the signal's reason once that aborts. */
  usage(
    tenantId: number,
    days: readonly ({ readonly day: string } & Period)[],
    by: UsageGroup | null,
    signal?: AbortSignal,
  ): Promise<UsageLine[]>
}
