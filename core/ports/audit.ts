import type { Actor, AuditAction, AuditEntry, Changes } from '../audit.ts'
import type { Period } from '../rating/period.ts'

export interface AuditFilter extends Period {
  /** Only changes of accounts, gateways, trunks and routes of calls, and `SECURITY_ACTIONS`. */
  readonly security?: boolean
  readonly actor?: string
  readonly action?: AuditAction
  readonly resource?: string
  /** Entries of the record with this id, or of those that had this name; of both if both are given. */
  readonly recordId?: number
  readonly recordName?: string
  /** Only entries older than the one with this id. */
  readonly before?: number
}

export interface Audit {
  /** Returns the matching entries, latest first. Rejects with the signal's reason once that aborts. */
  list(filter: AuditFilter, signal?: AbortSignal): AsyncIterable<AuditEntry>
  /** Notes something that changes no record here. */
  note(action: AuditAction, resource: string, recordId: number | null, changes: Changes, by?: Actor): Promise<void>
  /** Returns the security entries after the one with that id, earliest first; at most 100. */
  securityAfter(id: number): Promise<AuditEntry[]>
  /** Returns the id of the latest entry; 0 if there is none. */
  latest(): Promise<number>
}
