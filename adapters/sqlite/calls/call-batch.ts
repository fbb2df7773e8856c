import { hash } from 'node:crypto'
import {
  type IncomingCall,
  periodOf,
  type SortedRecords,
  sortRecords,
  type UnusableRecord,
  unusableBecause,
} from '../../../core/calls/incoming.ts'
import { type CallValues, type Catalog, slugOf } from '../../../core/calls/record-call.ts'
import { separateCalls } from '../../../core/calls/separate.ts'
import { type SwitchClock, switchClock } from '../../../core/calls/switch-time.ts'
import type { Feed, IngestCounts, SwitchRecord } from '../../../core/ports/calls.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { rowInserter } from '../bulk/bulk-rows.ts'
import type { Bound } from '../database/bound.ts'
import type { Connection } from '../database/database.ts'
import { callFinder, keyOf, linkedIdOf } from './call-keys.ts'
import { pushRating } from './call-ratings.ts'
import type { Catalogs } from './catalogs.ts'

export interface CallSteps {
  /** Loads what the records are rated by. Returns a function that tells whether it is still loaded. */
  load(feed: Feed, records: readonly SwitchRecord[]): Promise<() => boolean>
  /** Rates the records. Writes nothing, so that it needs no lock; see `current`. */
  sort(feed: Feed, records: readonly SwitchRecord[]): SortedRecords
  /**
   * Returns what was sorted, or sorts if nothing was or if anything it depended on has changed. Runs in the write
   * transaction.
   */
  current(sorted: SortedRecords | null, feed: Feed, records: readonly SwitchRecord[]): SortedRecords
  /**
   * Stores the calls that are not stored yet, and removes them from quarantine; `conflicts` have the id of a different
   * call. Runs in the write transaction.
   */
  store(sorted: SortedRecords): Omit<IngestCounts, 'quarantined'> & {
    readonly conflicts: readonly UnusableRecord[]
  }
  /** Quarantines unusable records. Runs in the write transaction. */
  setAside(feed: Feed, unusable: readonly UnusableRecord[]): void
}

/** Every value of a call record: a forgotten one does not compile. */
const CDR_COLUMNS = Object.keys({
  tenant_id: true,
  extension_id: true,
  caller_number: true,
  destination_number: true,
  direction: true,
  disposition: true,
  duration_seconds: true,
  bill_seconds: true,
  cost: true,
  started_at: true,
  ended_at: true,
} satisfies Record<keyof CallValues, true>)
const RATING_COLUMNS = 9

/** In the order of the columns; spelled out, since a loop over names would cost more than the insert. */
function pushValues(row: unknown[], incoming: IncomingCall | undefined): void {
  if (!incoming) return
  const { values } = incoming.record
  row.push(values.tenant_id, values.extension_id, values.caller_number, values.destination_number)
  row.push(values.direction, values.disposition, values.duration_seconds, values.bill_seconds, values.cost)
  row.push(values.started_at, values.ended_at)
}

function pushRated(row: unknown[], id: number, call: IncomingCall | undefined): void {
  if (!call) return
  row.push(id, call.source, keyOf(call))
  pushRating(row, call.record.rated)
  row.push(linkedIdOf(call))
}

const marks = (count: number): string[] => Array.from({ length: count }, () => '?')

