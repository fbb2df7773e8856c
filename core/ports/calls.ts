import type { CompletedCall, SourceFormat } from '../calls/completed-call.ts'
import type { Catalog, FeedRules } from '../calls/record-call.ts'
import type { Timestamp } from '../dates.ts'
import type { UnratedCalls } from '../rating/check-deck.ts'
import type { Outcome } from '../rating/outcome.ts'
import type { Period } from '../rating/period.ts'
import type { Direction } from '../rating/rate-call.ts'

/** One record of a switch, read or not. */
export type SwitchRecord =
  | { readonly call: CompletedCall }
  | { readonly format: SourceFormat; readonly raw: string; readonly reason: string }

/** How far a feed was read: what the file is known by again, and the byte after the last record stored. */
export interface FeedPlace {
  readonly mark: string
  readonly position: number
}

export interface Feed {
  /** What its place is kept under: the path as it was given. */
  readonly name: string
  readonly rules: FeedRules
}

/** The outcome of the records of one batch. */
export interface IngestCounts {
  readonly stored: number
  /** Had been stored before. */
  readonly known: number
  readonly quarantined: number
  /** Legs of calls that have a record of their own. */
  readonly legs: number
  /** Of those stored: outgoing, answered, and without a cost, since no rate matched or the cost is too large. */
  readonly unrated: number
}

/** What is to be taken in of a switch, beside its file, folder or stream. */
export interface Ingest {
  readonly feed: Feed
  readonly format: SourceFormat | 'auto'
  /** Called after each batch with the sum so far. */
  readonly onProgress?: (counts: IngestCounts) => void
  /** Called with each entry of a folder whose records are not told to be in the format, or with why it cannot be read. */
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

/** A record of the quarantine, and what it is read as now. */
export interface Retry {
  readonly quarantined: Pick<Quarantined, 'id' | 'feed' | 'rules'>
  readonly record: SwitchRecord
}

export interface RerateQuery extends Period {
  readonly tenantId: number
  /** Only calls that no rate matched, or one by which the cost is too large: those that are `unrated`. */
  readonly unratedOnly: boolean
}

export interface RatingInBrief {
  readonly cost: number
  readonly billSeconds: number
  readonly prefix: string | null
  readonly direction: Direction
}

/** A call whose rating comes out otherwise than it is stored. Amounts in units of 0.0001. */
export interface Rerated {
  readonly id: number
  readonly destination_number: string
  readonly started_at: Timestamp
  readonly old: RatingInBrief
  readonly new: RatingInBrief
  /** True when the old cost is not what the rate that was kept with the call makes: somebody has edited it. */
  readonly editedByHand: boolean
}

export interface RerateOptions {
  readonly dryRun: boolean
  /** How many changes the result holds at most. */
  readonly sample: number
  readonly onChanges?: (changes: readonly Rerated[]) => Promise<void>
}

export interface RerateResult {
  readonly examined: number
  readonly changed: number
  readonly oldCost: number
  readonly newCost: number
  readonly stillUnrated: number
  /** Of those that change, how many had a cost that was edited by hand. */
  readonly editedByHand: number
  /** Calls that were not examined, since the deck of their time is no longer kept. */
  readonly withoutDeck: number
  /** The first of those that change. */
  readonly changes: readonly Rerated[]
}

/** What a call was rated by. Amounts in units of 0.0001; null where no rate applied. */
export interface KeptRating {
  readonly direction: Direction
  readonly outcome: Outcome
  readonly prefix: string | null
  readonly cost_per_minute: number | null
  readonly billing_increment: number | null
  readonly bill_seconds: number
  readonly cost: number
  /** When it was rerated; null for the rating that holds. */
  readonly replaced_at: Timestamp | null
}

export const USAGE_GROUPS = ['day', 'destination', 'extension', 'direction'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

export interface UsageLine {
  /** The day, destination, extension number or direction; null for the whole. */
  readonly group: string | null
  readonly calls: number
  readonly answered: number
  /** Of the answered ones. */
  readonly seconds: number
  readonly bill_seconds: number
  /** Units of 0.0001. */
  readonly cost: number
  /** Calls that no rate matched, or one by which the cost is too large. */
  readonly unrated: number
}

/** A number that was called, and the prefix of the rate that its call was billed by. */
export interface RatedNumber {
  readonly number: string
  readonly prefix: string
}

/** Calls that switches hand over, their rating, and reports about them. */
export interface Calls {
  /** How many records to store at a time, for one who does nothing else meanwhile: few while others write as well. */
  batchSize(): number
  /**
   * Rates and stores a batch and the place reached, in one transaction. A call that is there already (the same switch
   * and call id, whichever way it came) is not stored again; what cannot be used goes to quarantine (throws `conflict`, and
   * stores nothing, when that is full), and so does a call
   * with the id of another.
   */
  store(feed: Feed, records: readonly SwitchRecord[], place: FeedPlace | null): Promise<IngestCounts>
  place(feed: string): Promise<FeedPlace | null>
  quarantine(): AsyncIterable<Quarantined>
  quarantineCount(): Promise<number>
  /**
   * Takes records out of quarantine, once their causes are gone, in one transaction; those that cannot be used yet stay,
   * with what they were read by and the reason. Returns how many could be.
   */
  replay(retries: readonly Retry[]): Promise<number>
  /** Deletes records from the quarantine for good, with their beginnings in the audit trail; returns how many there were. */
  discard(ids: readonly number[]): Promise<number>
  /** What the tenant's calls of that moment are rated by. */
  catalog(tenantId: number, moment: Timestamp): Promise<Catalog>
  /**
   * Rates stored calls again by the rates in force when they started, as those are now; unless `dryRun`, stores the
   * outcome in one transaction and keeps what was. `onChanges` is handed every change, some thousand at a time, of a dry run as they are found, else once they
   * are stored; it is awaited, so that they need not be held.
   */
  rerate(query: RerateQuery, options: RerateOptions): Promise<RerateResult>
  /** How a call was rated, the rating that holds being the last; none of a call that no switch handed over. */
  ratings(cdrId: number): Promise<readonly KeptRating[]>
  /** Ids of the rates that calls of the period were rated by. */
  usedRates(tenantId: number, period: Period): Promise<ReadonlySet<number>>
  /** Where the period's unrated calls went to, for how many seconds, and how many of them. */
  unratedDestinations(tenantId: number, period: Period): Promise<readonly UnratedCalls[]>
  /** The destinations of these tenants' unrated calls, one per call, some at a time. */
  unratedOf(
    tenantIds: readonly number[],
  ): AsyncIterable<readonly { readonly tenantId: number; readonly number: string }[]>
  /** The numbers of those of a tenant's newest calls of the period, so many at most, that a rate was found for, and its prefix. */
  newestRated(tenantId: number, period: Period, most: number): Promise<readonly RatedNumber[]>
  /** How many calls are unrated, of all tenants. */
  unratedCount(): Promise<number>
  usage(
    tenantId: number,
    days: readonly ({ readonly day: string } & Period)[],
    by: UsageGroup | null,
  ): Promise<UsageLine[]>
}
