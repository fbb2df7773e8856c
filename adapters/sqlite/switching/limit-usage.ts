import { ofChannel } from '../../../core/calls/identity.ts'
import { addSeconds, type Timestamp } from '../../../core/dates.ts'
import type { LimitUsage } from '../../../core/ports/switching.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { SwitchTenant } from '../../../core/switching/directory.ts'
import { type UsageTally, usageTally } from '../../../core/switching/limits/usage-tally.ts'
import { callFinder } from '../calls/call-keys.ts'
import type { Connection } from '../database/database.ts'

/** Rows read in some milliseconds. */
const PAGE = 5_000
/** Channels looked for in some milliseconds. */
const LOOKS = 200
/** If more calls are new, as during an import of years, reading a tenant's own calls is less work. */
const MOST_NEW = 10_000
/** The index is by start; longer calls are not found again. */
const LONGEST_CALL_S = 86_400
/** Tallies of more pages than this are kept for KEPT_MS a page, however many of their calls change meanwhile. */
const FEW_PAGES = 4
const KEPT_MS = 100

interface Kept {
  readonly tally: UsageTally
  readonly timezone: string
  /** The revision of changes to stored calls. */
  readonly revision: number
  /** Milliseconds of the monotonic clock; null while it is being added up. */
  readyAt: number | null
  pages: number
}

type Tenant = Pick<SwitchTenant, 'id' | 'timezone'>
type NewRow = [tenantId: number, extensionId: number | null, cost: number, endedAt: string]
type OldRow = [startedAt: string, id: number, extensionId: number | null, cost: number, endedAt: string, isOut: number]

/**
 * Keeps a tally for each requested tenant, current by the highest call id, which is never reused. Triggers count
 * changes and deletions of stored calls (`call_revisions`), whichever program makes them.
 */
export function limitUsage(connection: Connection, clock: Clock): LimitUsage {
  const { rows, value, turns } = connection
  const lastId = value<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'cdrs'")
  const revisionOf = value<[number], number>('SELECT revision FROM call_revisions WHERE tenant_id = ?')
  const newCalls = rows<[number], NewRow>(
    `SELECT tenant_id, extension_id, cost, coalesce(ended_at, started_at) FROM cdrs
     WHERE id > ? AND direction = 'outbound'`,
  )
  const page = rows<[number, Timestamp, number, number], OldRow>(
    `SELECT started_at, id, extension_id, cost, coalesce(ended_at, started_at), direction = 'outbound' FROM cdrs
     WHERE tenant_id = ? AND (started_at, id) > (?, ?) AND id <= ? ORDER BY started_at, id LIMIT ${PAGE}`,
  )
  const finder = callFinder(connection)
  const kept = new Map<number, Kept>()
  const building = new Map<number, Promise<void>>()
  let through = 0

  const catchUp = (): void => {
    const last = lastId.get() ?? 0
    if (last - through > MOST_NEW) kept.clear()
    if (last !== through && kept.size > 0)
      for (const [tenantId, extensionId, cost, endedAt] of newCalls.iterate(through))
        kept.get(tenantId)?.tally.add({ extensionId, cost, endedAt })
    through = last
  }
  const isCurrent = ({ timezone, revision, readyAt, pages }: Kept, tenant: Tenant): boolean =>
    readyAt !== null &&
    timezone === tenant.timezone &&
    (revision === (revisionOf.get(tenant.id) ?? 0) ||
      (pages > FEW_PAGES && performance.now() - readyAt < pages * KEPT_MS))

  const build = async ({ id, timezone }: Tenant): Promise<void> => {
    catchUp()
    const tally = usageTally(timezone, clock.now())
    const last = through
    const next: Kept = { tally, timezone, revision: revisionOf.get(id) ?? 0, readyAt: null, pages: 0 }
    kept.set(id, next)
    const turn = turns.begin()
    let after: readonly [Timestamp, number] | null = [addSeconds(tally.since, -LONGEST_CALL_S), 0]
    while (after) {
      const from: readonly [Timestamp, number] = after
      after = await turn(() => {
        catchUp()
        const found = page.all(id, ...from, last)
        next.pages++
        for (const [, , extensionId, cost, endedAt, isOut] of found)
          if (isOut && endedAt >= tally.since) tally.add({ extensionId, cost, endedAt })
        const end = found.length === PAGE ? found.at(-1) : undefined
        return end ? [end[0], end[1]] : null
      })
    }
    next.readyAt = performance.now()
  }
  const built = (tenant: Tenant): Promise<void> => {
    const present = building.get(tenant.id) ?? build(tenant).finally(() => building.delete(tenant.id))
    building.set(tenant.id, present)
    return present
  }
  return {
    of: async tenant => {
      for (;;) {
        catchUp()
        const found = kept.get(tenant.id)
        const used = found && isCurrent(found, tenant) ? found.tally.at(clock.now()) : null
        if (used) return used
        await built(tenant)
      }
    },
    stored: async (source, channels) => {
      const turn = turns.begin()
      const found: string[] = []
      for (let at = 0; at < channels.length; at += LOOKS) {
        const find = finder()
        const some = channels.slice(at, at + LOOKS)
        found.push(...(await turn(() => some.filter(id => find(ofChannel(source, id)).length > 0))))
      }
      return new Set(found)
    },
  }
}
