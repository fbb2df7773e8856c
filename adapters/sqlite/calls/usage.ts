import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog } from '../../../core/calls/record-call.ts'
import type { Timestamp } from '../../../core/dates.ts'
import type { Calls, UsageGroup, UsageLine } from '../../../core/ports/calls.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { FOREVER, type Period } from '../../../core/rating/period.ts'
import { rateTo } from '../../../core/rating/rate-call.ts'
import { NO_USAGE, together, type Usage } from '../../../core/rating/usage.ts'
import type { Connection } from '../database/database.ts'
import { IS_ACTIVE, IS_ANSWERED, UNRATED } from './call-ratings.ts'
import type { Catalogs } from './catalogs.ts'
import { type Key, type KeyOf, tallying } from './tally.ts'

/** Marks the prefix that a call was rated by if the rate itself is unknown. */
const BY_PREFIX = '='

/** The key of each grouping; null where only the number decides. */
const KEYS: Readonly<Record<UsageGroup | 'all', string>> = {
  all: '0',
  day: 'd.number',
  direction: 'c.direction',
  extension: 'coalesce(c.extension_id, 0)',
  destination: `coalesce(r.rate_id, '${BY_PREFIX}' || r.prefix, CASE
    WHEN r.cdr_id IS NULL THEN '(entered by hand)'
    WHEN r.outcome IN ('inbound', 'emergency', 'no match') THEN '(' || r.outcome || ')'
    WHEN c.direction = 'inbound' THEN '(inbound)' END)`,
}

/** What is added up for each call. */
const SUMS = `${IS_ANSWERED}, c.duration_seconds, c.bill_seconds, c.cost, coalesce(${UNRATED}, 0)`

const CALLS = `FROM (SELECT key AS number, value ->> 'from' AS since, value ->> 'to' AS until FROM json_each(?)) d
  CROSS JOIN cdrs c ON c.tenant_id = ? AND c.started_at >= d.since AND c.started_at < d.until
  LEFT JOIN cdr_ratings r ON r.cdr_id = c.id`

/** Most calls without a kept rate were not answered: only their number counts. */
const IS_NOTHING = `r.rate_id IS NULL AND r.outcome = 'not answered' AND r.prefix IS NULL AND c.direction <> 'inbound'
  AND c.bill_seconds = 0 AND c.cost = 0 AND NOT ${IS_ANSWERED}`

const BY_DESTINATION = `SELECT tally(${KEYS.destination}, ${SUMS}, iif(r.rate_id IS NULL, c.destination_number, NULL),
    iif(r.rate_id IS NULL, c.started_at, NULL)) FILTER (WHERE NOT (? AND ${IS_NOTHING})),
  json_group_array(c.destination_number) FILTER (WHERE ? AND ${IS_NOTHING}) ${CALLS}`

type Days = Parameters<Calls['usage']>[1]

/** Returns the totals of a tenant's calls. Days are periods in UTC, for any time zone. */
export function usageReport(connection: Connection, catalogs: Catalogs, clock: Clock): Pick<Calls, 'usage'> {
  const tallies = tallying(connection)
  const named = groupNames(connection)
  const destinations = destinationNames(connection)

  const sumsBy = (group: Exclude<keyof typeof KEYS, 'destination'>, tenantId: number, days: Days) => {
    const { run, sums } = tallies(key => key)
    const stretches = group === 'day' ? days : [wholeOf(days)]
    run(`SELECT tally(${KEYS[group]}, ${SUMS}) ${CALLS}`, [JSON.stringify(stretches), tenantId])
    return sums
  }
  /** Day by day, so that it holds only one day's numbers. */
  const sumsByDestination = async (tenantId: number, days: Days) => {
    // Nothing else can be read while a statement runs.
    await catalogs.ready(new Set([tenantId]), () => wholeOf(days))
    const catalog = catalogs.of(tenantId)
    const names = destinations(tenantId)
    const keyOf = destinationOf(catalog, clock.now())
    const { run, add, sums } = tallies(key => (typeof key === 'number' ? names[key] : null) ?? key, keyOf)
    for (const day of days) {
      const isOneDeck = Number(catalog?.deckAt(day.from) === catalog?.deckAt(day.to))
      const numbers = run(BY_DESTINATION, [isOneDeck, isOneDeck, JSON.stringify([day]), tenantId])
      for (const number of JSON.parse(String(numbers))) add(keyOf(number, day.from))
      await nextTurn()
    }
    return sums
  }
  return {
    usage: async (tenantId, days, by) => {
      const group = by ?? 'all'
      const sums = group === 'destination' ? await sumsByDestination(tenantId, days) : sumsBy(group, tenantId, days)
      const lines = linesOf(sums, named(group, tenantId, days))
      return group === 'day' || group === 'direction' ? lines.sort(byName) : lines.sort(byCost)
    },
  }
}

