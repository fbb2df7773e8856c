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
import { cdrs } from '../../../core/resources/cdrs.ts'
import type { Value } from '../../../core/resources/field.ts'
import type { Loading } from '../database/database.ts'
import type { Queries } from '../database/queries.ts'
import { raw, sql } from '../database/sql.ts'
import { keyOf, linkedIdOf, storedCalls } from './call-keys.ts'
import type { Catalogs } from './catalogs.ts'
import { andAt, assertCallsMayRefer, bucketNames, bucketValues, nextIds } from './spread.ts'

const FIELDS = Object.keys(cdrs.fields)

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
  within: Loading,
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

async function insert(within: Loading, fresh: readonly IncomingCall[], now: string): Promise<void> {
  const all = fresh.map(({ record }): Values => record.values)
  await assertCallsMayRefer(within, all)
  const ids = await nextIds(
    within,
    'cdrs',
    all.map(({ tenant_id }) => tenant_id),
  )
  const columns = ['id', ...FIELDS, 'created_at', 'updated_at', ...bucketNames(within)]
  const rowOf = (id: number, values: Readonly<Record<string, Value>>) => {
    const own = FIELDS.map(name => values[name] ?? null)
    return [id, ...own, now, now, ...bucketValues(within, id)]
  }
  await within.copy('cdrs', columns, eachWith(ids, all, rowOf))
  await within.copy('cdr_ratings', [...RATING, ...bucketNames(within)], eachWith(ids, fresh, ratingOf(within)))
}

/** Unlike the interface, it can be read by name. */
type Values = Pick<CallValues, keyof CallValues>

/** The columns of a rating. */
const RATING = 'cdr_id source switch_call_id outcome rate_id prefix cost_per_minute billing_increment linked_id'.split(
  ' ',
)

const ratingOf = (within: Loading) => (id: number, call: IncomingCall) => {
  const { rate, outcome } = call.record.rated
  const by = rate ? [rate.id, rate.prefix, rate.pricePerMinute, rate.increment] : [null, null, null, null]
  return [id, call.source, keyOf(call), outcome, ...by, linkedIdOf(call), ...bucketValues(within, id)]
}

function* eachWith<T, R>(ids: readonly number[], all: readonly T[], make: (id: number, each: T) => R): Iterable<R> {
  for (const [index, each] of all.entries()) yield make(ids[index] ?? 0, each)
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
