import type { Catalog } from '../../../core/calls/record-call.ts'
import type { Timestamp } from '../../../core/dates.ts'
import type { Calls, UsageGroup, UsageLine } from '../../../core/ports/calls.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { FOREVER, type Period } from '../../../core/rating/period.ts'
import { rateTo } from '../../../core/rating/rate-call.ts'
import { NO_USAGE, together, type Usage } from '../../../core/rating/usage.ts'
import type { Database } from '../database/database.ts'
import type { LongReads } from '../database/long-reads.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import { IS_ANSWERED, UNRATED } from './call-ratings.ts'
import type { Catalogs } from './catalogs.ts'
import { BY_PREFIX, destinationNames, type Key } from './destination-names.ts'
import { andAt, andTogether } from './spread.ts'

type Days = Parameters<Calls['usage']>[1]
type Sums = ReadonlyMap<Key, Usage>

/** The sums over calls. */
const SUMS = raw(`count(*) AS calls, count(*) FILTER (WHERE ${IS_ANSWERED}) AS answered,
  coalesce(sum(c.duration_seconds) FILTER (WHERE ${IS_ANSWERED}), 0)::bigint AS seconds,
  coalesce(sum(c.bill_seconds), 0)::bigint AS bill_seconds, coalesce(sum(c.cost), 0)::bigint AS cost,
  count(*) FILTER (WHERE ${UNRATED}) AS unrated`)

/** What the calls of each group share. */
const KEYS: Readonly<Record<Exclude<UsageGroup, 'destination'> | 'all', string>> = {
  all: 'NULL',
  day: 'd.number',
  direction: 'c.direction',
  extension: 'coalesce(c.extension_id, 0)',
}

/** The destination of a call by its rating; null if only its number tells it. */
const DESTINATION = raw(`coalesce(r.rate_id::text, '${BY_PREFIX}' || r.prefix, CASE
  WHEN r.cdr_id IS NULL THEN '(entered by hand)'
  WHEN r.outcome IN ('inbound', 'emergency', 'no match') THEN '(' || r.outcome || ')'
  WHEN c.direction = 'inbound' THEN '(inbound)' END)`)

/** Sums a tenant's calls. Days are periods of UTC, so any time zone works. */
export function usageReport(database: Database, catalogs: Catalogs, clock: Clock): Pick<Calls, 'usage'> {
  /** Day by day, so that it holds only one day's numbers. */
  const sumsByDestination = async (reads: LongReads, tenantId: number, days: Days): Promise<Sums> => {
    const now = clock.now()
    const whole = wholeOf(days)
    const period = { from: whole.from < now ? whole.from : now, to: whole.to > now ? whole.to : FOREVER.to }
    const found = await database.snapshot(within => catalogs.of(within, [tenantId], period, false))
    const catalog = found.get(tenantId) ?? null
    const keyOf = destinationOf(catalog, now)
    const all: [Key, Usage][] = []
    for (const day of days) {
      const isOneDeck = catalog?.deckAt(day.from) === catalog?.deckAt(day.to)
      for (const { key, number, start, ...sums } of await destinationsOf(reads, tenantId, day, isOneDeck))
        all.push([key === null ? keyOf(number ?? '', start ?? '') : /^\d+$/.test(key) ? Number(key) : key, sums])
    }
    return added(all)
  }
  return {
    usage: async (tenantId, days, by, signal) => {
      const group = by ?? 'all'
      const reads = database.until(signal)
      const sums = await (group === 'destination'
        ? sumsByDestination(reads, tenantId, days)
        : sumsBy(reads, group, tenantId, days))
      const names = namesOf(database, tenantId, days)[group]
      const lines = linesOf(sums, await names([...sums.keys()]))
      return group === 'day' || group === 'direction' ? lines.sort(byName) : lines.sort(byCost)
    },
  }
}

const callsIn = (
  queries: Queries,
  tenantId: number,
  days: Days,
): Sql => sql`FROM unnest(${days.map(({ from }) => from)}::text[],
      ${days.map(({ to }) => to)}::text[]) WITH ORDINALITY AS d(since, until, number)
    JOIN cdrs c ON c.tenant_id = ${tenantId}${andAt(queries, 'c', tenantId)} AND c.started_at >= d.since AND c.started_at < d.until
    LEFT JOIN cdr_ratings r ON r.cdr_id = c.id${andTogether(queries, 'r', 'c')}`

