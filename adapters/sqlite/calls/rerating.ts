import { setImmediate as nextTurn } from 'node:timers/promises'
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
import type { Direction } from '../../../core/rating/rate-call.ts'
import type { Connection } from '../database/database.ts'
import { keySetPages } from '../database/key-set.ts'
import type { Foundation } from '../foundation.ts'
import { pushRating, UNRATED } from './call-ratings.ts'
import type { Catalogs } from './catalogs.ts'

/** Rates stored calls again if a switch delivered them; others had their cost set by hand. */
export function rerating({ connection, writer, clock, trail }: Foundation, catalogs: Catalogs): Pick<Calls, 'rerate'> {
  const lastKept = (): number =>
    connection.value<[], number>('SELECT coalesce(max(id), 0) FROM cdr_rating_history').get() ?? 0

  const catalogOf = (tenantId: number): Catalog => {
    const catalog = catalogs.of(tenantId)
    if (!catalog) throw notFound('Tenant')
    return catalog
  }
  const run = (query: RerateQuery, sample: number, onChange: (id: number, result: NewRating) => void = () => {}) => {
    catalogOf(query.tenantId)
    return rerate({ pages: pagesOf(connection, query), catalog: () => catalogOf(query.tenantId), sample, onChange })
  }
  /** Stores all changes at once; returns the result with the range of their ids in the history. */
  const store = (query: RerateQuery, { sample, by }: Pick<RerateOptions, 'sample' | 'by'>) =>
    writer.writeAlone(() => {
      const before = lastKept()
      const steps = run(query, sample, applier(connection, clock.now()))
      let step = steps.next()
      while (!step.done) step = steps.next()
      const { examined, changed } = step.value
      if (changed > 0) trail.note('rerate', 'cdrs', null, { tenant_id: query.tenantId, examined, changed }, by)
      return { result: step.value, before, last: lastKept() }
    })

  return {
    rerate: async (query, { dryRun, sample, onChanges, by }): Promise<RerateResult> => {
      if (!dryRun) {
        const { result, before, last } = await store(query, { sample, ...(by ? { by } : {}) })
        if (onChanges) for (const changes of keptChanges(connection, before, last)) await onChanges(changes)
        return result
      }
      const steps = run(query, sample)
      const next = connection.db.transaction(() => steps.next())
      for (let step = next(); ; step = next()) {
        if (step.done) return step.value
        await onChanges?.(step.value)
        await nextTurn()
      }
    },
  }
}

const PAGE = 2_000

function pagesOf({ query }: Connection, { tenantId, from, to, unratedOnly }: RerateQuery) {
  const page = query<[number, string, string, string, number], StoredCall>(
    `SELECT c.id, c.started_at, c.caller_number, c.destination_number, c.direction, c.disposition, c.duration_seconds, c.bill_seconds,
       c.cost, r.rate_id, r.prefix, r.cost_per_minute, r.billing_increment, r.outcome
     FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id
     WHERE c.tenant_id = ? AND c.started_at < ? AND (c.started_at, c.id) > (max(?, ?), ?)
     ${unratedOnly ? `AND ${UNRATED}` : ''}
     ORDER BY c.started_at, c.id LIMIT ${PAGE}`,
  )
  const after = (last?: StoredCall) => page.all(tenantId, to, from, last?.started_at ?? '', last?.id ?? 0)
  return keySetPages<StoredCall>(PAGE, after)
}

/** Stores a call's new rating, and keeps the former one. */
function applier({ query }: Connection, now: string): (id: number, result: NewRating) => void {
  const keepFormer = query<[string, number], unknown>(
    `INSERT INTO cdr_rating_history
       (cdr_id, replaced_at, direction, bill_seconds, cost, outcome, rate_id, prefix, cost_per_minute, billing_increment)
     SELECT c.id, ?, c.direction, c.bill_seconds, c.cost, r.outcome, r.rate_id, r.prefix, r.cost_per_minute, r.billing_increment
     FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id WHERE c.id = ?`,
  )
  const updateCdr = query<[Direction, number, number, string, number], unknown>(
    'UPDATE cdrs SET direction = ?, bill_seconds = ?, cost = ?, updated_at = ? WHERE id = ?',
  )
  const updateRating = query<unknown[], unknown>(
    'UPDATE cdr_ratings SET outcome = ?, rate_id = ?, prefix = ?, cost_per_minute = ?, billing_increment = ? WHERE cdr_id = ?',
  )
  return (id, result) => {
    keepFormer.run(now, id)
    updateCdr.run(result.direction, result.billSeconds, result.cost, now, id)
    const rating: unknown[] = []
    pushRating(rating, result)
    updateRating.run(...rating, id)
  }
}

/** Yields the changes stored with history ids after `before`, up to `last`, some at a time. */
function* keptChanges({ query }: Connection, before: number, last: number): Generator<readonly Rerated[]> {
  const page = query<[number, number], ReplacedRating>(
    `SELECT h.id AS kept_id, c.id, c.started_at, c.destination_number, c.duration_seconds, h.direction, h.bill_seconds,
       h.cost, h.rate_id, h.prefix, h.cost_per_minute, h.billing_increment, c.bill_seconds AS new_bill_seconds,
       c.cost AS new_cost, r.prefix AS new_prefix, c.direction AS new_direction
     FROM cdr_rating_history h JOIN cdrs c ON c.id = h.cdr_id JOIN cdr_ratings r ON r.cdr_id = c.id
     WHERE h.id > ? AND h.id <= ? ORDER BY h.id LIMIT ${PAGE}`,
  )
  for (const rows of keySetPages<ReplacedRating>(PAGE, row => page.all(row?.kept_id ?? before, last)))
    yield rows.map(replacement)
}
