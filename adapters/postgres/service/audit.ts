import { type Actor, type AuditAction, type AuditEntry, type Changes, SECURITY_ACTIONS } from '../../../core/audit.ts'
import type { Audit, AuditFilter } from '../../../core/ports/audit.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { resources } from '../../../core/resources/all.ts'
import { isNamed } from '../../../core/resources/resource.ts'
import type { Database } from '../database/database.ts'
import type { LongReads } from '../database/long-reads.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql, where } from '../database/sql.ts'
import { nameSql } from '../records/record-names.ts'

/** Notes a change in the transaction that makes it. */
export interface AuditTrail {
  /** Note a deletion before it happens: the trail reads the name of the record. */
  note(
    within: Queries,
    action: AuditAction,
    resource: string,
    recordId: number | null,
    changes: Changes,
    by?: Actor,
  ): Promise<void>
  /** The time, the actor and the origin. */
  signed(by?: Actor): { readonly at: string; readonly actor: string; readonly origin: string }
}

/** By resource with names: a query for the name of the record with an id. */
const NAMES: ReadonlyMap<string, (id: string) => string> = new Map([
  ...resources.filter(isNamed).map(each => [each.name, (id: string) => nameSql(each, id)] as const),
  ['accounts', id => `(SELECT email FROM accounts WHERE id = ${id})`],
])

export const AUDIT_COLUMNS = 'at, actor, origin, action, resource, changes, record_id, record_name'

export function auditTrail(clock: Clock, fallback: Actor): AuditTrail {
  const signed: AuditTrail['signed'] = (by = fallback) => ({ at: clock.now(), actor: by.name, origin: by.origin })
  return {
    signed,
    note: async (within, action, resource, recordId, changes, by) => {
      const { at, actor, origin } = signed(by)
      const name = raw(NAMES.get(resource)?.('n.id') ?? 'NULL')
      await within.run(sql`INSERT INTO audit (${raw(AUDIT_COLUMNS)})
        SELECT ${at}, ${actor}, ${origin}, ${action}, ${resource}, ${JSON.stringify(changes)}, n.id, ${name}
        FROM (SELECT ${recordId}::bigint AS id) n`)
    },
  }
}

interface AuditRow extends Omit<AuditEntry, 'changes'> {
  readonly changes: string
}

const PAGE = 500
/** Approximate number of characters of changes read at once. */
const PIECE = 256 * 1024
const AT_ONCE = 100

/** The condition of the index `audit_security`. */
const SECURITY = raw(
  `(action IN (${SECURITY_ACTIONS.map(action => `'${action}'`).join()}) OR resource = 'accounts' OR (resource IN ('sms_gateways','trunks') AND action = 'update') OR resource = 'trunk_routes')`,
)

const COLUMNS = raw('id, at, actor, origin, action, resource, record_id, changes, record_name')

const entry = (row: AuditRow): AuditEntry => ({ ...row, changes: JSON.parse(row.changes) })

export function audit(database: Database, trail: AuditTrail): Audit {
  return {
    note: (action, resource, recordId, changes, by) =>
      database.write(within => trail.note(within, action, resource, recordId, changes, by)),
    latest: async () => (await database.value<number | null>(sql`SELECT max(id) FROM audit`)) ?? 0,
    securityAfter: async id =>
      (
        await database.rows<AuditRow>(
          sql`SELECT ${COLUMNS} FROM audit WHERE id > ${id} AND ${SECURITY} ORDER BY id LIMIT ${raw(String(AT_ONCE))}`,
        )
      ).map(entry),
    list: (filter, signal) => entries(database.until(signal), filter),
  }
}

async function* entries({ planned }: LongReads, filter: AuditFilter): AsyncIterable<AuditEntry> {
  const conditions = conditionsOf(filter)
  let before = filter.before ?? Number.MAX_SAFE_INTEGER
  for (;;) {
    const page = sql`SELECT ${COLUMNS}, sum(length(changes)) OVER (ORDER BY id DESC) - length(changes) AS above FROM audit
      ${where([...conditions, sql`id < ${before}`])} ORDER BY id DESC LIMIT ${raw(String(PAGE))}`
    const rows = await planned.rows<AuditRow & { readonly above: string }>(
      sql`SELECT * FROM (${page}) p WHERE above < ${raw(String(PIECE))} ORDER BY id DESC`,
    )
    for (const { above: _, ...row } of rows) yield entry(row)
    const last = rows.at(-1)
    if (!last) return
    before = last.id
  }
}

function conditionsOf({ from, to, actor, action, resource, security, recordId, recordName }: AuditFilter): Sql[] {
  const equals = (name: string, value: string | number | undefined): Sql[] =>
    value === undefined ? [] : [sql`${raw(name)} = ${value}`]
  const record = [...equals('record_id', recordId), ...equals('record_name', recordName)]
  const [one, other] = record
  return [
    ...[sql`at >= ${from}`, sql`at < ${to}`],
    ...[...equals('actor', actor), ...equals('action', action), ...equals('resource', resource)],
    ...(security ? [SECURITY] : []),
    ...(one && other ? [sql`(${one} OR ${other})`] : record),
  ]
}
