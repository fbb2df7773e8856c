import type { Changes } from '../audit.ts'
import type { Timestamp } from '../dates.ts'
import type { FieldErrors } from '../errors.ts'
import type { Value } from '../resources/field.ts'
import type { Resource, Row } from '../resources/resource.ts'
import type { Selection } from './records.ts'

/**
 * What happens to a row whose natural key a stored record has: insert rejects it, upsert updates the record, skip
 * leaves it out. replace: the rows are the whole new deck, see {@link Replacement}.
 */
export type ImportMode = 'insert' | 'upsert' | 'skip' | 'replace'

/** A tenant's deck, to be replaced as a whole. */
export interface Replacement {
  readonly tenantId: number
  /** When the new deck takes effect; null for now. */
  readonly effectiveAt: Timestamp | null
}

/** How far an import got. `input` identifies what was imported; `mark` is the importer's own. */
export interface ImportPlace {
  readonly input: string
  readonly mark: string
}

export interface BulkPlan {
  readonly resource: Resource
  /** The fields of each record, in this order. Fields in neither these nor `constants` take their default. */
  readonly columns: readonly string[]
  /** The values that all records share. */
  readonly constants: Row
  /** The tenant that every record must belong to, by its references. */
  readonly tenantId?: number
  /** True if values may be undefined: a new record then takes the default, and a stored one keeps its value. */
  readonly isSparse: boolean
  readonly mode: ImportMode
  /** Present in replace mode. */
  readonly replacement?: Replacement
  /** Whether one rejected row also keeps the others of its transaction out. */
  readonly onRejection: 'store nothing' | 'leave it out'
  /** Stores new records that share a natural key, where the API's rules allow that. */
  readonly allowDuplicates: boolean
  /** The mark kept for this input when the import began, even if the import starts over; null for none. */
  readonly formerMark: string | null
  /** The highest id when the import began, which may be before it was interrupted. */
  readonly before: number
  /** What else the audit trail notes of the import, such as the file. */
  readonly noted?: Changes
}

/** A record to be imported. */
export interface BulkRecord {
  /** The input's row number, ascending. Records of the same row are stored or rejected together. */
  readonly row: number
  /** The line where the row starts. */
  readonly line: number
  /** The row as read, handed back if it is rejected. */
  readonly raw: string | null
  /** Checked values, in the order of the plan's columns. */
  readonly values: readonly (Value | undefined)[]
}

/**
 * The values of one field in a few objects, which cost a tenth of separate values to keep and to pass between threads:
 * numbers with NaN for null; concatenated texts with the offset where each ends, complemented for null; or anything
 * else. See `packed` and `valueAt`.
 */
export type Column =
  | Float64Array
  | { readonly ends: Int32Array; readonly text: string }
  | { readonly values: readonly (Value | undefined)[] }

/** Records in columns. */
export interface BulkRecords {
  readonly count: number
  readonly rows: Column
  readonly lines: Column
  readonly raws: Column
  readonly values: readonly Column[]
}

export interface Rejection {
  readonly row: number
  readonly line: number
  readonly raw: string | null
  readonly errors: FieldErrors
}

/** `rejected` counts rows, the others count records. */
export interface BulkCounts {
  readonly created: number
  readonly updated: number
  /** In upsert and replace mode: records that already hold what their row says. */
  readonly unchanged: number
  /** In replace mode: records whose key no row has. */
  readonly removed: number
  readonly skipped: number
  readonly rejected: number
}

/**
 * Returns the place to keep with a batch. May be called early, as if every record were created, and again whenever
 * more of them are rejected.
 */
export type PlaceOf = (counts: BulkCounts, rejections: readonly Rejection[]) => ImportPlace | Promise<ImportPlace>

/**
 * Gathers records of one resource outside the database and stores them in one transaction, under the rules of
 * `Records.insert` and the plan.
 */
export interface BulkLoad {
  /** How many records to add at a time: few, while others write to the same storage. */
  readonly batchSize: number
  /** Adds records. While a batch is being stored, they belong to the next one. */
  add(records: readonly BulkRecords[]): Promise<void>
  /**
   * Returns what would happen to the rows, and writes nothing. Rows with a natural key stay, to be stored or checked
   * again. Rows without one, stored in batches, are used up as by `store`: the next check covers the next batch, and
   * takes the checked ones for stored.
   */
  check(): Promise<BulkCounts>
  /**
   * Stores what was added since the last call. For resources without a natural key, it stores the place too, unless a
   * rejection keeps everything out. Throws `conflict`, and stores nothing, if another import of the same input has
   * kept a mark since this one began, or if in replace mode (the only one to read `approved`) the outcome would
   * differ.
   */
  store(place: PlaceOf, approved?: BulkCounts): Promise<BulkCounts>
  /** Returns what the last `check` or `store` rejected, in order. */
  rejections(): AsyncIterable<Rejection>
  /** Discards what was added and not stored. */
  close(): Promise<void>
}

/** Imports and exports of many records. */
export interface Bulk {
  load(plan: BulkPlan): BulkLoad
  /** Returns the places stored for that resource. */
  places(resource: Resource): Promise<readonly ImportPlace[]>
  /** Returns the highest id of that resource; 0 if it has no record. */
  lastId(resource: Resource): Promise<number>
  /**
   * Yields all records in the order of creation, secrets included, some hundred at a time: the values of `fields`,
   * with the names of referenced records (see `NamedReference`). With a `period`, only the records in it, earliest
   * first.
   */
  dump(
    resource: Resource,
    fields: readonly string[],
    selection: Selection,
  ): AsyncIterable<readonly (readonly (string | number | null)[])[]>
  /**
   * Makes everything that `read` dumps a snapshot of one moment, whatever others write. Needs a connection of its own,
   * and little time: the storage keeps everything that is overwritten meanwhile. Once the signal aborts, dumps may
   * reject with its reason.
   */
  asOfNow<T>(read: (bulk: Pick<Bulk, 'dump'>) => Promise<T>, signal?: AbortSignal): Promise<T>
}
