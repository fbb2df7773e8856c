import type { Changes } from '../audit.ts'
import type { Timestamp } from '../dates.ts'
import type { FieldErrors } from '../errors.ts'
import type { Value } from '../resources/field.ts'
import type { Resource, Row } from '../resources/resource.ts'
import type { Selection } from './records.ts'

/**
 * What becomes of a row whose natural key a stored record has: refused, changes that record, or left out. replace: the
 * rows are all that there is to be, see {@link Replacement}.
 */
export type ImportMode = 'insert' | 'upsert' | 'skip' | 'replace'

/** A tenant's deck that is to be replaced as a whole. */
export interface Replacement {
  readonly tenantId: number
  /** When the new one takes effect; null for now. */
  readonly effectiveAt: Timestamp | null
}

/** How far an import has come. `input` tells one input from another, `mark` is the importer's own. */
export interface ImportPlace {
  readonly input: string
  readonly mark: string
}

export interface BulkPlan {
  readonly resource: Resource
  /** The fields that each record holds, in this order. What is in neither these nor `constants` takes its default. */
  readonly columns: readonly string[]
  /** What all records have in common. */
  readonly constants: Row
  /** The tenant that all must belong to, by what they point to. */
  readonly tenantId?: number
  /** May values be undefined? That is the default in a new record, and leaves a stored one as it is. */
  readonly isSparse: boolean
  readonly mode: ImportMode
  /** With the mode replace. */
  readonly replacement?: Replacement
  /** What one rejected row means for the others of its transaction. */
  readonly onRejection: 'store nothing' | 'leave it out'
  /** Keeps new records whose natural key another has too, where the rules of the API allow that. */
  readonly allowDuplicates: boolean
  /** The mark that was kept of this input when the import began, whether it goes on from there or not; null for none. */
  readonly formerMark: string | null
  /** The highest id there was when the import began, which may have been before it was interrupted. */
  readonly before: number
  /** What the audit trail is to tell of the records besides their number, such as the file they come from. */
  readonly noted?: Changes
}

/** A record on its way in. */
export interface BulkRecord {
  /** Numbers the rows of the input, upwards. Records of the same row stand or fall together. */
  readonly row: number
  /** The line where that row starts. */
  readonly line: number
  /** The row as it came, handed back when it is rejected. */
  readonly raw: string | null
  /** Checked values, in the order of the plan's columns. */
  readonly values: readonly (Value | undefined)[]
}

/**
 * The values of one field in few objects, which cost a tenth of what as many values do to pass between threads and to
 * keep: numbers, NaN being null; texts end to end, with where each ends, or the complement of that where it is null;
 * or any others. See `packed` and `valueAt`.
 */
export type Column =
  | Float64Array
  | { readonly ends: Int32Array; readonly text: string }
  | { readonly values: readonly (Value | undefined)[] }

/** Records field by field. */
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

/** `rejected` counts rows, the others records. */
export interface BulkCounts {
  readonly created: number
  readonly updated: number
  /** In upsert and replace mode: those that hold what their row says already. */
  readonly unchanged: number
  /** In replace mode: those that no row has the key of. */
  readonly removed: number
  readonly skipped: number
  readonly rejected: number
}

/**
 * The place to keep with a batch. It may be asked for ahead, as if every record were created, and is asked for again
 * whenever more of them turn out to be rejected.
 */
export type PlaceOf = (counts: BulkCounts, rejections: readonly Rejection[]) => ImportPlace | Promise<ImportPlace>

/**
 * Records of one resource that are gathered outside the database and stored in one transaction, under the rules of
 * `Records.insert` and the plan.
 */
export interface BulkLoad {
  /** How many records to add at a time. Where they are stored in batches: few while others write as well. */
  readonly batchSize: number
  /** While a batch is being stored, what is added is of the next. */
  add(records: readonly BulkRecords[]): Promise<void>
  /**
   * Returns what would become of the rows, and writes nothing. Rows with a natural key stay, to be stored or checked
   * again. Rows without one, which are stored in batches, are used up as by `store`: the next check is of the next
   * batch, and takes those that were checked for stored.
   */
  check(): Promise<BulkCounts>
  /**
   * Stores what was added since the last call. The place is kept with it, for resources without a natural key; not
   * when a rejection keeps all of it out. Throws `conflict`, and stores nothing, when another import of the same input
   * has kept a mark since this one began, or when in replace mode, which alone reads `approved`, something else would
   * come of it.
   */
  store(place: PlaceOf, approved?: BulkCounts): Promise<BulkCounts>
  /** What the last `check` or `store` rejected, in order. */
  rejections(): AsyncIterable<Rejection>
  /** Forgets what was added and not stored. */
  close(): Promise<void>
}

/** Many records at once. */
export interface Bulk {
  load(plan: BulkPlan): BulkLoad
  /** The places stored for that resource. */
  places(resource: Resource): Promise<readonly ImportPlace[]>
  /** The highest id of that resource; 0 where there is no record. */
  lastId(resource: Resource): Promise<number>
  /**
   * All records in the order they were made, secrets included, some hundred at a time: the values of `fields`, and
   * for a reference the name of the record it points to (see `NamedReference`). With a `period`, those of that time,
   * the earliest first.
   */
  dump(
    resource: Resource,
    fields: readonly string[],
    selection: Selection,
  ): AsyncIterable<readonly (readonly (string | number | null)[])[]>
}
