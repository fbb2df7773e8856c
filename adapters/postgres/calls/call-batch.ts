import { hash } from 'node:crypto'
import { switchOf } from '../../../core/calls/completed-call.ts'
import {
  type IncomingCall,
  periodOf,
  type SortedRecords,
  sortRecords,
  type UnusableRecord,
  unusableBecause,
} from '../../../core/calls/incoming.ts'
import { type CallValues, slugOf } from '../../../core/calls/record-call.ts'
import { separateCalls } from '../../../core/calls/separate.ts'
import { type SwitchClock, switchClock } from '../../../core/calls/switch-time.ts'
import type { Feed, IngestCounts, SwitchRecord } from '../../../core/ports/calls.ts'
import type { Queries } from '../database/database.ts'
import { joined, raw, sql } from '../database/sql.ts'
import { keyOf, linkedIdOf, storedCalls } from './call-keys.ts'
import type { Catalogs } from './catalogs.ts'
import { andAt, assertCallsMayRefer, bucketColumn, bucketOf, nextId } from './spread.ts'

/** The column type of each value of a call record; a missing value does not compile. */
const COLUMNS = {
  tenant_id: 'bigint',
  extension_id: 'bigint',
  caller_number: 'text',
  destination_number: 'text',
  direction: 'text',
  disposition: 'text',
  duration_seconds: 'bigint',
  bill_seconds: 'bigint',
  cost: 'bigint',
  started_at: 'text',
  ended_at: 'text',
} satisfies Record<keyof CallValues, string>

const NAMES = Object.keys(COLUMNS).join()

const clocks = new Map<string, SwitchClock>()

function clockOf(timezone: string): SwitchClock {
  const found = clocks.get(timezone) ?? switchClock(timezone)
  clocks.set(timezone, found)
  return found
}

/**
 * One program at a time stores calls of one kind of switch, so that no call is stored twice. The transaction then
 * finds them by indexes, even where a plan was made when there were few.
 */
