import type { Actor, AuditAction, AuditEntry, Changes } from '../audit.ts'
import type { Period } from '../rating/period.ts'

export interface AuditFilter extends Period {
  /** Only what is done to accounts, changes of gateways, and what `SECURITY_ACTIONS` names. */
  readonly security?: boolean
  readonly actor?: string
  readonly action?: AuditAction
  readonly resource?: string
  /** The record of this id, or one that had this name; of both where both are given. */
  readonly recordId?: number
  readonly recordName?: string
  /** Only entries that are older than the one of this id. */
  readonly before?: number
}

export interface Audit {
  /** The changes that fit, the latest first. */
  list(filter: AuditFilter): AsyncIterable<AuditEntry>
  /** Notes what changes no record, or was done to one elsewhere. */
  note(action: AuditAction, resource: string, recordId: number | null, changes: Changes, by?: Actor): Promise<void>
  /** Those of security after the entry of that id, the earliest first; at most 100. */
  securityAfter(id: number): Promise<AuditEntry[]>
  /** The id of the latest entry; 0 without any. */
  latest(): Promise<number>
}
