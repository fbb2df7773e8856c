import { setImmediate as nextTurn } from 'node:timers/promises'
import { notFound } from '../../core/errors.ts'
import type { Calls, Rerated, RerateOptions, RerateQuery, RerateResult } from '../../core/ports/calls.ts'
import type { Clock } from '../../core/ports/system.ts'
import { ANSWERED } from '../../core/rating/completed-call.ts'
import { charge } from '../../core/rating/cost.ts'
import { type RatedCall, rateCall } from '../../core/rating/rate-call.ts'
import type { Catalog } from '../../core/rating/record-call.ts'
import type { AuditTrail } from './audit.ts'
import type { Catalogs } from './catalogs.ts'
import type { Connection } from './database.ts'
import type { Writer } from './writer.ts'

interface CallRow {
  readonly id: number
  readonly started_at: string
  readonly destination_number: string
  readonly direction: 'inbound' | 'outbound'
  readonly disposition: string
  readonly duration_seconds: number
  readonly bill_seconds: number
  readonly cost: number
  readonly rate_id: number | null
  readonly prefix: string | null
  readonly cost_per_minute: number | null
  readonly billing_increment: number | null
  readonly outcome: string
}

type Totals = Omit<RerateResult, 'changes'>

const PAGE = 2_000

/** True for the ratings `r` that are `unrated`. */
export const UNRATED = `r.outcome IN ('no match', 'too large')`

/** Adds what of a rating is kept with a call, in the order of the columns. */
export const pushRating = (row: unknown[], { outcome, rate }: RatedCall): number =>
  rate
    ? row.push(outcome, rate.id, rate.prefix, rate.pricePerMinute, rate.increment)
    : row.push(outcome, null, null, null, null)

const rated = ({ deck }: Catalog, row: CallRow): RatedCall =>
  rateCall(deck, {
    direction: row.direction,
    answered: row.disposition === ANSWERED,
    answeredSeconds: row.duration_seconds,
    destinationNumber: row.destination_number,
  })

const isChanged = (row: CallRow, { cost, billSeconds, rate, outcome }: RatedCall): boolean =>
  cost !== row.cost ||
  billSeconds !== row.bill_seconds ||
  outcome !== row.outcome ||
  (rate?.id ?? null) !== row.rate_id ||
  (rate?.prefix ?? null) !== row.prefix ||
  (rate?.pricePerMinute ?? null) !== row.cost_per_minute ||
  (rate?.increment ?? null) !== row.billing_increment