export async function lockSources(within: Queries, records: readonly SwitchRecord[]): Promise<void> {
  const kinds = new Set(records.flatMap(record => ('call' in record ? switchOf(record.call.source) : [])))
  for (const kind of [...kinds].sort())
    await within.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`calls of ${kind}`}, 0))`)
  await within.run(raw('SET LOCAL enable_seqscan = off'))
}

/** Rates the records by the present catalogs, which stay unchanged until the transaction ends. */
export async function sorted(
  within: Queries,
  tenantCatalogs: Catalogs,
  { rules }: Pick<Feed, 'rules'>,
  records: readonly SwitchRecord[],
): Promise<SortedRecords> {
  const slugs = new Set(records.flatMap(record => ('call' in record ? (slugOf(record.call, rules) ?? []) : [])))
  const tenants = await within.rows<{ id: number; slug: string }>(
    sql`SELECT id, slug FROM tenants WHERE slug = ANY(${[...slugs].filter(slug => !slug.includes('\0'))})`,
  )
  const clock = clockOf(rules.timezone)
  const period = periodOf(records, clock)
  const catalogs = await tenantCatalogs.of(
    within,
    tenants.map(({ id }) => id),
    period,
    true,
  )
  const idOf = new Map(tenants.map(({ id, slug }) => [slug, id]))
  return sortRecords(records, rules, clock, slug => catalogs.get(idOf.get(slug) ?? 0) ?? null)
}

/** Stores new calls and removes them from quarantine; `conflicts` have the id of another call. */
export async function storeSorted(
  within: Queries,
  { calls, legs }: SortedRecords,
  now: string,
): Promise<Omit<IngestCounts, 'quarantined'> & { readonly conflicts: readonly UnusableRecord[] }> {
  const { fresh, conflicts, attempts, replaced } = separateCalls(calls, await storedCalls(within, calls))
  if (replaced.length > 0)
    await within.run(sql`DELETE FROM cdrs c WHERE c.id = ANY(${replaced})${andAt(within, 'c', replaced)}`)
  if (fresh.length > 0) {
    await insert(within, fresh, now)
    await release(within, fresh)
  }
  return {
    stored: fresh.length,
    known: calls.length - fresh.length - conflicts.length - attempts,
    legs: legs + attempts + replaced.length,
    unrated: fresh.filter(({ record }) => record.rated.unrated).length,
    conflicts: conflicts.map(unusableBecause),
  }
}

async function insert(within: Queries, fresh: readonly IncomingCall[], now: string): Promise<void> {
  const of = <T>(part: (call: IncomingCall) => T): T[] => fresh.map(part)
  const values = Object.entries(COLUMNS).map(
    ([name, type]) => sql`${of(({ record }) => record.values[name as keyof CallValues])}::${raw(type)}[]`,
  )
  const rate = (part: 'id' | 'pricePerMinute' | 'increment') => of(({ record }) => record.rated.rate?.[part] ?? null)
  await assertCallsMayRefer(
    within,
    of(({ record }) => record.values),
  )
  await within.run(sql`WITH u AS MATERIALIZED (
      SELECT ${nextId(within, 'cdrs', 'g.tenant_id')} AS id, g.* FROM (SELECT * FROM unnest(${joined(values, ', ')},
        ${of(({ source }) => source)}::text[], ${of(keyOf)}::text[], ${of(({ record }) => record.rated.outcome)}::text[],
        ${rate('id')}::bigint[], ${of(({ record }) => record.rated.rate?.prefix ?? null)}::text[],
        ${rate('pricePerMinute')}::bigint[], ${rate('increment')}::bigint[], ${of(linkedIdOf)}::text[])
        WITH ORDINALITY AS x(${raw(NAMES)}, source, key, outcome, rate_id, prefix, price, increment, linked_id, place)
        ORDER BY place) g),
    c AS (INSERT INTO cdrs (id, ${raw(NAMES)}, created_at, updated_at${bucketColumn(within)})
      SELECT id, ${raw(NAMES)}, ${now}, ${now}${bucketOf(within, 'id')} FROM u)
    INSERT INTO cdr_ratings
      (cdr_id, source, switch_call_id, outcome, rate_id, prefix, cost_per_minute, billing_increment, linked_id${bucketColumn(within)})
    SELECT id, source, key, outcome, rate_id, prefix, price, increment, linked_id${bucketOf(within, 'id')} FROM u`)
}

/** A quarantined record may come again under rules that make it usable. */
async function release(within: Queries, stored: readonly IncomingCall[]): Promise<void> {
  const isAny = await within.value<boolean>(sql`SELECT EXISTS (SELECT 1 FROM quarantine)`)
  if (!isAny) return
  await within.run(sql`DELETE FROM quarantine q USING unnest(${stored.map(({ call }) => call.source)}::text[],
    ${stored.map(({ call }) => fingerprint(call.raw))}::text[]) AS u(format, fingerprint)
    WHERE q.format = u.format AND q.fingerprint = u.fingerprint`)
}

/**
 * Puts records in quarantine. A record that comes again stays one record, and is retried with what delivered it last.
 */
export async function setAside(
  within: Queries,
  feed: Feed,
  unusable: readonly UnusableRecord[],
  now: string,
): Promise<void> {
  const rules = JSON.stringify(feed.rules)
  for (const { format, raw: record, reason } of unusable)
    await within.run(sql`INSERT INTO quarantine (feed, format, rules, fingerprint, record, reason, created_at)
      VALUES (${feed.name}, ${format}, ${rules}, ${fingerprint(record)}, ${Buffer.from(record)},
        ${reason.replaceAll('\0', '\ufffd')}, ${now})
      ON CONFLICT (format, fingerprint) DO UPDATE SET seen = quarantine.seen + 1, feed = excluded.feed,
        rules = excluded.rules, reason = excluded.reason`)
}

const fingerprint = (record: string): string => hash('sha256', record)
