import type { Calls, UsageGroup, UsageLine } from '../../core/ports.ts'
import type { Connection } from './database.ts'

/** What each group is named by, and the joins that takes. */
const GROUPS: Readonly<Record<UsageGroup | 'all', { readonly sql: string; readonly joins?: string }>> = {
  all: { sql: 'NULL' },
  day: { sql: 'd.day' },
  direction: { sql: 'c.direction' },
  extension: {
    sql: `coalesce(e.extension_number, '(none)')`,
    joins: 'LEFT JOIN extensions e ON e.id = c.extension_id',
  },
  destination: {
    sql: `CASE WHEN r.rate_id IS NULL THEN '(' || coalesce(r.outcome, 'entered by hand') || ')'
          ELSE coalesce(p.destination, r.prefix) END`,
    joins: 'LEFT JOIN rates p ON p.id = r.rate_id',
  },
}

/** What is told of a tenant's calls in a period. Days are stretches of UTC, so that any time zone's will do. */
export function reports({ query, value }: Connection): Pick<Calls, 'usage' | 'usedRates' | 'unratedDestinations'> {
  return {
    usage: async (tenantId, days, by) => {
      const { sql, joins = '' } = GROUPS[by ?? 'all']
      const stretches =
        by === 'day' ? days : days.slice(0, 1).map(first => ({ ...first, to: days.at(-1)?.to ?? first.to }))
      return query<[string, number], UsageLine>(
        `SELECT ${sql} AS "group", count(*) AS calls,
           sum(upper(c.disposition) = 'ANSWERED') AS answered,
           sum(iif(upper(c.disposition) = 'ANSWERED', c.duration_seconds, 0)) AS seconds,
           sum(c.bill_seconds) AS bill_seconds, sum(c.cost) AS cost,
           sum(coalesce(r.outcome IN ('no match', 'too large'), 0)) AS unrated
         FROM (SELECT value ->> 'day' AS day, value ->> 'from' AS since, value ->> 'to' AS until FROM json_each(?)) d
         CROSS JOIN cdrs c ON c.tenant_id = ? AND c.started_at >= d.since AND c.started_at < d.until
         LEFT JOIN cdr_ratings r ON r.cdr_id = c.id ${joins}
         GROUP BY 1 ORDER BY ${by === 'day' || by === 'direction' ? '1' : 'cost DESC, calls DESC'}`,
      )
        .all(JSON.stringify(stretches), tenantId)
        .filter(({ calls }) => calls > 0)
    },
    usedRates: async (tenantId, { from, to }) =>
      new Set(
        value<[number, string, string], number>(
          `SELECT DISTINCT r.rate_id FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id
           WHERE c.tenant_id = ? AND c.started_at >= ? AND c.started_at < ? AND r.rate_id IS NOT NULL`,
        ).all(tenantId, from, to),
      ),
    unratedDestinations: async (tenantId, { from, to }) =>
      query<[number, string, string], { number: string; calls: number }>(
        `SELECT c.destination_number AS number, count(*) AS calls FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id
         WHERE c.tenant_id = ? AND c.started_at >= ? AND c.started_at < ? AND r.outcome IN ('no match', 'too large')
         GROUP BY 1 ORDER BY 2 DESC`,
      ).all(tenantId, from, to),
  }
}
