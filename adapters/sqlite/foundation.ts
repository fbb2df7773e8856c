import type { Clock } from '../../core/ports/system.ts'
import type { Connection } from './database/database.ts'
import type { Writer } from './database/writer.ts'
import type { AuditTrail } from './service/audit.ts'

/** What the ports of one database that change records are built on. */
export interface Foundation {
  readonly connection: Connection
  readonly writer: Writer
  readonly clock: Clock
  /** Notes each change in the transaction that makes it. */
  readonly trail: AuditTrail
}
