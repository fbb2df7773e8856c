import { QUARANTINE_ROOM, quarantineFull } from '../../../core/calls/quarantine.ts'
import type { Catalog } from '../../../core/calls/record-call.ts'
import { addSeconds } from '../../../core/dates.ts'
import { notFound } from '../../../core/errors.ts'
import type { Calls, Feed, FeedPlace, Quarantined, Retry } from '../../../core/ports/calls.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Database, Loading } from '../database/database.ts'
import { idOf, keyPages } from '../database/key-pages.ts'
import type { Queries } from '../database/queries.ts'
import { sql } from '../database/sql.ts'
import type { AuditTrail } from '../service/audit.ts'
import { lockSources, setAside, sorted, storeSorted } from './call-batch.ts'
import { type Catalogs, catalogs } from './catalogs.ts'
import { reports } from './reports.ts'
import { rerating } from './rerating.ts'
import { usageReport } from './usage.ts'

/** Nobody else waits for a batch, so only memory bounds its size. */
const BATCH = 10_000

/** The storage port for the calls of switches. */
export function calls(database: Database, clock: Clock, trail: AuditTrail): Calls {
  const tenantCatalogs = catalogs()
  const inQuarantine = async (queries: Queries): Promise<number> =>
    (await queries.value<number>(sql`SELECT count(*) FROM quarantine`)) ?? 0
  return {
    batchSize: () => BATCH,
    store: (feed, records, place) =>
      database.repeatableLoad(async within => {
        await lockSources(within, records)
        const present = await sorted(within, tenantCatalogs, feed, records)
        const { conflicts, ...counts } = await storeSorted(within, present, clock.now())
        const unusable = [...present.unusable, ...conflicts]
        await setAside(within, feed, unusable, clock.now())
        if (unusable.length > 0 && (await inQuarantine(within)) > QUARANTINE_ROOM) throw quarantineFull()
        if (place) await keepPlace(within, feed, place, clock.now())
        return { ...counts, quarantined: unusable.length }
      }),
    place: async feed =>
      (await database.row<FeedPlace>(sql`SELECT inode AS mark, position FROM feed_places WHERE feed = ${feed}`)) ??
      null,
    quarantine: () => quarantined(database),
    quarantineCount: () => inQuarantine(database),
    replay: retries =>
      database.repeatableLoad(async within => {
        await lockSources(
          within,
          retries.map(({ record }) => record),
        )
        let stored = 0
        for (const retry of retries) if (await replay(within, tenantCatalogs, retry, clock.now())) stored++
        return stored
      }),
    discard: ids =>
      database.write(async within => {
        let count = 0
        for (const id of ids) if (await discard(within, trail, id)) count++
        return count
      }),
    catalog: async (tenantId, first, last = first): Promise<Catalog> => {
      const period = { from: first, to: addSeconds(last, 1) }
      const found = await database.snapshot(within => tenantCatalogs.of(within, [tenantId], period, false))
      const catalog = found.get(tenantId)
      if (!catalog) throw notFound('Tenant')
      return catalog
    },
    ...rerating(database, tenantCatalogs, clock, trail),
    ...reports(database),
    ...usageReport(database, tenantCatalogs, clock),
  }
}

async function keepPlace(within: Queries, { name }: Feed, { mark, position }: FeedPlace, now: string): Promise<void> {
  await within.run(sql`INSERT INTO feed_places (feed, inode, position, updated_at)
    VALUES (${name}, ${mark}, ${position}, ${now}) ON CONFLICT (digest_of(feed))
    DO UPDATE SET inode = excluded.inode, position = excluded.position, updated_at = excluded.updated_at`)
}

/**
 * Stores a quarantined call and removes it from quarantine, or keeps it with its new reason; returns true if stored.
 */
async function replay(
  within: Loading,
  tenantCatalogs: Catalogs,
  { quarantined, record }: Retry,
  now: string,
): Promise<boolean> {
  const { id, rules } = quarantined
  const present = await sorted(within, tenantCatalogs, { rules }, [record])
  const [unusable = (await storeSorted(within, present, now)).conflicts[0]] = present.unusable
  // A record that already waits under the other format is the same record.
  const isKept =
    unusable !== undefined &&
    (await within.run(sql`UPDATE quarantine SET format = ${unusable.format}, rules = ${JSON.stringify(rules)},
      reason = ${unusable.reason.replaceAll('\0', '\ufffd')} WHERE id = ${id} AND NOT EXISTS (SELECT 1 FROM quarantine o
        WHERE o.id <> ${id} AND o.format = ${unusable.format} AND o.fingerprint = quarantine.fingerprint)`)) === 1
  if (!isKept) await within.run(sql`DELETE FROM quarantine WHERE id = ${id}`)
  return !unusable
}

type QuarantineRow = Omit<Quarantined, 'rules' | 'record'> & { readonly rules: string; readonly record: Uint8Array }

/** Characters of a discarded record that the audit trail keeps. */
const KEPT = 1_000

/** Returns true if the record existed. */
async function discard(within: Queries, trail: AuditTrail, id: number): Promise<boolean> {
  const row = await within.row<Pick<QuarantineRow, 'feed' | 'format' | 'reason' | 'record'>>(
    sql`DELETE FROM quarantine WHERE id = ${id} RETURNING feed, format, reason, record`,
  )
  if (!row) return false
  const shown = { ...row, record: textOf(row.record).slice(0, KEPT) }
  const changes = Object.entries(shown).map(([name, before]) => [name, { before }])
  await trail.note(within, 'delete', 'quarantine', id, Object.fromEntries(changes))
  return true
}

const textOf = (record: Uint8Array): string => Buffer.from(record).toString()

const PAGE = 200

/** Oldest first; a replay may delete records on the way. */
async function* quarantined(database: Database): AsyncIterable<Quarantined> {
  const after = (id: number) => sql`SELECT id, feed, format, rules, record, reason, seen, created_at
    FROM quarantine WHERE id > ${id} ORDER BY id`
  for await (const rows of keyPages<QuarantineRow>(database, PAGE, idOf, after))
    for (const row of rows) yield { ...row, record: textOf(row.record), rules: JSON.parse(row.rules) }
}
