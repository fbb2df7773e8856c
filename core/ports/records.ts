import type { Actor } from '../audit.ts'
import type { FieldErrors } from '../errors.ts'
import type { Period } from '../rating/period.ts'
import type { Resource, Row } from '../resources/resource.ts'

/** JSON text made by the storage, in the API's form. */
export type Json = string

/** Which records of a resource to select. */
export interface Selection {
  /** Only records whose fields hold these values, or one of several. */
  readonly where?: Readonly<Record<string, string | number | readonly (string | number)[]>>
  /** Only records that belong to this tenant, directly or through what they point to. */
  readonly tenantId?: number
  /** Only records of this period, by the field that orders the resource, which must be a date. */
  readonly period?: Period
  /** Only records whose fields hold at least these values. */
  readonly atLeast?: Readonly<Record<string, number>>
  /** Only unrated calls; see `isUnrated`. For resources for which `isRated` holds. */
  readonly unrated?: true
}

/** Sorts by a field that `sortable` names, then by id, instead of the resource's own order. */
export interface Sort {
  readonly by: string
  /** Smallest or earliest first. */
  readonly isAscending: boolean
}

export interface PageQuery extends Selection {
  /** plain: the record's own fields; list: also what a list embeds. */
  readonly view: 'plain' | 'list'
  /** Only records that contain this text in a searched field, ignoring case. */
  readonly search?: string
  readonly sort?: Sort
  /** Only records that follow the one with this id, in the order of the list. */
  readonly after?: number
  /** At most this many records. */
  readonly limit?: number
  /** Aborting it stops the list, which rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface Page {
  /** The records' JSON objects, separated by commas; empty if there are none. */
  readonly json: Json
  readonly count: number
  /** False if another page may follow. */
  readonly isLast: boolean
  /**
   * With a limit: the id to pass as `after` for the next list, the same in each page; null if no more records follow.
   */
  readonly next: number | null
}

/**
 * The stored records of every declared resource. The audit trail notes each change as made `by` somebody, or by the
 * program itself.
 */
export interface Records {
  /**
   * Yields the records in the requested order, page by page, each read when asked for; a single empty page if there
   * are none. A page holds some hundred records, fewer if they are large. Throws `invalid` on `after` if no record has
   * that id.
   */
  list(resource: Resource, query: PageQuery): AsyncIterable<Page>
  /**
   * Returns the record as its single view shows it, without long arrays (`many` in `single`); null if there is none.
   */
  show(resource: Resource, id: number): Promise<Json | null>
  /** Returns the stored values, secrets included; null if there is none. */
  find(resource: Resource, id: number): Promise<Row | null>
  /** Returns the ids (at most 2) of the records that hold these values. */
  identify(resource: Resource, where: Row): Promise<number[]>
  /** Returns the number of records that hold these values. */
  count(resource: Resource, where: Row): Promise<number>
  /** Counts the records of a selection, up to `most`; see `PageQuery.signal`. */
  countUpTo(resource: Resource, selection: Selection, most: number, signal?: AbortSignal): Promise<number>
  /**
   * Returns the errors on references, uniqueness and limits that these values cause; `id` is the record they are for.
   */
  violations(resource: Pick<Resource, 'name' | 'fields' | 'unique'>, values: Row, id?: number): Promise<FieldErrors>
  /** Stores a new record and returns its plain view. Throws `invalid` with what `violations` returns. */
  insert(resource: Resource, values: Row, by?: Actor): Promise<Json>
  /**
   * Changes the named fields, to these values or to what the function returns for the stored ones, and returns the
   * plain view. Throws `not_found`, `invalid`.
   */
  update(resource: Resource, id: number, values: Row | ((stored: Row) => Row), by?: Actor): Promise<Json>
  /**
   * Changes several records in one transaction, or none. Throws `invalid` with the errors of every record that cannot
   * be changed, each under the record's id as its field.
   */
  updateAll(
    resource: Resource,
    ids: readonly number[],
    change: (stored: Row, id: number) => Row,
    by?: Actor,
  ): Promise<void>
  /** True if so many records refer to it that deleting it takes long. */
  isWidelyReferredTo(resource: Resource, id: number): Promise<boolean>
  /**
   * Deletes a record. Throws `not_found`, and `conflict` with the dependants' counts if others restrict it, unless
   * `cascade` deletes them too.
   */
  remove(resource: Resource, id: number, options: { readonly cascade: boolean }, by?: Actor): Promise<void>
}

/** The part of the port that serves accounts: see `confinedRecords`. */
export type ServedRecords = Omit<Records, 'identify' | 'count' | 'isWidelyReferredTo'>
