import { ofChannel } from '../../../core/calls/identity.ts'
import { addSeconds } from '../../../core/dates.ts'
import type { LimitUsage, UsedBy } from '../../../core/ports/switching.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { SwitchTenant } from '../../../core/switching/directory.ts'
import { NOTHING_USED, type Used } from '../../../core/switching/limits/limits.ts'
import { dayAt } from '../../../core/switching/limits/usage-tally.ts'
import { storedCalls } from '../calls/call-keys.ts'
import { andAt } from '../calls/spread.ts'
import type { Database } from '../database/database.ts'
import { sql } from '../database/sql.ts'

const HOUR_S = 3_600
/** The index is by start, so calls that took longer than this are not found. */
const LONGEST_CALL_S = 86_400
/**
 * A sum over more than `MANY` calls is cached for `KEPT_MS` for every `MANY` of them, even if calls are stored
 * meanwhile.
 */
const MANY = 20_000
const KEPT_MS = 400

interface UsedRow extends Pick<Used, 'calls_per_hour' | 'calls_per_day' | 'cost_per_hour' | 'cost_per_day'> {
  readonly id: number | null
  readonly calls: number
}

interface Kept {
  readonly used: UsedBy
  readonly timezone: string
  readonly until: number
}

/** Sums a tenant's calls on each request: ids cannot tell which calls are new since the last one. */
export function limitUsage(database: Database, clock: Clock): LimitUsage {
  const kept = new Map<number, Kept>()
  const read = async ({ id, timezone }: Pick<SwitchTenant, 'id' | 'timezone'>): Promise<UsedBy> => {
    const now = clock.now()
    const day = dayAt(timezone, now).from
    const hour = addSeconds(now, -HOUR_S).slice(0, 16)
    const since = day < hour ? day : hour
    const rows = await database.rows<UsedRow>(sql`SELECT extension_id AS id, count(*) AS calls,
        count(*) FILTER (WHERE ended >= ${hour}) AS calls_per_hour,
        coalesce(sum(cost) FILTER (WHERE ended >= ${hour}), 0)::bigint AS cost_per_hour,
        count(*) FILTER (WHERE ended >= ${day}) AS calls_per_day,
        coalesce(sum(cost) FILTER (WHERE ended >= ${day}), 0)::bigint AS cost_per_day
      FROM (SELECT extension_id, cost, coalesce(ended_at, started_at) AS ended FROM cdrs c WHERE tenant_id = ${id}${andAt(database, 'c', id)}
        AND started_at >= ${addSeconds(day, -LONGEST_CALL_S - HOUR_S)} AND direction = 'outbound') c
      WHERE ended >= ${since} GROUP BY extension_id`)
    const used = usedBy(rows)
    const calls = rows.reduce((sum, row) => sum + row.calls, 0)
    if (calls > MANY) kept.set(id, { used, timezone, until: performance.now() + (calls / MANY) * KEPT_MS })
    else kept.delete(id)
    return used
  }
  return {
    of: async tenant => {
      const cached = kept.get(tenant.id)
      return cached && cached.timezone === tenant.timezone && performance.now() < cached.until
        ? cached.used
        : read(tenant)
    },
    stored: async (source, channels) => {
      const calls = channels.map(id => ({ id, ...ofChannel(source, id) }))
      const found = await storedCalls(database, calls)
      const stored = calls.flatMap(call => (found(call).length > 0 ? [call.id] : []))
      // A cached sum may lack them.
      if (stored.length > 0) kept.clear()
      return new Set(stored)
    },
  }
}

function usedBy(rows: readonly UsedRow[]): UsedBy {
  const byExtension = new Map<number, Used>()
  const tenant = { ...NOTHING_USED }
  for (const { id, calls: _, ...used } of rows) {
    if (id !== null) byExtension.set(id, { ...NOTHING_USED, ...used })
    tenant.calls_per_hour += used.calls_per_hour
    tenant.calls_per_day += used.calls_per_day
    tenant.cost_per_hour += used.cost_per_hour
    tenant.cost_per_day += used.cost_per_day
  }
  return {
    tenant,
    extension: id => byExtension.get(id) ?? NOTHING_USED,
    extensions: () => new Set(byExtension.keys()),
  }
}
