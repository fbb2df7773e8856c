import type { Timestamp } from '../../core/dates.ts'
import type { Calls, UsageGroup, UsageLine } from '../../core/ports/calls.ts'
import type { Clock } from '../../core/ports/system.ts'
import { FOREVER } from '../../core/rating/period.ts'
import { rateTo } from '../../core/rating/rate-call.ts'
import type { Catalog } from '../../core/rating/record-call.ts'
import { NO_USAGE, together, type Usage } from '../../core/rating/usage.ts'
import type { Catalogs } from './catalogs.ts'
import type { Connection } from './database.ts'
import { UNRATED } from './rerate-steps.ts'
import { type Key, type KeyOf, tallies } from './tally.ts'

/** In front of a prefix by which a call was rated, where the rate itself is not known. */
const BY_PREFIX = '='

/** What each group's calls have in common; null where only their number tells it. */
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

/** Calls that were not answered have no rate. They belong to the destination that their number had when they started. */
const NUMBER = 'iif(r.rate_id IS NULL, c.destination_number, NULL), iif(r.rate_id IS NULL, c.started_at, NULL)'

type Days = Parameters<Calls['usage']>[1]

/** What a tenant's calls come to. Days are stretches of UTC, so that any time zone's will do. */
export function usageReport(connection: Connection, catalogs: Catalogs, clock: Clock): Pick<Calls, 'usage'> {
  const tally = tallies(connection)
  const named = groupNames(connection)
  const destinations = destinationNames(connection)
  return {
    usage: async (tenantId, days, by) => {
      const group = by ?? 'all'
      const isByDestination = group === 'destination'
      const names = isByDestination ? destinations(tenantId) : {}
      const whole = days.slice(0, 1).map(first => ({ ...first, to: days.at(-1)?.to ?? first.to }))
      // Nothing else can be read while the statement runs.
      if (isByDestination) await catalogs.ready(new Set([tenantId]), () => whole[0] ?? FOREVER)
      const sums = tally(
        `SELECT tally(${KEYS[group]}, upper(c.disposition) = 'ANSWERED', c.duration_seconds, c.bill_seconds, c.cost,
           coalesce(${UNRATED}, 0)${isByDestination ? `, ${NUMBER}` : ''})
         FROM (SELECT key AS number, value ->> 'from' AS since, value ->> 'to' AS until FROM json_each(?)) d
         CROSS JOIN cdrs c ON c.tenant_id = ? AND c.started_at >= d.since AND c.started_at < d.until
         LEFT JOIN cdr_ratings r ON r.cdr_id = c.id`,
        [JSON.stringify(group === 'day' ? days : whole), tenantId],
        key => (typeof key === 'number' ? names[key] : null) ?? key,
        isByDestination ? destinationOf(catalogs.of(tenantId), clock.now()) : undefined,
      )
      const lines = linesOf(sums, named(group, tenantId, days))
      return group === 'day' || group === 'direction' ? lines.sort(byName) : lines.sort(byCost)
    },
  }
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

/**
 * The key of an outbound call that no rate is kept with: by the deck in force when it started, or now where that one is
 * not kept any more.
 */
function destinationOf(catalog: Catalog | null, now: Timestamp): KeyOf {
  const present = catalog?.deckAt(now) ?? null
  return (number, startedAt) => {
    if (!catalog) return '(no match)'
    const rate = rateTo(catalog.deckAt(startedAt) ?? present, catalog.dialling.read(number))
    return typeof rate === 'string' ? `(${rate})` : (rate.id ?? BY_PREFIX + rate.prefix)
  }
}

/** The destinations of a tenant's rates by their ids; as one text, which takes a third of the time that rows take. */
function destinationNames({ value }: Connection) {
  const all = value<[number], string>('SELECT json_group_object(id, destination) FROM rates WHERE tenant_id = ?')
  return (tenantId: number): Readonly<Record<Key, string>> => JSON.parse(all.get(tenantId) ?? '{}')
}

/** Names the destination of a rate that is gone by the past deck that it was of, by the rate of its prefix, or by that. */
function formerDestinations({ value, rows }: Connection) {
  const prefixes = rows<[number], [number, string]>(
    `SELECT r.rate_id, max(r.prefix) FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id
     WHERE r.rate_id IS NOT NULL AND c.tenant_id = ? GROUP BY 1`,
  )
  const present = value<[number, string], string>(
    `SELECT destination FROM rates WHERE tenant_id = ? AND prefix = ? ORDER BY status = 'active' DESC, id DESC LIMIT 1`,
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
