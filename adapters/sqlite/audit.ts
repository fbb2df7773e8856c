import type { Actor, AuditAction, AuditEntry, Changes } from '../../core/audit.ts'
import type { Audit, AuditFilter } from '../../core/ports/audit.ts'
import type { Clock } from '../../core/ports/system.ts'
import type { Connection } from './database.ts'
import { keySetPages } from './key-set.ts'

/** Notes a change within the transaction that makes it. */
export interface AuditTrail {
  /** `recordId` last: the record that this transaction has just inserted; null: none. */
  note(action: AuditAction, resource: string, recordId: number | 'last' | null, changes: Changes, by?: Actor): void
}

export function auditTrail({ query }: Connection, clock: Clock, fallback: Actor): AuditTrail {
  const insert = query<[string, string, string, string, string, number | null, string], unknown>(
    'INSERT INTO audit (at, actor, origin, action, resource, record_id, changes) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const insertLast = query<[string, string, string, string, string, string], unknown>(
    `INSERT INTO audit (at, actor, origin, action, resource, record_id, changes)
     VALUES (?, ?, ?, ?, ?, last_insert_rowid(), ?)`,
  )
  return {
    note: (action, resource, recordId, changes, by = fallback) => {
      const text = JSON.stringify(changes)
      if (recordId === 'last') insertLast.run(clock.now(), by.name, by.origin, action, resource, text)
      else insert.run(clock.now(), by.name, by.origin, action, resource, recordId, text)
    },
  }
}

interface AuditRow extends Omit<AuditEntry, 'changes'> {
  readonly changes: string
}

const PAGE = 500

export function audit({ query }: Connection): Audit {
  return {
    list: async function* (filter: AuditFilter) {
      const conditions = [
        ['actor', filter.actor],
        ['action', filter.action],
        ['resource', filter.resource],
        ['record_id', filter.recordId],
      ] as const
      const given = conditions.filter(([, value]) => value !== undefined)
      const page = query<(string | number | undefined)[], AuditRow>(
        `SELECT * FROM audit WHERE id < ? AND at >= ? AND at < ?
         ${given.map(([column]) => `AND ${column} = ?`).join(' ')} ORDER BY id DESC LIMIT ${PAGE}`,
      )
      const bound = [filter.from, filter.to, ...given.map(([, value]) => value)]
      for (const rows of keySetPages<AuditRow>(PAGE, last => page.all(last?.id ?? Number.MAX_SAFE_INTEGER, ...bound)))
        for (const row of rows) yield { ...row, changes: JSON.parse(row.changes) }
    },
  }
}