async function sumsBy({ planned }: LongReads, group: keyof typeof KEYS, tenantId: number, days: Days): Promise<Sums> {
  const stretches = group === 'day' ? days : [{ day: '', ...wholeOf(days) }]
  const rows = await planned.rows<Usage & { readonly key: Key | null }>(
    sql`SELECT ${raw(KEYS[group])} AS key, ${SUMS} ${callsIn(planned, tenantId, stretches)} GROUP BY 1`,
  )
  return added(rows.map(({ key, ...sums }) => [key ?? '', sums]))
}

/** The sums of calls with one destination; `key` is null if only the number and the deck at the start tell it. */
interface DestinationSums extends Usage {
  readonly key: string | null
  readonly number: string | null
  readonly start: string | null
}

/** Sums a day's calls by destination. With one deck all day, one start stands for all. */
function destinationsOf(
  { planned }: LongReads,
  tenantId: number,
  day: Days[number],
  isOneDeck: boolean,
): Promise<DestinationSums[]> {
  const start = isOneDeck ? sql`${day.from}::text` : raw('c.started_at')
  return planned.rows<DestinationSums>(
    sql`SELECT k.key, CASE WHEN k.key IS NULL THEN c.destination_number END AS number,
        CASE WHEN k.key IS NULL THEN ${start} END AS start, ${SUMS}
      ${callsIn(planned, tenantId, [day])} CROSS JOIN LATERAL (SELECT ${DESTINATION} AS key) k GROUP BY 1, 2, 3`,
  )
}

const wholeOf = (days: Days): Period => ({ from: days[0]?.from ?? FOREVER.from, to: days.at(-1)?.to ?? FOREVER.to })

const byName = (a: UsageLine, b: UsageLine): number => (String(a.group) < String(b.group) ? -1 : 1)
const byCost = (a: UsageLine, b: UsageLine): number => b.cost - a.cost || b.calls - a.calls || byName(a, b)

function added(all: readonly (readonly [Key, Usage])[]): Sums {
  const sums = new Map<Key, Usage>()
  for (const [key, sum] of all) sums.set(key, together(sums.get(key) ?? NO_USAGE, sum))
  return sums
}

/** Keys with one name, such as two deleted extensions, share a line. */
function linesOf(sums: Sums, nameOf: (key: Key) => string | null): UsageLine[] {
  const lines = new Map<string | null, UsageLine>()
  for (const [key, sum] of sums) {
    const group = nameOf(key)
    lines.set(group, { group, ...together(lines.get(group) ?? NO_USAGE, sum) })
  }
  return [...lines.values()]
}

/**
 * The key of an outbound call without a rate: by the deck in force when it started or, if that is no longer kept, by
 * the present one.
 */
function destinationOf(catalog: Catalog | null, now: Timestamp): (number: string, startedAt: string) => Key {
  const present = catalog?.deckAt(now) ?? null
  return (number, startedAt) => {
    if (!catalog) return '(no match)'
    const rate = rateTo(catalog.deckAt(startedAt) ?? present, catalog.dialling.read(number))
    return typeof rate === 'string' ? `(${rate})` : (rate.id ?? BY_PREFIX + rate.prefix)
  }
}

type Names = (keys: readonly Key[]) => Promise<(key: Key) => string | null>

/** Returns what names the keys of each group. */
const namesOf = (database: Database, tenantId: number, days: Days): Readonly<Record<UsageGroup | 'all', Names>> => ({
  all: async () => () => null,
  day: async () => key => days[Number(key) - 1]?.day ?? null,
  direction: async () => String,
  destination: keys => destinationNames(database, tenantId, keys),
  extension: async keys => {
    const rows = await database.rows<{ id: number; number: string }>(
      sql`SELECT id, extension_number AS number FROM extensions WHERE id = ANY(${keys.map(Number)})`,
    )
    const numbers = new Map(rows.map(({ id, number }) => [id, number]))
    return key => numbers.get(Number(key)) ?? '(none)'
  },
})
