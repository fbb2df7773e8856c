import type { Resource, Row } from '../../../core/resources/resource.ts'
import type { AuditTrail } from '../service/audit.ts'

/** A record to store, and what the audit trail keeps of it. */
export interface NewRecord {
  readonly values: Row
  readonly now: string
  readonly signed: ReturnType<AuditTrail['signed']>
}

/** The values that are stored, without the id. */
export const storedRow = ({ timestamps }: Resource, { values, now }: NewRecord): Row =>
  timestamps ? { ...values, created_at: now, updated_at: now } : values