const wholeOf = (days: Days): Period => ({ from: days[0]?.from ?? FOREVER.from, to: days.at(-1)?.to ?? FOREVER.to })

const byName = (a: UsageLine, b: UsageLine): number => (String(a.group) < String(b.group) ? -1 : 1)
const byCost = (a: UsageLine, b: UsageLine): number => b.cost - a.cost || b.calls - a.calls || byName(a, b)

/** Keys with the same name, such as two deleted extensions, become one line. */
function linesOf(sums: ReadonlyMap<Key, Usage>, nameOf: (key: Key) => string | null): UsageLine[] {
  const lines = new Map<string | null, UsageLine>()
  for (const [key, sum] of sums) {
    const group = nameOf(key)
    lines.set(group, { group, ...together(lines.get(group) ?? NO_USAGE, sum) })
  }
  return [...lines.values()]
}

/**
 * Returns the key of an outbound call without a kept rate: by the deck in force when it started, or the present one if
 * that is no longer kept.
 */
function destinationOf(catalog: Catalog | null, now: Timestamp): KeyOf {
  const present = catalog?.deckAt(now) ?? null
  return (number, startedAt) => {
    if (!catalog) return '(no match)'
    const rate = rateTo(catalog.deckAt(startedAt) ?? present, catalog.dialling.read(number))
    return typeof rate === 'string' ? `(${rate})` : (rate.id ?? BY_PREFIX + rate.prefix)
  }
}

/** Returns the destinations of a tenant's rates by id; as one text, which takes a third of the time of rows. */
function destinationNames({ value }: Connection) {
  const all = value<[number], string>('SELECT json_group_object(id, destination) FROM rates WHERE tenant_id = ?')
  return (tenantId: number): Readonly<Record<Key, string>> => JSON.parse(all.get(tenantId) ?? '{}')
}

/**
 * Names the destination of a deleted rate: by the past deck it belonged to, else by the rate of its prefix, else the
 * prefix.
 */
function formerDestinations({ value, rows }: Connection) {
  const prefixes = rows<[number], [number, string]>(
    `SELECT r.rate_id, max(r.prefix) FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id
     WHERE r.rate_id IS NOT NULL AND c.tenant_id = ? GROUP BY 1`,
  )
  const present = value<[number, string], string>(
    `SELECT destination FROM rates WHERE tenant_id = ? AND prefix = ? ORDER BY ${IS_ACTIVE} DESC, id DESC LIMIT 1`,
  )
  const past = rows<[number], [number, string]>(
    `SELECT r.rate_id, r.destination FROM deck_rates r JOIN decks d ON d.id = r.deck_id
     WHERE d.tenant_id = ? AND r.rate_id NOT NULL AND r.rate_id NOT IN (SELECT id FROM rates) ORDER BY d.effective_at`,
  )
  return (tenantId: number) => {
    const onceOf = (pairs: typeof past) => {
      let all: ReadonlyMap<Key, string> | null = null
      return (key: Key): string | undefined => {
        all ??= new Map(pairs.all(tenantId))
        return all.get(key)
      }
    }
    const [pastOf, prefixOf] = [onceOf(past), onceOf(prefixes)]
    return (key: Key): string => {
      const former = typeof key === 'number' ? pastOf(key) : undefined
      if (former !== undefined) return former
      const prefix = typeof key === 'number' ? prefixOf(key) : key.startsWith(BY_PREFIX) ? key.slice(1) : undefined
      if (prefix !== undefined) return present.get(tenantId, prefix) ?? prefix
      return typeof key === 'number' ? `(${key})` : key
    }
  }
}

function groupNames(connection: Connection) {
  const extension = connection.value<[number], string>('SELECT extension_number FROM extensions WHERE id = ?')
  const former = formerDestinations(connection)
  return (group: UsageGroup | 'all', tenantId: number, days: Days): ((key: Key) => string | null) => {
    if (group === 'all') return () => null
    if (group === 'day') return key => days[Number(key)]?.day ?? null
    if (group === 'destination') return former(tenantId)
    if (group === 'extension') return key => extension.get(Number(key)) ?? '(none)'
    return String
  }
}