/** Rating stored calls anew. Only calls that a switch handed over are touched: the cost of others was given by hand. */
export function rerating(
  connection: Connection,
  writer: Writer,
  catalogs: Catalogs,
  clock: Clock,
  trail: AuditTrail,
): Pick<Calls, 'rerate'> {
  const { query, value } = connection
  const page = (unratedOnly: boolean) =>
    query<[number, string, string, string, number], CallRow>(
      `SELECT c.id, c.started_at, c.destination_number, c.direction, c.disposition, c.duration_seconds, c.bill_seconds,
         c.cost, r.rate_id, r.prefix, r.cost_per_minute, r.billing_increment, r.outcome
       FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id
       WHERE c.tenant_id = ? AND c.started_at < ? AND (c.started_at, c.id) > (max(?, ?), ?)
       ${unratedOnly ? `AND ${UNRATED}` : ''}
       ORDER BY c.started_at, c.id LIMIT ${PAGE}`,
    )
  const keepFormer = query<[string, number], unknown>(
    `INSERT INTO cdr_rating_history
       (cdr_id, replaced_at, bill_seconds, cost, outcome, rate_id, prefix, cost_per_minute, billing_increment)
     SELECT c.id, ?, c.bill_seconds, c.cost, r.outcome, r.rate_id, r.prefix, r.cost_per_minute, r.billing_increment
     FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id WHERE c.id = ?`,
  )
  const updateCdr = query<[number, number, string, number], unknown>(
    'UPDATE cdrs SET bill_seconds = ?, cost = ?, updated_at = ? WHERE id = ?',
  )
  const updateRating = query<unknown[], unknown>(
    'UPDATE cdr_ratings SET outcome = ?, rate_id = ?, prefix = ?, cost_per_minute = ?, billing_increment = ? WHERE cdr_id = ?',
  )
  const apply = (row: CallRow, result: RatedCall, now: string): void => {
    keepFormer.run(now, row.id)
    updateCdr.run(result.billSeconds, result.cost, now, row.id)
    const rating: unknown[] = []
    pushRating(rating, result)
    updateRating.run(...rating, row.id)
  }

  function* changesOf(
    query: RerateQuery,
    onChange: (row: CallRow, result: RatedCall) => void,
  ): Generator<readonly Rerated[], Totals> {
    const catalog = catalogs.of(query.tenantId)
    if (!catalog) throw notFound('Tenant')
    const totals = { examined: 0, changed: 0, oldCost: 0, newCost: 0, stillUnrated: 0, editedByHand: 0 }
    let place: { readonly started_at: string; readonly id: number } = { started_at: '', id: 0 }
    for (;;) {
      const rows = page(query.unratedOnly).all(query.tenantId, query.to, query.from, place.started_at, place.id)
      const changes: Rerated[] = []
      for (const row of rows) {
        const result = rated(catalog, row)
        totals.examined++
        totals.oldCost += row.cost
        totals.newCost += result.cost
        if (result.unrated) totals.stillUnrated++
        if (!isChanged(row, result)) continue
        totals.changed++
        const change = described(row, result)
        if (change.editedByHand) totals.editedByHand++
        changes.push(change)
        onChange(row, result)
      }
      const last = rows.at(-1)
      if (!last) return totals
      place = last
      yield changes
    }
  }

  const lastKept = value<[], number>('SELECT coalesce(max(id), 0) FROM cdr_rating_history')
  const keptPage = query<[number, number], KeptRow>(
    `SELECT h.id AS kept_id, c.id, c.started_at, c.destination_number, c.duration_seconds, h.bill_seconds, h.cost,
       h.rate_id, h.prefix, h.cost_per_minute, h.billing_increment, c.bill_seconds AS new_bill_seconds,
       c.cost AS new_cost, r.prefix AS new_prefix
     FROM cdr_rating_history h JOIN cdrs c ON c.id = h.cdr_id JOIN cdr_ratings r ON r.cdr_id = c.id
     WHERE h.id > ? AND h.id <= ? ORDER BY h.id LIMIT ${PAGE}`,
  )

  const dryRun = async (query: RerateQuery, { sample, onChanges }: RerateOptions): Promise<RerateResult> => {
    const first: Rerated[] = []
    const run = changesOf(query, () => undefined)
    for (let step = run.next(); ; step = run.next()) {
      if (step.done) return { ...step.value, changes: first }
      first.push(...step.value.slice(0, sample - first.length))
      await onChanges?.(step.value)
      await nextTurn()
    }
  }

  const store = (query: RerateQuery, sample: number) =>
    writer.writeAlone(() => {
      const now = clock.now()
      const first: Rerated[] = []
      const before = lastKept.get() ?? 0
      const run = changesOf(query, (row, result) => apply(row, result, now))
      for (let step = run.next(); ; step = run.next()) {
        if (!step.done) {
          first.push(...step.value.slice(0, sample - first.length))
          continue
        }
        const { examined, changed } = step.value
        if (changed > 0) trail.note('rerate', 'cdrs', null, { tenant_id: query.tenantId, examined, changed })
        return { result: { ...step.value, changes: first }, before, last: lastKept.get() ?? 0 }
      }
    })

  return {
    rerate: async (query, options) => {
      if (options.dryRun) return dryRun(query, options)
      const { result, before, last } = await store(query, options.sample)
      for (let place = before; options.onChanges; ) {
        const rows = keptPage.all(place, last)
        const end = rows.at(-1)
        if (!end) break
        await options.onChanges(rows.map(kept))
        place = end.kept_id
      }
      return result
    },
  }
}

type FormerRow = Omit<CallRow, 'direction' | 'disposition' | 'outcome'>

interface KeptRow extends FormerRow {
  readonly kept_id: number
  readonly new_bill_seconds: number
  readonly new_cost: number
  readonly new_prefix: string | null
}

const kept = (row: KeptRow): Rerated =>
  changeOf(row, { cost: row.new_cost, billSeconds: row.new_bill_seconds, prefix: row.new_prefix })

const described = (row: CallRow, { cost, billSeconds, rate }: RatedCall): Rerated =>
  changeOf(row, { cost, billSeconds, prefix: rate?.prefix ?? null })

const changeOf = (row: FormerRow, now: Rerated['new']): Rerated => ({
  id: row.id,
  destination_number: row.destination_number,
  started_at: row.started_at,
  old: { cost: row.cost, billSeconds: row.bill_seconds, prefix: row.prefix },
  new: now,
  editedByHand: row.cost !== costByKeptRate(row),
})

const costByKeptRate = ({ duration_seconds, cost_per_minute, billing_increment }: FormerRow): number =>
  cost_per_minute === null || billing_increment === null
    ? 0
    : (charge({ seconds: duration_seconds, pricePerMinute: cost_per_minute, increment: billing_increment })?.cost ?? 0)
