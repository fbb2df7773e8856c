import type { Changed, SwitchChanges } from '../../../core/ports/switching.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'

const ALL_TENANTS = 0
/** If more calls are new than this, those of all tenants are looked at. */
const MOST_NEW = 10_000
/** Ids are committed out of order: what is this much older than the newest is no longer waited for. */
const LATE_MS = 60_000

interface ChangeRow {
  readonly tenant_id: number
  readonly changed_by: string
}

/** Follows the changes from the moment when it is made. */
export function switchChanges(database: Database): SwitchChanges {
  const records = recordChanges(database)
  const calls = newCalls(database)
  const next = async () => ({ records: await records(), calls: await calls() })
  const begun = next()
  // Whoever asks is told.
  begun.catch(() => undefined)
  return {
    next: async () => {
      await begun
      return next()
    },
  }
}

/**
 * Triggers note in which transaction a tenant's records were changed last. Transactions end in any order, so each look
 * begins at the oldest that was under way at the last one, and leaves out what was seen then.
 */
export function recordChanges(database: Database): () => Promise<Changed> {
  const now = (): Promise<string | undefined> =>
    database.value<string>(sql`SELECT pg_snapshot_xmin(pg_current_snapshot())::text`)
  let from: string | undefined
  let seen = new Map<number, string>()
  const look = (since: string): Promise<ChangeRow[]> =>
    database.rows<ChangeRow>(
      sql`SELECT tenant_id, changed_by::text FROM switch_changes WHERE changed_by >= ${since}::text::xid8`,
    )
  return async () => {
    const next = await now()
    const rows = await look(from ?? next ?? '0')
    const fresh = from === undefined ? [] : rows.filter(row => seen.get(row.tenant_id) !== row.changed_by)
    seen = new Map(rows.map(row => [row.tenant_id, row.changed_by]))
    from = next
    const tenants = fresh.map(row => row.tenant_id)
    return tenants.includes(ALL_TENANTS) ? 'all' : new Set(tenants)
  }
}

/** The tenants whose calls out have been stored; looks again at the ids of the last minute, which may come late. */
function newCalls(database: Database): () => Promise<Changed> {
  const newest = async (): Promise<number> =>
    (await database.value<number>(sql`SELECT coalesce(max(id), 0) FROM cdrs`)) ?? 0
  let marks: { readonly at: number; readonly id: number }[] = []
  let seen = new Set<number>()
  return async () => {
    const at = performance.now()
    const id = await newest()
    const isFirst = marks.length === 0
    marks.push({ at, id })
    const old = marks.findLastIndex(mark => at - mark.at > LATE_MS)
    marks = marks.slice(Math.max(0, old))
    const from = marks[0]?.id ?? id
    const rows = await database.rows<{ id: number; tenant: number }>(sql`SELECT id, tenant_id AS tenant FROM cdrs
      WHERE id > ${from} AND direction = 'outbound' ORDER BY id DESC LIMIT ${MOST_NEW * 2}`)
    const fresh = rows.filter(row => !seen.has(row.id))
    seen = new Set(rows.map(row => row.id))
    if (isFirst) return new Set()
    return fresh.length > MOST_NEW ? 'all' : new Set(fresh.map(({ tenant }) => tenant))
  }
}
