import { type Actor, type AuditAction, type AuditEntry, type Changes, ITSELF, isOfSecurity } from '../../core/audit.ts'
import type { Timestamp } from '../../core/dates.ts'
import type { Audit, AuditFilter } from '../../core/ports/audit.ts'
import type { Clock } from '../../core/ports/system.ts'
import { type Journal, Table } from './tables.ts'

export interface Trail {
  readonly audit: Audit
  /** Notes a change in progress; note a deletion before it happens, since the trail reads the record's name. */
  note(action: AuditAction, resource: string, recordId: number | null, changes: Changes, by?: Actor): void
  /** Deletes entries before that moment; returns how many. */
  forget(before: Timestamp): number
}

const SECURITY_AT_ONCE = 100

/** `nameOf` returns the name by which a person knows a record; null if it has none. */
export function trail(journal: Journal, clock: Clock, nameOf: (resource: string, id: number) => string | null): Trail {
  const table = new Table<AuditEntry>(journal)
  const all = (): AuditEntry[] => table.entries().map(([, entry]) => entry)
  const note: Trail['note'] = (action, resource, record_id, changes, by = ITSELF) => {
    const record_name = record_id === null ? null : nameOf(resource, record_id)
    table.add(id => ({
      ...{ id, at: clock.now(), actor: by.name, origin: by.origin, action, resource, record_id, record_name },
      changes: JSON.parse(JSON.stringify(changes)),
    }))
  }
  return {
    note,
    forget: before => {
      const old = all().filter(({ at }) => at < before)
      for (const { id } of old) table.delete(id)
      return old.length
    },
    audit: {
      note: async (...noted) => journal.atomically(() => note(...noted)),
      latest: async () => all().at(-1)?.id ?? 0,
      securityAfter: async after =>
        all()
          .filter(entry => entry.id > after && isOfSecurity(entry))
          .slice(0, SECURITY_AT_ONCE),
      list: async function* (filter) {
        yield* all()
          .filter(entry => fits(entry, filter))
          .reverse()
      },
    },
  }
}

const fits = (
  entry: AuditEntry,
  { from, to, security, actor, action, resource, recordId, recordName, before }: AuditFilter,
) =>
  (before === undefined || entry.id < before) &&
  entry.at >= from &&
  entry.at < to &&
  (!security || isOfSecurity(entry)) &&
  [entry.actor, undefined].includes(actor) &&
  [entry.action, undefined].includes(action) &&
  [entry.resource, undefined].includes(resource) &&
  ((recordId === undefined && recordName === undefined) ||
    (recordId !== undefined && entry.record_id === recordId) ||
    (recordName !== undefined && entry.record_name === recordName))
