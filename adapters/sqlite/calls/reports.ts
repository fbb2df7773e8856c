import type { Calls, KeptRating, RatedNumber } from '../../../core/ports/calls.ts'
import type { UnratedCalls } from '../../../core/rating/check-deck.ts'
import type { Connection } from '../database/database.ts'
import { keySetPages } from '../database/key-set.ts'
import { UNRATED } from './call-ratings.ts'
import { unratedCount } from './unrated.ts'

const RATING = 'r.outcome, r.prefix, r.cost_per_minute, r.billing_increment'

/** Reports about a call, and about a tenant's calls in a period; for their usage see usage.ts. */
export function reports(
  connection: Connection,
): Pick<Calls, 'ratings' | 'usedRates' | 'unratedDestinations' | 'unratedOf' | 'newestRated' | 'unratedCount'> {
  const { query, value } = connection
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
    unratedOf: tenantIds => unratedOf(connection, tenantIds),
    newestRated: async (tenantId, { from, to }, most) =>
      query<[number, string, string, number], RatedNumber>(
        `SELECT c.destination_number AS number, r.prefix
         FROM (SELECT id, destination_number FROM cdrs WHERE tenant_id = ? AND started_at >= ? AND started_at < ?
               ORDER BY started_at DESC, id DESC LIMIT ?) c
         CROSS JOIN cdr_ratings r ON r.cdr_id = c.id WHERE r.outcome = 'rated' AND r.prefix IS NOT NULL`,
      ).all(tenantId, from, to, most),
    unratedCount: async () => unratedCount(connection),
  }
}

interface UnratedRow {
  readonly id: number
  readonly tenantId: number
  readonly number: string
}

const PAGE = 2_000

async function* unratedOf({ query }: Connection, tenantIds: readonly number[]): AsyncIterable<readonly UnratedRow[]> {
  if (tenantIds.length === 0) return
  const page = query<[number, string], UnratedRow>(
    `SELECT c.id, c.tenant_id AS tenantId, c.destination_number AS number
     FROM cdr_ratings r CROSS JOIN cdrs c ON c.id = r.cdr_id
     WHERE r.cdr_id > ? AND ${UNRATED} AND c.tenant_id IN (SELECT value FROM json_each(?)) ORDER BY r.cdr_id LIMIT ${PAGE}`,
  )
  const tenants = JSON.stringify(tenantIds)
  yield* keySetPages<UnratedRow>(PAGE, last => page.all(last?.id ?? 0, tenants))
}
