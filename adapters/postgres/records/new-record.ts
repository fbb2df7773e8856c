import type { Row } from '../../../core/resources/resource.ts'
import type { AuditTrail } from '../service/audit.ts'

/** A record to store, and what the audit trail keeps of it. */
export interface NewRecord {
  readonly values: Row
  readonly now: string
  readonly signed: ReturnType<AuditTrail['signed']>
}
