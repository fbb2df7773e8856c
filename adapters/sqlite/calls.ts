import { hash } from 'node:crypto'
import { notFound } from '../../core/errors.ts'
import type { Calls, Clock, Feed, IngestCounts, Quarantined, SwitchRecord } from '../../core/ports.ts'
import type { CompletedCall, SourceFormat } from '../../core/rating/completed-call.ts'
import { switchClock } from '../../core/rating/local-time.ts'
import { type Catalog, type FeedRules, recordCall, slugOf, switchOf } from '../../core/rating/record-call.ts'
import { cdrs } from '../../core/resources/cdrs.ts'
import { type Catalogs, catalogs } from './catalogs.ts'
import type { Connection } from './database.ts'
import { toSql } from './records.ts'
import { reports } from './reports.ts'
import { ratingColumns, rerating } from './rerating.ts'
import type { Writer } from './writer.ts'

type Bound = string | number | null

const CDR_FIELDS = Object.keys(cdrs.fields)

/** The storage port for the calls of switches. */
export function calls(connection: Connection, writer: Writer, clock: Clock): Calls {
  const { query, value } = connection
  const known = catalogs(connection)
  const steps = callSteps(connection, known, clock)
  const placeRow = query<[string], { inode: string; position: number }>(
    'SELECT inode, position FROM feed_places WHERE feed = ?',
  )
  return {
    store: (feed, records, place) =>
      writer.write(() => {
        const counts = steps.storeAll(feed, records)
        if (place)
          query<[string, string, number, string], unknown>(
            'INSERT OR REPLACE INTO feed_places VALUES (?, ?, ?, ?)',
          ).run(feed.name, place.inode, place.position, clock.now())
        return counts
      }),
    place: async feed => placeRow.get(feed) ?? null,
    quarantine: () => quarantined(connection),
    quarantineCount: async () => value<[], number>('SELECT count(*) FROM quarantine').get() ?? 0,
    replay: ({ id, feed, rules }, record) =>
      writer.write(() => {
        const outcome = steps.storeOne({ name: feed, rules }, record)
        if (typeof outcome === 'object') {
          query<[string, number], unknown>('UPDATE quarantine SET reason = ? WHERE id = ?').run(outcome.reason, id)
          return false
        }
        query<[number], unknown>('DELETE FROM quarantine WHERE id = ?').run(id)
        return true
      }),
    catalog: async tenantId => {
      const catalog = known.of(tenantId)
      if (!catalog) throw notFound('Tenant')
      return catalog
    },
    ...rerating(connection, writer, known, clock),
    ...reports(connection),
  }
}

type Stored = 'stored' | 'unrated' | 'known' | 'leg'
type Unusable = { readonly reason: string }

/** The synchronous steps that a batch is made of. */
function callSteps({ query, value }: Connection, known: Catalogs, clock: Clock) {
  const isStored = value<[string, string], number>('SELECT 1 FROM cdr_ratings WHERE source = ? AND switch_call_id = ?')
  const tenantBySlug = value<[string], number>('SELECT id FROM tenants WHERE slug = ?')
  const insertCdr = query<Bound[], unknown>(
    `INSERT INTO cdrs (${CDR_FIELDS.join()}, created_at, updated_at) VALUES (${CDR_FIELDS.map(() => '?').join()}, ?, ?)`,
  )
  const insertRating = query<Bound[], unknown>('INSERT INTO cdr_ratings VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const insertQuarantine = query<Bound[], unknown>(
    `INSERT INTO quarantine (feed, format, rules, fingerprint, record, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (format, fingerprint) DO UPDATE SET seen = seen + 1, reason = excluded.reason`,
  )
  const clocks = new Map<string, ReturnType<typeof switchClock>>()
  const clockOf = ({ timezone }: FeedRules) => {
    const found = clocks.get(timezone) ?? switchClock(timezone)
    clocks.set(timezone, found)
    return found
  }

  /** Catalogs are looked up once a batch: within its transaction they can't change. */
  const catalogFinder = () => {
    const found = new Map<string, Catalog | null>()
    return (slug: string): Catalog | null => {
      let catalog = found.get(slug)
      if (catalog === undefined) {
        const id = tenantBySlug.get(slug)
        catalog = id === undefined ? null : known.of(id)
        found.set(slug, catalog)
      }
      return catalog
    }
  }

  const storeCall = (
    rules: FeedRules,
    call: CompletedCall,
    catalogOf: ReturnType<typeof catalogFinder>,
    now: string,
  ): Stored | Unusable => {
    if (call.leg === 'b') return 'leg'
    const source = switchOf(call.source)
    if (isStored.get(source, call.switchCallId) === 1) return 'known'
    const slug = slugOf(call, rules)
    if (slug === null) return { reason: 'no account code, and no tenant is set for the feed or the context' }
    const catalog = catalogOf(slug)
    if (!catalog) return { reason: `there is no tenant ${JSON.stringify(slug)}` }
    const record = recordCall(call, catalog, clockOf(rules))
    if ('reason' in record) return record
    const { lastInsertRowid } = insertCdr.run(...CDR_FIELDS.map(name => toSql(record.values[name])), now, now)
    insertRating.run(Number(lastInsertRowid), source, call.switchCallId, ...ratingColumns(record.rated))
    return record.rated.unrated ? 'unrated' : 'stored'
  }

  const setAside = (feed: Feed, format: SourceFormat, raw: string, reason: string, now: string): void => {
    insertQuarantine.run(feed.name, format, JSON.stringify(feed.rules), hash('sha256', raw), raw, reason, now)
  }

  return {
    storeAll: (feed: Feed, records: readonly SwitchRecord[]): IngestCounts => {
      const counts = { stored: 0, known: 0, quarantined: 0, legs: 0, unrated: 0 }
      const catalogOf = catalogFinder()
      const now = clock.now()
      for (const record of records) {
        const outcome = 'call' in record ? storeCall(feed.rules, record.call, catalogOf, now) : record
        if (typeof outcome === 'object') {
          const { format, raw } = 'call' in record ? { format: record.call.source, raw: record.call.raw } : record
          setAside(feed, format, raw, outcome.reason, now)
          counts.quarantined++
        } else if (outcome === 'leg') counts.legs++
        else if (outcome === 'known') counts.known++
        else {
          counts.stored++
          if (outcome === 'unrated') counts.unrated++
        }
      }
      return counts
    },
    storeOne: (feed: Feed, record: SwitchRecord): Stored | Unusable =>
      'call' in record ? storeCall(feed.rules, record.call, catalogFinder(), clock.now()) : record,
  }
}

interface QuarantineRow extends Omit<Quarantined, 'rules'> {
  readonly rules: string
}

/** By key-set pages, oldest first, so that a replay may delete as it goes. */
async function* quarantined({ query }: Connection): AsyncIterable<Quarantined> {
  const page = query<[number], QuarantineRow>(
    'SELECT id, feed, format, rules, record, reason, seen, created_at FROM quarantine WHERE id > ? ORDER BY id LIMIT 200',
  )
  for (let last = 0; ; ) {
    const rows = page.all(last)
    for (const row of rows) yield { ...row, rules: JSON.parse(row.rules) }
    const end = rows.at(-1)
    if (!end) return
    last = end.id
  }
}
