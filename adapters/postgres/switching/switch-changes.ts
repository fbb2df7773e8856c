import type { Changed, SwitchChanges } from '../../../core/ports/switching.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'

const ALL_TENANTS = 0
/** With more new calls than this, all tenants count as changed. */
const MOST_NEW = 10_000
/** Transactions commit ids out of order. A gap this much older than the newest id is no longer expected to fill. */
const LATE_MS = 60_000

/** How far below the newest id the first look begins: calls that may be in uncommitted transactions. */
const UNDER_WAY = 1_000

interface ChangeRow {
  readonly next: string
  readonly tenant_id: number | null
  readonly changed_by: string | null
}

interface CallRow {
  readonly newest: number
  readonly id: number | null
  readonly tenant: number | null
}

/** Follows the changes from the moment it is created. */
export function switchChanges(database: Database): SwitchChanges {
  const records = recordChanges(database)
  const calls = newCalls(database)
  const look = async () => ({ records: await records(), calls: await calls() })
  let hasBegun = look().then(
    () => true,
    () => false,
  )
  return {
    next: async () => {
      if (await hasBegun) return look()
      await look()
      hasBegun = Promise.resolve(true)
      return { records: 'all', calls: 'all' }
    },
  }
}

/**
 * Triggers note in which transaction a tenant's records were changed last. Transactions end in any order, so each look
 * begins at the oldest that was under way at the last one, and leaves out what was seen then.
 */
export function recordChanges(database: Database): () => Promise<Changed> {
  let from: string | undefined
  let seen = new Map<number, string>()
  return async () => {
    // One statement, so that both come from one snapshot.
    const rows = await database.rows<ChangeRow>(sql`SELECT o.next::text, c.tenant_id, c.changed_by::text
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS next) o
      LEFT JOIN switch_changes c ON c.changed_by >= coalesce(${from ?? null}::text::xid8, o.next)`)
    const present = rows.flatMap(({ tenant_id, changed_by }) =>
      tenant_id === null || changed_by === null ? [] : [[tenant_id, changed_by] as const],
    )
    const fresh = from === undefined ? [] : present.filter(([tenant, by]) => seen.get(tenant) !== by)
    seen = new Map(present)
    from = rows[0]?.next
    const tenants = fresh.map(([tenant]) => tenant)
    return tenants.includes(ALL_TENANTS) ? 'all' : new Set(tenants)
  }
}

/**
 * The tenants with newly stored outbound calls. Looks at the ids of the last minute again, since some may be committed
 * late.
 */
function newCalls(database: Database): () => Promise<Changed> {
  const underWay = UNDER_WAY * (database.spread?.buckets ?? 1)
  let marks: { readonly at: number; readonly id: number }[] = []
  let seen: ReadonlySet<number> | null = null
  return async () => {
    const at = performance.now()
    const rows = await database.rows<CallRow>(sql`SELECT o.newest, c.id, c.tenant_id AS tenant
      FROM (SELECT coalesce(max(id), 0) AS newest FROM cdrs) o LEFT JOIN cdrs c
        ON c.id > coalesce(${marks[0]?.id ?? null}::bigint, o.newest - ${underWay}) AND c.direction = 'outbound'
      ORDER BY c.id DESC LIMIT ${2 * MOST_NEW}`)
    marks.push({ at, id: (rows[0]?.newest ?? 0) - underWay })
    marks = marks.slice(
      Math.max(
        0,
        marks.findLastIndex(mark => at - mark.at > LATE_MS),
      ),
    )
    const calls = rows.flatMap(({ id, tenant }) => (id === null || tenant === null ? [] : [{ id, tenant }]))
    const earlier = seen
    seen = new Set(calls.map(({ id }) => id))
    const fresh = earlier === null ? [] : calls.filter(({ id }) => !earlier.has(id))
    return fresh.length > MOST_NEW ? 'all' : new Set(fresh.map(({ tenant }) => tenant))
  }
}
