import { hash } from 'node:crypto'
import type { CompletedCall, UnreadableRecord } from '../../core/calls/completed-call.ts'
import { type Catalog, type RatedRecord, recordCall, slugOf } from '../../core/calls/record-call.ts'
import { type SwitchClock, switchClock } from '../../core/calls/switch-time.ts'
import { addSeconds } from '../../core/dates.ts'
import type { Feed, IngestCounts, SwitchRecord } from '../../core/ports/calls.ts'
import type { Clock } from '../../core/ports/system.ts'
import { FOREVER, type Period } from '../../core/rating/period.ts'
import type { cdrs } from '../../core/resources/cdrs.ts'
import type { Bound } from './bound.ts'
import { rowInserter } from './bulk-rows.ts'
import { conflicting, identifier, type Ready, ready, type Unusable } from './call-identity.ts'
import type { Catalogs } from './catalogs.ts'
import type { Connection } from './database.ts'
import { pushRating } from './rerate-steps.ts'

/** What is to become of the records of one feed, and the catalogs that this was found by, by slug. */
export interface Prepared {
  readonly ready: readonly Ready[]
  readonly unusable: readonly Unusable[]
  readonly legs: number
  readonly catalogs: ReadonlyMap<string, Catalog | null>
}

export interface CallSteps {
  /** Gets ready what the records will be rated by. */
  ready(feed: Feed, records: readonly SwitchRecord[]): Promise<void>
  /** Rates the records. Writes nothing, so that it needs no lock; see `current`. */
  prepare(feed: Feed, records: readonly SwitchRecord[]): Prepared
  /** What was prepared, or the same anew when something it was made of has changed. Runs in the write transaction. */
  current(prepared: Prepared, feed: Feed, records: readonly SwitchRecord[]): Prepared
  /**
   * Stores the calls that are not there yet, which wait in quarantine no longer; `conflicts` have the id of another
   * call. Runs in the write transaction.
   */
  store(prepared: Prepared): Pick<IngestCounts, 'stored' | 'known' | 'unrated'> & {
    readonly conflicts: readonly Unusable[]
  }
  /** Puts the others aside. Runs in the write transaction. */
  setAside(feed: Feed, unusable: readonly Unusable[]): void
}

const CDR_COLUMNS = [
  ...['tenant_id', 'extension_id', 'caller_number', 'destination_number', 'direction', 'disposition'],
  ...['duration_seconds', 'bill_seconds', 'cost', 'started_at', 'ended_at'],
] as const satisfies readonly (keyof typeof cdrs.fields)[]
const RATING_COLUMNS = 8

/** In the order of the columns; spelled out, since a loop over names would cost more than the insert. */
function pushValues(row: unknown[], ready: Ready | undefined): void {
  if (!ready) return
  const { values } = ready.record
  row.push(values.tenant_id, values.extension_id, values.caller_number, values.destination_number)
  row.push(values.direction, values.disposition, values.duration_seconds, values.bill_seconds, values.cost)
  row.push(values.started_at, values.ended_at)
}

function pushRated(row: unknown[], id: number, ready: Ready | undefined): void {
  if (!ready) return
  row.push(id, ready.source, ready.key)
  pushRating(row, ready.record.rated)
}

const marks = (count: number): string[] => Array.from({ length: count }, () => '?')

export function callSteps(connection: Connection, known: Catalogs, clock: Clock): CallSteps {
  const tenantBySlug = connection.value<[string], number>('SELECT id FROM tenants WHERE slug = ?')
  const catalogOf = (slug: string): Catalog | null => {
    const id = tenantBySlug.get(slug)
    return id === undefined ? null : known.of(id)
  }
  const clockOf = switchClocks()
  // In one snapshot, since decks are read as they are needed.
  const prepare = connection.db.transaction(preparer(catalogOf, clockOf))
  return {
    ready: async ({ rules }, records) => {
      const slugs = new Set(records.map(record => ('call' in record ? slugOf(record.call, rules) : null)))
      const tenantIds = [...slugs].flatMap(slug => (slug === null ? [] : (tenantBySlug.get(slug) ?? [])))
      await known.ready(new Set(tenantIds), () => periodOf(records, clockOf(rules.timezone)))
    },
    prepare,
    current: (prepared, feed, records) => {
      const isSame = [...prepared.catalogs].every(
        ([slug, catalog]) => tenantBySlug.get(slug) === catalog?.tenantId && (!catalog || known.isCurrent(catalog)),
      )
      return isSame ? prepared : prepare(feed, records)
    },
    store: storer(connection, clock),
    setAside: quarantiner(connection, clock),
  }
}

