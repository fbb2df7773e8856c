import type { Catalog } from '../../../core/calls/record-call.ts'
import {
  type NewRating,
  type ReplacedRating,
  replacement,
  rerate,
  type StoredCall,
} from '../../../core/calls/rerating.ts'
import { notFound } from '../../../core/errors.ts'
import type { Calls, Rerated, RerateOptions, RerateQuery, RerateResult } from '../../../core/ports/calls.ts'
import type { Clock } from '../../../core/ports/system.ts'
import type { Database } from '../database/database.ts'
import { idOf, keyPages } from '../database/key-pages.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import type { AuditTrail } from '../service/audit.ts'
import { UNRATED } from './call-ratings.ts'
import type { Catalogs } from './catalogs.ts'
import { andAt, andTogether, bucketColumn, bucketOf } from './spread.ts'

const PAGE = 2_000

interface Changed {
  readonly id: number
  readonly rating: NewRating
}

/** Rates stored calls of switches again; the cost of other calls was entered by hand. */
export function rerating(
  database: Database,
  catalogs: Catalogs,
  clock: Clock,
  trail: AuditTrail,
): Pick<Calls, 'rerate'> {
  const catalogOf = async (within: Queries, query: RerateQuery, isLocked: boolean): Promise<Catalog> => {
    const found = await catalogs.of(within, [query.tenantId], query, isLocked)
    const catalog = found.get(query.tenantId)
    if (!catalog) throw notFound('Tenant')
    return catalog
  }
  const foreseen = async (query: RerateQuery, { sample, onChanges, signal }: RerateOptions): Promise<RerateResult> => {
    const session = database.session(signal)
    try {
      return await session.snapshot(async within => {
        const catalog = await catalogOf(within, query, false)
        return rated(within, query, catalog, sample, async changes => onChanges?.(changes))
      })
    } finally {
      await session.close()
    }
  }
  /** Stores all changes at once, then passes them to `onChanges`. */
  const stored = async (query: RerateQuery, { sample, onChanges, by }: RerateOptions): Promise<RerateResult> => {
    const session = database.session()
    try {
      await session.script('CREATE TEMP TABLE rerated (id bigint PRIMARY KEY)')
      const result = await session.write(async within => {
        await within.script('TRUNCATE rerated')
        const catalog = await catalogOf(within, query, true)
        const now = clock.now()
        const done = await rated(within, query, catalog, sample, (_, changed) =>
          apply(within, query.tenantId, changed, now),
        )
        const { examined, changed } = done
        if (changed > 0)
          await trail.note(within, 'rerate', 'cdrs', null, { tenant_id: query.tenantId, examined, changed }, by)
        return done
      })
      if (onChanges) for await (const changes of keptChanges(session, query.tenantId)) await onChanges(changes)
      return result
    } finally {
      await session.close()
    }
  }
  return { rerate: (query, options) => (options.dryRun ? foreseen : stored)(query, options) }
}

/** Rates page by page; passes on the changes of a page with their new ratings before it reads the next one. */
async function rated(
  within: Queries,
  query: RerateQuery,
  catalog: Catalog,
  sample: number,
  onPage: (changes: readonly Rerated[], changed: readonly Changed[]) => Promise<void>,
): Promise<RerateResult> {
  const waiting: (readonly StoredCall[])[] = []
  let changed: Changed[] = []
  const steps = rerate({
    pages: taken(waiting),
    catalog: () => catalog,
    sample,
    onChange: (id, rating) => changed.push({ id, rating }),
  })
  let last: StoredCall | undefined
  for (;;) {
    const page: StoredCall[] = await within.rows<StoredCall>(pageSql(within, query, last))
    if (page.length > 0) waiting.push(page)
    last = page.at(-1) ?? last
    const step = steps.next()
    if (step.done) return step.value
    await onPage(step.value, changed)
    changed = []
  }
}

/** Takes waiting items until none is left. */
function* taken<T>(waiting: T[]): Generator<T> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next
}

const pageSql = (
  queries: Queries,
  { tenantId, from, to, unratedOnly }: RerateQuery,
  last: StoredCall | undefined,
): Sql =>
  sql`SELECT c.id, c.started_at, c.caller_number, c.destination_number, c.direction, c.disposition, c.duration_seconds,
      c.bill_seconds, c.cost, r.rate_id, r.prefix, r.cost_per_minute, r.billing_increment, r.outcome
    FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id${andTogether(queries, 'r', 'c')}
    WHERE c.tenant_id = ${tenantId}${andAt(queries, 'c', tenantId)} AND c.started_at >= ${from} AND c.started_at < ${to}
      AND (c.started_at, c.id) > (${last?.started_at ?? from}, ${last?.id ?? 0}) ${raw(unratedOnly ? `AND ${UNRATED}` : '')}
    ORDER BY c.started_at, c.id LIMIT ${raw(String(PAGE))}`