export function callSteps(connection: Connection, tenantCatalogs: Catalogs, clock: Clock): CallSteps {
  const tenantBySlug = connection.value<[string], number>('SELECT id FROM tenants WHERE slug = ?')
  const catalogOf = (slug: string): Catalog | null => {
    const id = tenantBySlug.get(slug)
    return id === undefined ? null : tenantCatalogs.of(id)
  }
  const clockOf = switchClocks()
  // In one snapshot, since decks are read on demand.
  const sort = connection.db.transaction(({ rules }: Feed, records: readonly SwitchRecord[]) =>
    sortRecords(records, rules, clockOf(rules.timezone), catalogOf),
  )
  return {
    load: ({ rules }, records) => {
      const slugs = new Set(records.map(record => ('call' in record ? slugOf(record.call, rules) : null)))
      const tenantIds = [...slugs].flatMap(slug => (slug === null ? [] : (tenantBySlug.get(slug) ?? [])))
      return tenantCatalogs.ready(new Set(tenantIds), () => periodOf(records, clockOf(rules.timezone)))
    },
    sort,
    current: (sorted, feed, records) => {
      const isSame = ([slug, catalog]: readonly [string, Catalog | null]): boolean =>
        tenantBySlug.get(slug) === catalog?.tenantId && (!catalog || tenantCatalogs.isCurrent(catalog))
      return sorted && [...sorted.catalogs].every(isSame) ? sorted : sort(feed, records)
    },
    store: storer(connection, clock),
    setAside: quarantiner(connection, clock),
  }
}

function switchClocks() {
  const clocks = new Map<string, SwitchClock>()
  return (timezone: string): SwitchClock => {
    const found = clocks.get(timezone) ?? switchClock(timezone)
    clocks.set(timezone, found)
    return found
  }
}

function storer(connection: Connection, clock: Clock): CallSteps['store'] {
  const { db, value } = connection
  const finder = callFinder(connection)
  const remove = connection.query<[number], unknown>('DELETE FROM cdrs WHERE id = ?')
  const lastId = value<[], number>('SELECT last_insert_rowid()')
  const insertCdrs = rowInserter(
    db,
    `cdrs (${CDR_COLUMNS.join()}, created_at, updated_at)`,
    `(${marks(CDR_COLUMNS.length).join()}, @now, @now)`,
  )
  const insertRatings = rowInserter(db, 'cdr_ratings', `(${marks(RATING_COLUMNS).join()})`)
  const release = releaser(connection)
  return ({ calls, legs }) => {
    const { fresh, conflicts, attempts, replaced } = separateCalls(calls, finder())
    for (const id of replaced) remove.run(id)
    insertCdrs(fresh.length, (index, row) => pushValues(row, fresh[index]), { now: clock.now() })
    // Consecutive inserts of one transaction into a table without triggers get consecutive ids.
    const first = (lastId.get() ?? 0) - fresh.length + 1
    insertRatings(fresh.length, (index, row) => pushRated(row, first + index, fresh[index]))
    release(fresh)
    const unrated = fresh.filter(({ record }) => record.rated.unrated).length
    return {
      stored: fresh.length,
      known: calls.length - fresh.length - conflicts.length - attempts,
      legs: legs + attempts + replaced.length,
      unrated,
      conflicts: conflicts.map(unusableBecause),
    }
  }
}

/** A record that arrives again is one record, retried by the rules of its last delivery. */
function quarantiner({ query }: Connection, clock: Clock): CallSteps['setAside'] {
  const insert = query<Bound[], unknown>(
    `INSERT INTO quarantine (feed, format, rules, fingerprint, record, reason, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (format, fingerprint) DO UPDATE
     SET seen = seen + 1, feed = excluded.feed, rules = excluded.rules, reason = excluded.reason`,
  )
  return (feed, unusable) => {
    const rules = JSON.stringify(feed.rules)
    const now = clock.now()
    for (const { format, raw, reason } of unusable)
      insert.run(feed.name, format, rules, fingerprint(raw), raw, reason, now)
  }
}

/** A quarantined record may arrive again under rules that make it usable. */
function releaser({ query, value }: Connection) {
  const anyWaits = value<[], number>('SELECT EXISTS (SELECT 1 FROM quarantine)')
  const remove = query<[string, string], unknown>('DELETE FROM quarantine WHERE format = ? AND fingerprint = ?')
  return (stored: readonly IncomingCall[]): void => {
    if (anyWaits.get() === 1) for (const { call } of stored) remove.run(call.source, fingerprint(call.raw))
  }
}

const fingerprint = (raw: string): string => hash('sha256', raw)
