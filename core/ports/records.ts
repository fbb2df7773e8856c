import type { Actor } from '../audit.ts'
import type { FieldErrors } from '../errors.ts'
import type { Period } from '../rating/period.ts'
import type { Resource, Row } from '../resources/resource.ts'

/** JSON text, made by the storage in the form that the API shows. */
export type Json = string

/** Which records of a resource to select. */
export interface Selection {
  /** Only records whose fields hold these values, or one of several. */
  readonly where?: Readonly<Record<string, string | number | readonly (string | number)[]>>
  /** Only records that belong to this tenant, themselves or by what they point to. */
  readonly tenantId?: number
  /** Only records of this time, by what the resource's order goes by, which must be a date. */
  readonly period?: Period
  /** Only records whose fields hold these values or larger ones. */
  readonly atLeast?: Readonly<Record<string, number>>
  /** Only calls that are unrated; see `isUnrated`. For resources that `isRated` is true of. */
  readonly unrated?: true
}

/** Another order than the resource's, by a field that `sortable` names, then by id. */
export interface Sort {
  readonly by: string
  /** The smallest or earliest first? */
  readonly isAscending: boolean
}

export interface PageQuery extends Selection {
  /** plain: the record's own fields; list: with what a list embeds. */
  readonly view: 'plain' | 'list'
  /** Only records that contain this text in a searched field, in any case. */
  readonly search?: string
  readonly sort?: Sort
  /** Only what comes after the record with this id, in the order of the list. */
  readonly after?: number
  /** At most this many records. */
  readonly limit?: number
  /** Once aborted, nothing more is read: the list rejects with its reason. */
  readonly signal?: AbortSignal
}

export interface Page {
  /** The records' JSON objects, separated by commas; empty when there are none. */
  readonly json: Json
  readonly count: number
  /** False when another page may follow. */
  readonly isLast: boolean
  /** With a limit, the id that the next list comes after when more records follow, the same in each page; else null. */
  readonly next: number | null
}

/**
 * The stored records of every declared resource. Changes are noted in the audit trail as made `by` somebody, or by the
 * program itself.
 */
export interface Records {
  /**
   * The records in the order that is asked for, page by page, each read when it is asked for; one page without any when there
   * are none, and no other such. A page holds some hundred records, or fewer where they are large.
   * Throws `invalid` on `after` when no record of that id shows the place.
   */
  list(resource: Resource, query: PageQuery): AsyncIterable<Page>
  /** The record as its single view shows it, long arrays apart (`many` in `single`); null when there is none. */
  show(resource: Resource, id: number): Promise<Json | null>
  /** The stored values, secrets included; null when there is none. */
  find(resource: Resource, id: number): Promise<Row | null>
  /** The ids (at most 2) of the records that hold these values. */
  identify(resource: Resource, where: Row): Promise<number[]>
  /** How many records hold these values. */
  count(resource: Resource, where: Row): Promise<number>
  /** How many records a selection has, but no more than `most`; see `PageQuery.signal`. */
  countUpTo(resource: Resource, selection: Selection, most: number, signal?: AbortSignal): Promise<number>
  /** Sentences on references, uniqueness and limits that these values break; `id` is the record they are for. */
  violations(resource: Pick<Resource, 'name' | 'fields' | 'unique'>, values: Row, id?: number): Promise<FieldErrors>
  /** Stores a new record and returns its plain view. Throws `invalid` on what `violations` tells. */
  insert(resource: Resource, values: Row, by?: Actor): Promise<Json>
  /**
   * Changes the named fields, to these values or to what they become of the stored ones, and returns the plain view.
   * Throws `not_found`, `invalid`.
   */
  update(resource: Resource, id: number, values: Row | ((stored: Row) => Row), by?: Actor): Promise<Json>
  /** Do so many records refer to it that its deletion takes long? */
  isWidelyReferredTo(resource: Resource, id: number): Promise<boolean>
  /**
   * Deletes a record. Throws `not_found`, and `conflict` with the dependants' counts when others restrict it, unless
   * `cascade` deletes them too.
   */
  remove(resource: Resource, id: number, options: { readonly cascade: boolean }, by?: Actor): Promise<void>
}

/** What accounts are served with: see `confinedRecords`. */
export type ServedRecords = Omit<Records, 'identify' | 'count' | 'isWidelyReferredTo'>