const LOCKED = raw('FOR NO KEY UPDATE OF c')

/** Stores the new ratings of calls, and keeps the former ones. */
async function apply(within: Queries, tenantId: number, changed: readonly Changed[], now: string): Promise<void> {
  if (changed.length === 0) return
  const ids = changed.map(({ id }) => id)
  const at = andAt(within, 'c', tenantId)
  const of = <T>(part: (rating: NewRating) => T): T[] => changed.map(({ rating }) => part(rating))
  // A cluster does not lock what it reads to insert.
  if (within.spread) await within.run(sql`SELECT 1 FROM cdrs c WHERE c.id = ANY(${ids})${at} ${LOCKED}`)
  const kept = await within.values<number>(sql`INSERT INTO cdr_rating_history
      (cdr_id, replaced_at, direction, bill_seconds, cost, outcome, rate_id, prefix, cost_per_minute, billing_increment${bucketColumn(within)})
      SELECT c.id, ${now}, c.direction, c.bill_seconds, c.cost, r.outcome, r.rate_id, r.prefix, r.cost_per_minute,
        r.billing_increment${bucketOf(within, 'c.id')}
      FROM unnest(${ids}::bigint[]) WITH ORDINALITY AS u(id, place) JOIN cdrs c ON c.id = u.id${at}
      JOIN cdr_ratings r ON r.cdr_id = c.id${andTogether(within, 'r', 'c')} ORDER BY u.place ${within.spread ? raw('') : LOCKED} RETURNING id`)
  await within.run(sql`INSERT INTO rerated SELECT unnest(${kept}::bigint[])`)
  await within.run(sql`UPDATE cdrs c SET direction = u.direction, bill_seconds = u.seconds, cost = u.cost, updated_at = ${now}
    FROM unnest(${ids}::bigint[], ${of(({ direction }) => direction)}::text[], ${of(({ billSeconds }) => billSeconds)}::bigint[],
      ${of(({ cost }) => cost)}::bigint[]) AS u(id, direction, seconds, cost) WHERE c.id = u.id${at}`)
  await within.run(sql`UPDATE cdr_ratings r SET outcome = u.outcome, rate_id = u.rate_id, prefix = u.prefix,
      cost_per_minute = u.price, billing_increment = u.increment
    FROM unnest(${ids}::bigint[], ${of(({ outcome }) => outcome)}::text[], ${of(({ rate }) => rate?.id ?? null)}::bigint[],
      ${of(({ rate }) => rate?.prefix ?? null)}::text[], ${of(({ rate }) => rate?.pricePerMinute ?? null)}::bigint[],
      ${of(({ rate }) => rate?.increment ?? null)}::bigint[]) AS u(id, outcome, rate_id, prefix, price, increment)
    WHERE r.cdr_id = u.id${andAt(within, 'r', tenantId)}`)
}

/** The changes this session has just stored, in batches. */
async function* keptChanges(session: Queries, tenantId: number): AsyncIterable<readonly Rerated[]> {
  const after = (id: number) => sql`SELECT id FROM rerated WHERE id > ${id} ORDER BY id`
  const changes = (ids: readonly number[]) => sql`SELECT h.id AS kept_id, c.id, c.started_at, c.destination_number,
        c.duration_seconds, h.direction, h.bill_seconds, h.cost, h.rate_id, h.prefix, h.cost_per_minute,
        h.billing_increment, c.bill_seconds AS new_bill_seconds, c.cost AS new_cost, r.prefix AS new_prefix,
        c.direction AS new_direction
      FROM cdr_rating_history h JOIN cdrs c ON c.id = h.cdr_id${andTogether(session, 'c', 'h')}
      JOIN cdr_ratings r ON r.cdr_id = c.id${andTogether(session, 'r', 'c')}
      WHERE h.id = ANY(${ids})${andAt(session, 'h', tenantId)} ORDER BY h.id`
  for await (const rows of keyPages<{ readonly id: number }>(session, PAGE, idOf, after))
    yield (await session.rows<ReplacedRating>(changes(rows.map(idOf)))).map(replacement)
}
