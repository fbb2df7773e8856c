import type { AuditAction, AuditEntry } from '../audit.ts'
import type { Period } from '../rating/period.ts'

export interface AuditFilter extends Period {
  readonly actor?: string
  readonly action?: AuditAction
  readonly resource?: string
  /** The record of this id, or one that had this name; of both where both are given. */
  readonly recordId?: number
  readonly recordName?: string
}

export interface Audit {
  /** The changes that fit, the latest first. */
  list(filter: AuditFilter): AsyncIterable<AuditEntry>
}
