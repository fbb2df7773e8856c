import { type Actor, type AuditAction, type AuditEntry, type Changes, SECURITY_ACTIONS } from '../../../core/audit.ts'
import type { Audit, AuditFilter } from '../../../core/ports/audit.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { resources } from '../../../core/resources/all.ts'
import { isNamed } from '../../../core/resources/resource.ts'
import type { Bound } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import { keySetPages } from '../database/key-set.ts'
import type { Writer } from '../database/writer.ts'
import { nameSql } from '../records/record-names.ts'

/** Notes a change in the same transaction. */
export interface AuditTrail {
  /**
   * The entry keeps the record's name, so note a deletion before making it. `recordId` last: the record that this
   * transaction just inserted; null: none.
   */
  note(action: AuditAction, resource: string, recordId: number | 'last' | null, changes: Changes, by?: Actor): void
}

/** The SQL of a record's name by its id, for everything that has names. */
const NAMES: ReadonlyMap<string, (id: string) => string> = new Map([
  ...resources.filter(isNamed).map(each => [each.name, (id: string) => nameSql(each, id)] as const),
  ['accounts', id => `(SELECT email FROM accounts WHERE id = ${id})`],
])

export function auditTrail({ query }: Connection, clock: Clock, fallback: Actor): AuditTrail {
  const insertSql = (resource: string, id: string): string =>
    `INSERT INTO audit (at, actor, origin, action, resource, changes, record_id, record_name)
     VALUES (?, ?, ?, ?, ?, ?, ${id}, ${NAMES.get(resource)?.(id) ?? 'NULL'})`
  return {
    note: (action, resource, recordId, changes, by = fallback) => {
      const bound = [clock.now(), by.name, by.origin, action, resource, JSON.stringify(changes)]
      const isBound = typeof recordId === 'number'
      const id = recordId === 'last' ? 'last_insert_rowid()' : isBound ? '?' : 'NULL'
      const ids = !isBound ? [] : NAMES.has(resource) ? [recordId, recordId] : [recordId]
      query<Bound[], unknown>(insertSql(resource, id)).run(...bound, ...ids)
    },
  }
}

interface AuditRow extends Omit<AuditEntry, 'changes'> {
  readonly changes: string
}

const PAGE = 500

/** The condition of the index `audit_security`. */
const SECURITY = `(action IN (${SECURITY_ACTIONS.map(action => `'${action}'`).join()}) OR resource = 'accounts' OR (resource IN ('sms_gateways','trunks') AND action = 'update') OR resource = 'trunk_routes')`
const AT_ONCE = 100

const entry = (row: AuditRow): AuditEntry => ({ ...row, changes: JSON.parse(row.changes) })

export function audit({ query, value }: Connection, writer: Writer, trail: AuditTrail): Audit {
  return {
    note: (...noted) => writer.write(() => trail.note(...noted)),
    latest: async () => value<[], number>('SELECT max(id) FROM audit').get() ?? 0,
    securityAfter: async id =>
      query<[number], AuditRow>(`SELECT * FROM audit WHERE id > ? AND ${SECURITY} ORDER BY id LIMIT ${AT_ONCE}`)
        .all(id)
        .map(entry),
    list: async function* (filter: AuditFilter, signal?: AbortSignal) {
      const fields = Object.entries({
        'actor = ?': filter.actor,
        'action = ?': filter.action,
        'resource = ?': filter.resource,
      }).filter(([, value]) => value !== undefined)
      const record = Object.entries({ 'record_id = ?': filter.recordId, 'record_name = ?': filter.recordName }).filter(
        ([, value]) => value !== undefined,
      )
      const conditions = [
        ...fields.map(([condition]) => condition),
        ...(filter.security ? [SECURITY] : []),
        ...(record.length > 0 ? [`(${record.map(([condition]) => condition).join(' OR ')})`] : []),
      ]
      const page = query<(string | number | undefined)[], AuditRow>(
        `SELECT * FROM audit WHERE id < ? AND at >= ? AND at < ?
         ${conditions.map(condition => `AND ${condition}`).join(' ')} ORDER BY id DESC LIMIT ${PAGE}`,
      )
      const bound = [filter.from, filter.to, ...[...fields, ...record].map(([, value]) => value)]
      const after = (last?: AuditRow) => page.iterate(last?.id ?? filter.before ?? Number.MAX_SAFE_INTEGER, ...bound)
      for (const rows of keySetPages<AuditRow>(PAGE, after, ({ changes }) => changes.length)) {
        signal?.throwIfAborted()
        yield* rows.map(entry)
      }
    },
  }
}
