import type { Calls, KeptRating, RatedNumber } from '../../../core/ports/calls.ts'
import type { UnratedCalls } from '../../../core/rating/check-deck.ts'
import type { Database } from '../database/database.ts'
import { idOf, keyPages } from '../database/key-pages.ts'
import { raw, sql } from '../database/sql.ts'
import { UNRATED } from './call-ratings.ts'
import { timesOf } from './deck-steps.ts'
import { andAt, andTogether } from './spread.ts'

const RATING = raw('r.outcome, r.prefix, r.cost_per_minute, r.billing_increment')
const IS_UNRATED = raw(UNRATED)

/** Reports on a call, and on a tenant's calls in a period; usage.ts reports their usage. */
export function reports(
  database: Database,
): Pick<Calls, 'ratings' | 'usedRates' | 'unratedDestinations' | 'unratedOf' | 'newestRated' | 'unratedCount'> {
  const isOfCall = andTogether(database, 'r', 'c')
  return {
    ratings: async cdrId => [
      ...(await database.rows<KeptRating>(sql`SELECT r.direction, ${RATING}, r.bill_seconds, r.cost, r.replaced_at
        FROM cdr_rating_history r WHERE r.cdr_id = ${cdrId}${andAt(database, 'r', cdrId)} ORDER BY r.id`)),
      ...(await database.rows<KeptRating>(sql`SELECT c.direction, ${RATING}, c.bill_seconds, c.cost, NULL AS replaced_at
        FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id${isOfCall} WHERE r.cdr_id = ${cdrId}${andAt(database, 'r', cdrId)}`)),
    ],
    usedRates: async (tenantId, { from, to }) =>
      new Set(
        await database.planned.values<number>(sql`SELECT DISTINCT r.rate_id FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id${isOfCall}
          WHERE c.tenant_id = ${tenantId}${andAt(database, 'c', tenantId)} AND c.started_at >= ${from} AND c.started_at < ${to} AND r.rate_id IS NOT NULL`),
      ),
    unratedDestinations: async (tenantId, { from, to }) => {
      const times = await timesOf(database, tenantId)
      return database.planned.rows<UnratedCalls>(sql`SELECT c.destination_number AS number, c.duration_seconds AS seconds,
          count(*) AS calls, min(c.started_at) AS "startedAt"
        FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id${isOfCall}
        LEFT JOIN LATERAL (SELECT max(d.at) AS since FROM unnest(${times.map(({ effectiveAt }) => effectiveAt)}::text[]) AS d(at)
          WHERE d.at COLLATE "C" <= c.started_at) k ON true
        WHERE c.tenant_id = ${tenantId}${andAt(database, 'c', tenantId)} AND c.started_at >= ${from} AND c.started_at < ${to} AND ${IS_UNRATED}
        GROUP BY 1, 2, k.since`)
    },
    unratedOf: tenantIds => unratedOf(database, tenantIds),
    newestRated: (tenantId, { from, to }, most) =>
      database.rows<RatedNumber>(sql`SELECT c.destination_number AS number, r.prefix
        FROM (SELECT c.* FROM cdrs c WHERE tenant_id = ${tenantId}${andAt(database, 'c', tenantId)}
            AND started_at >= ${from} AND started_at < ${to} ORDER BY started_at DESC, id DESC LIMIT ${most}) c
        JOIN cdr_ratings r ON r.cdr_id = c.id${isOfCall} WHERE r.outcome = 'rated' AND r.prefix IS NOT NULL
        ORDER BY c.started_at DESC, c.id DESC`),
    unratedCount: async () =>
      (await database.planned.value<number>(sql`SELECT count(*) FROM cdr_ratings r WHERE ${IS_UNRATED}`)) ?? 0,
  }
}

interface UnratedRow {
  readonly id: number
  readonly tenantId: number
  readonly number: string
}

const PAGE = 2_000

function unratedOf(database: Database, tenantIds: readonly number[]): AsyncIterable<readonly UnratedRow[]> {
  return keyPages<UnratedRow>(
    database.long,
    PAGE,
    idOf,
    id => sql`SELECT c.id, c.tenant_id AS "tenantId", c.destination_number AS number
      FROM cdr_ratings r JOIN cdrs c ON c.id = r.cdr_id${andTogether(database, 'r', 'c')}
      WHERE r.cdr_id > ${id} AND ${IS_UNRATED} AND c.tenant_id = ANY(${tenantIds}) ORDER BY r.cdr_id`,
  )
}
