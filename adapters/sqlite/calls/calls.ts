import type { SortedRecords } from '../../../core/calls/incoming.ts'
import { QUARANTINE_ROOM, quarantineFull } from '../../../core/calls/quarantine.ts'
import type { Catalog } from '../../../core/calls/record-call.ts'
import { addSeconds } from '../../../core/dates.ts'
import { notFound } from '../../../core/errors.ts'
import type { Calls, Feed, FeedPlace, Quarantined, Retry } from '../../../core/ports/calls.ts'
import type { Period } from '../../../core/rating/period.ts'
import type { Connection } from '../database/database.ts'
import { keySetPages } from '../database/key-set.ts'
import { otherWriters } from '../database/others.ts'
import type { Foundation } from '../foundation.ts'
import type { AuditTrail } from '../service/audit.ts'
import { type CallSteps, callSteps } from './call-batch.ts'
import { catalogs } from './catalogs.ts'
import { reports } from './reports.ts'
import { rerating } from './rerating.ts'
import { usageReport } from './usage.ts'

/** Holds the database's lock for some milliseconds. */
const SMALL_BATCH = 1_500
/** Each index page is written once a batch, however many of its entries are new. */
const LARGE_BATCH = 10_000

/** How often to load what calls are rated by, if it keeps changing, before reading it under the lock. */
const ATTEMPTS = 5

/** The storage port for switches' calls. */
export function calls(foundation: Foundation): Calls {
  const { connection, writer, clock, trail } = foundation
  const { query, value } = connection
  const tenantCatalogs = catalogs(connection)
  const steps = callSteps(connection, tenantCatalogs, clock)
  const others = otherWriters(connection)
  const inQuarantine = (): number => value<[], number>('SELECT count(*) FROM quarantine').get() ?? 0
  const write = <T>(change: () => T): Promise<T> =>
    writer.writeAlone(change).catch(error => {
      tenantCatalogs.forget()
      throw error
    })
  /** Writes by what is loaded. If that changes before the lock is taken, writes nothing and loads again. */
  const writeBy = async <T>(load: () => Promise<() => boolean>, change: () => T): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      const isLoaded = await load()
      const done = await write(() => (isLoaded() || attempt === ATTEMPTS ? { value: change() } : null))
      if (done) return done.value
    }
  }
  const catalogWithin = connection.db.transaction((tenantId: number, period: Period): Catalog => {
    const catalog = tenantCatalogs.of(tenantId, period)
    if (!catalog) throw notFound('Tenant')
    return catalog
  })
  return {
    batchSize: () => (others.areQuiet() ? LARGE_BATCH : SMALL_BATCH),
    store: async (feed, records, place) => {
      let sorted: SortedRecords | null = null
      const load = async () => {
        const isLoaded = await steps.load(feed, records)
        sorted = isLoaded() ? steps.sort(feed, records) : null
        return isLoaded
      }
      return writeBy(load, () => {
        const present = steps.current(sorted, feed, records)
        const { conflicts, ...counts } = steps.store(present)
        const unusable = [...present.unusable, ...conflicts]
        steps.setAside(feed, unusable)
        if (unusable.length > 0 && inQuarantine() > QUARANTINE_ROOM) throw quarantineFull()
        if (place) keepPlace(connection, feed, place, clock.now())
        return { ...counts, quarantined: unusable.length }
      })
    },
    place: async feed =>
      query<[string], FeedPlace>('SELECT inode AS mark, position FROM feed_places WHERE feed = ?').get(feed) ?? null,
    quarantine: () => quarantined(connection),
    quarantineCount: async () => inQuarantine(),
    replay: retries => {
      const load = async () => {
        const loaded: (() => boolean)[] = []
        for (const { quarantined, record } of retries)
          loaded.push(await steps.load({ name: quarantined.feed, rules: quarantined.rules }, [record]))
        return () => loaded.every(isLoaded => isLoaded())
      }
      return writeBy(load, () => retries.filter(retry => replay(connection, steps, retry)).length)
    },
    discard: ids => writer.write(() => ids.filter(id => discard(connection, trail, id)).length),
    catalog: async (tenantId, first, last = first) => {
      const period = { from: first, to: addSeconds(last, 1) }
      for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
        const cached = tenantCatalogs.cached(tenantId, period)
        if (cached) return cached
        await tenantCatalogs.ready(new Set([tenantId]), () => period)
      }
      return catalogWithin(tenantId, period)
    },
    ...rerating(foundation, tenantCatalogs),
    ...reports(connection),
    ...usageReport(connection, tenantCatalogs, clock),
  }
}

function keepPlace({ query }: Connection, { name }: Feed, { mark, position }: FeedPlace, now: string): void {
  query<[string, string, number, string], unknown>('INSERT OR REPLACE INTO feed_places VALUES (?, ?, ?, ?)').run(
    name,
    mark,
    position,
    now,
  )
}

/** Stores a quarantined record as a call and releases it (true), or leaves it there with the new reason (false). */
function replay({ query }: Connection, steps: CallSteps, { quarantined, record }: Retry): boolean {
  const { id, feed, rules } = quarantined
  const sorted = steps.sort({ name: feed, rules }, [record])
  const [unusable = steps.store(sorted).conflicts[0]] = sorted.unusable
  const isKept =
    unusable !== undefined &&
    query<[string, string, string, number], unknown>(
      'UPDATE OR IGNORE quarantine SET format = ?, rules = ?, reason = ? WHERE id = ?',
    ).run(unusable.format, JSON.stringify(rules), unusable.reason, id).changes === 1
  // A record quarantined in the other format is the same record.
  if (!isKept) query<[number], unknown>('DELETE FROM quarantine WHERE id = ?').run(id)
  return !unusable
}

/** Characters of a discarded record that the audit trail keeps. */
const KEPT = 1_000

/** Returns true if there was such a record. */
function discard({ query }: Connection, trail: AuditTrail, id: number): boolean {
  const row = query<[number], Pick<Quarantined, 'feed' | 'format' | 'reason' | 'record'>>(
    `DELETE FROM quarantine WHERE id = ? RETURNING feed, format, reason, substr(record, 1, ${KEPT}) AS record`,
  ).get(id)
  if (!row) return false
  const changes = Object.entries(row).map(([name, before]) => [name, { before }])
  trail.note('delete', 'quarantine', id, Object.fromEntries(changes))
  return true
}

interface QuarantineRow extends Omit<Quarantined, 'rules'> {
  readonly rules: string
}

const PAGE = 200

/** Reads key-set pages, oldest first, so that a replay may delete as it goes. */
async function* quarantined({ query }: Connection): AsyncIterable<Quarantined> {
  const page = query<[number], QuarantineRow>(
    `SELECT id, feed, format, rules, record, reason, seen, created_at FROM quarantine
     WHERE id > ? ORDER BY id LIMIT ${PAGE}`,
  )
  const after = (last?: QuarantineRow) => page.iterate(last?.id ?? 0)
  for (const rows of keySetPages<QuarantineRow>(PAGE, after, ({ record }) => record.length))
    for (const row of rows) yield { ...row, rules: JSON.parse(row.rules) }
}