const NO_TENANT = 'no account code, and no tenant is set for the feed or the context'

/** From the start of the first call to that of the last, with a second to spare. */
function periodOf(records: readonly SwitchRecord[], clock: SwitchClock): Period {
  const starts = records.flatMap(record => ('call' in record ? (clock(record.call.startedAt) ?? []) : [])).sort()
  const [first = FOREVER.to] = starts
  return { from: first, to: addSeconds(starts.at(-1) ?? first, 1) }
}

function preparer(
  catalogOf: (slug: string) => Catalog | null,
  clockOf: (timezone: string) => SwitchClock,
): CallSteps['prepare'] {
  return ({ rules }, records) => {
    const switchTime = clockOf(rules.timezone)
    const found = new Map<string, Catalog | null>()
    const catalogFor = (slug: string): Catalog | null => {
      const catalog = found.get(slug) ?? (found.has(slug) ? null : catalogOf(slug))
      found.set(slug, catalog)
      return catalog
    }
    const rated = (call: CompletedCall): RatedRecord | UnreadableRecord => {
      const slug = slugOf(call, rules)
      if (slug === null) return { reason: NO_TENANT }
      const catalog = catalogFor(slug)
      return catalog ? recordCall(call, catalog, switchTime) : { reason: `there is no tenant ${JSON.stringify(slug)}` }
    }
    const usable: Ready[] = []
    const unusable: Unusable[] = []
    let legs = 0
    for (const each of records) {
      if ('reason' in each) unusable.push(each)
      else if (each.call.leg === 'b') legs++
      else {
        const { call } = each
        const record = rated(call)
        if ('reason' in record) unusable.push({ format: call.source, raw: call.raw, reason: record.reason })
        else usable.push(ready(call, record, rules))
      }
    }
    return { ready: usable, unusable, legs, catalogs: found }
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
  const identified = identifier(connection)
  const lastId = value<[], number>('SELECT last_insert_rowid()')
  const insertCdrs = rowInserter(
    db,
    `cdrs (${CDR_COLUMNS.join()}, created_at, updated_at)`,
    `(${marks(CDR_COLUMNS.length).join()}, @now, @now)`,
  )
  const insertRatings = rowInserter(db, 'cdr_ratings', `(${marks(RATING_COLUMNS).join()})`)
  const release = releaser(connection)
  return ({ ready }) => {
    const { fresh, conflicts } = identified(ready)
    insertCdrs(fresh.length, (index, row) => pushValues(row, fresh[index]), { now: clock.now() })
    // Ids of one transaction's inserts into a table without triggers follow on one another.
    const first = (lastId.get() ?? 0) - fresh.length + 1
    insertRatings(fresh.length, (index, row) => pushRated(row, first + index, fresh[index]))
    release(fresh)
    const unrated = fresh.filter(({ record }) => record.rated.unrated).length
    return {
      stored: fresh.length,
      known: ready.length - fresh.length - conflicts.length,
      unrated,
      conflicts: conflicts.map(conflicting),
    }
  }
}

/** A record that comes again is one record; what it was delivered by last is what it will be tried by. */
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

/** A record that was put aside may come again under rules by which it can be used. */
function releaser({ query, value }: Connection) {
  const anyWaits = value<[], number>('SELECT EXISTS (SELECT 1 FROM quarantine)')
  const remove = query<[string, string], unknown>('DELETE FROM quarantine WHERE format = ? AND fingerprint = ?')
  return (stored: readonly Ready[]): void => {
    if (anyWaits.get() === 1) for (const { call } of stored) remove.run(call.source, fingerprint(call.raw))
  }
}

const fingerprint = (raw: string): string => hash('sha256', raw)
