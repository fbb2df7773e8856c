import type { Calls, KeptRating, UsageGroup, UsageLine } from '../../core/ports/calls.ts'
import type { UnratedCalls } from '../../core/rating/check-deck.ts'
import { NO_USAGE, together, type Usage } from '../../core/rating/usage.ts'
import type { Connection } from './database.ts'
import { keySetPages } from './key-set.ts'
import { UNRATED } from './rerate-steps.ts'
import { tallies } from './tally.ts'

type Key = string | number

/** What each group's calls have in common. */
const KEYS: Readonly<Record<UsageGroup | 'all', string>> = {
  all: '0',
  day: 'd.number',
  direction: 'c.direction',
  extension: 'coalesce(c.extension_id, 0)',
  destination: `coalesce(r.rate_id, '(' || coalesce(r.outcome, 'entered by hand') || ')')`,
}

const RATING = 'r.outcome, r.prefix, r.cost_per_minute, r.billing_increment'

/**
 * What is told of a call, and of a tenant's calls in a period. Days are stretches of UTC, so that any time zone's will
 * do.
 */
export function reports(
  connection: Connection,
): Pick<Calls, 'ratings' | 'usage' | 'usedRates' | 'unratedDestinations' | 'newestUnrated'> {
  const { query, value } = connection
  const tally = tallies(connection)
  const named = groupNames(connection)
  const destinations = destinationNames(connection)
  return {
    ratings: async cdrId => [
      ...query<[number], KeptRating>(
        `SELECT r.direction, ${RATING}, r.bill_seconds, r.cost, r.replaced_at FROM cdr_rating_history r WHERE r.cdr_id = ? ORDER BY r.id`,
      ).all(cdrId),
      ...query<[number], KeptRating>(
        `SELECT c.direction, ${RATING}, c.bill_seconds, c.cost, NULL AS replaced_at
         FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id WHERE r.cdr_id = ?`,
      ).all(cdrId),
    ],
    usage: async (tenantId, days, by) => {
      const group = by ?? 'all'
      const names = group === 'destination' ? destinations(tenantId) : {}
      const whole = days.slice(0, 1).map(first => ({ ...first, to: days.at(-1)?.to ?? first.to }))
      const sums = tally(
        `SELECT tally(${KEYS[group]}, upper(c.disposition) = 'ANSWERED', c.duration_seconds, c.bill_seconds, c.cost,
           coalesce(${UNRATED}, 0))
         FROM (SELECT key AS number, value ->> 'from' AS since, value ->> 'to' AS until FROM json_each(?)) d
         CROSS JOIN cdrs c ON c.tenant_id = ? AND c.started_at >= d.since AND c.started_at < d.until
         LEFT JOIN cdr_ratings r ON r.cdr_id = c.id`,
        [JSON.stringify(group === 'day' ? days : whole), tenantId],
        key => (typeof key === 'number' ? names[key] : null) ?? key,
      )
      const lines = linesOf(sums, named(group, tenantId, days))
      return group === 'day' || group === 'direction' ? lines.sort(byName) : lines.sort(byCost)
    },
    usedRates: async (tenantId, { from, to }) =>
      new Set(
        value<[number, string, string], number>(
          `SELECT DISTINCT r.rate_id FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id
           WHERE c.tenant_id = ? AND c.started_at >= ? AND c.started_at < ? AND r.rate_id IS NOT NULL`,
        ).all(tenantId, from, to),
      ),
    unratedDestinations: async (tenantId, { from, to }) =>
      query<[number, string, string], UnratedCalls>(
        `SELECT c.destination_number AS number, c.duration_seconds AS seconds, count(*) AS calls,
           min(c.started_at) AS startedAt
         FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id
         WHERE c.tenant_id = ? AND c.started_at >= ? AND c.started_at < ? AND ${UNRATED}
         GROUP BY 1, 2, (SELECT max(d.effective_at) FROM decks d WHERE d.tenant_id = c.tenant_id AND d.effective_at <= c.started_at)`,
      ).all(tenantId, from, to),
    newestUnrated: () => newestUnrated(connection),
  }
}

interface UnratedRow {
  readonly id: number
  readonly tenantId: number
  readonly number: string
}

const PAGE = 2_000

async function* newestUnrated({ query }: Connection): AsyncIterable<readonly UnratedRow[]> {
  const page = query<[number], UnratedRow>(
    `SELECT c.id, c.tenant_id AS tenantId, c.destination_number AS number
     FROM cdr_ratings r CROSS JOIN cdrs c ON c.id = r.cdr_id
     WHERE r.cdr_id < ? AND ${UNRATED} ORDER BY r.cdr_id DESC LIMIT ${PAGE}`,
  )
  yield* keySetPages<UnratedRow>(PAGE, last => page.all(last?.id ?? Number.MAX_SAFE_INTEGER))
}

const byName = (a: UsageLine, b: UsageLine): number => (String(a.group) < String(b.group) ? -1 : 1)
const byCost = (a: UsageLine, b: UsageLine): number => b.cost - a.cost || b.calls - a.calls || byName(a, b)

/** Keys of one name, such as two extensions that are gone, make one line. */
function linesOf(sums: ReadonlyMap<Key, Usage>, nameOf: (key: Key) => string | null): UsageLine[] {
  const lines = new Map<string | null, UsageLine>()
  for (const [key, sum] of sums) {
    const group = nameOf(key)
    lines.set(group, { group, ...together(lines.get(group) ?? NO_USAGE, sum) })
  }
  return [...lines.values()]
}

/** The destinations of a tenant's rates by their ids; as one text, which takes a third of the time that rows take. */
function destinationNames({ value }: Connection) {
  const all = value<[number], string>('SELECT json_group_object(id, destination) FROM rates WHERE tenant_id = ?')
  return (tenantId: number): Readonly<Record<Key, string>> => JSON.parse(all.get(tenantId) ?? '{}')
}

function groupNames({ value, rows }: Connection) {
  const extension = value<[number], string>('SELECT extension_number FROM extensions WHERE id = ?')
  const prefixes = rows<[number], [number, string]>(
    `SELECT r.rate_id, max(r.prefix) FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id
     WHERE r.rate_id IS NOT NULL AND c.tenant_id = ? GROUP BY 1`,
  )
  // A rate that was deleted is named by the prefix that is kept with its calls.
  const destinationName = (tenantId: number) => {
    let former: ReadonlyMap<Key, string> | null = null
    const formerName = (key: number): string => {
      former ??= new Map(prefixes.all(tenantId))
      return former.get(key) ?? `(${key})`
    }
    return (key: Key): string => (typeof key === 'number' ? formerName(key) : key)
  }
  return (
    group: UsageGroup | 'all',
    tenantId: number,
    days: readonly { readonly day: string }[],
  ): ((key: Key) => string | null) => {
    if (group === 'all') return () => null
    if (group === 'day') return key => days[Number(key)]?.day ?? null
    if (group === 'destination') return destinationName(tenantId)
    if (group === 'extension') return key => extension.get(Number(key)) ?? '(none)'
    return String
  }
}
