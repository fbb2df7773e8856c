import { ANSWERED } from '../../core/calls/completed-call.ts'
import { type Catalog, directionOf } from '../../core/calls/record-call.ts'
import type { Rerated, RerateQuery, RerateResult } from '../../core/ports/calls.ts'
import { charge } from '../../core/rating/cost.ts'
import type { Deck } from '../../core/rating/deck.ts'
import { UNRATED_OUTCOMES } from '../../core/rating/outcome.ts'
import { type Direction, type RatedCall, rateCall } from '../../core/rating/rate-call.ts'
import type { Connection } from './database.ts'
import { keySetPages } from './key-set.ts'

/** A call as it was rated last, with the copy of the rate that is kept with it. */
export interface RatedRow {
  readonly id: number
  readonly started_at: string
  readonly destination_number: string
  readonly direction: Direction
  readonly duration_seconds: number
  readonly bill_seconds: number
  readonly cost: number
  readonly rate_id: number | null
  readonly prefix: string | null
  readonly cost_per_minute: number | null
  readonly billing_increment: number | null
}

interface CallRow extends RatedRow {
  readonly caller_number: string
  readonly disposition: string
  readonly outcome: string
}

const PAGE = 2_000

/** True for the ratings `r` that are `unrated`. */
export const UNRATED = `r.outcome IN (${UNRATED_OUTCOMES.map(outcome => `'${outcome}'`).join()})`

/** Adds what of a rating is kept with a call, in the order of the columns. */
export const pushRating = (row: unknown[], { outcome, rate }: RatedCall): number =>
  rate
    ? row.push(outcome, rate.id, rate.prefix, rate.pricePerMinute, rate.increment)
    : row.push(outcome, null, null, null, null)

/** How a stored call is rated now; its direction is another where its tenant's own numbers are recognised otherwise. */
export interface RatedAgain extends RatedCall {
  readonly direction: Direction
}

function rated(deck: Deck, catalog: Catalog, row: CallRow): RatedAgain {
  const destination = catalog.dialling.read(row.destination_number)
  const numbers = { caller: row.caller_number, destination: row.destination_number, read: destination }
  const direction = directionOf({ ...numbers, claimed: row.direction }, catalog)
  const [answered, answeredSeconds] = [row.disposition === ANSWERED, row.duration_seconds]
  const call = { direction, answered, answeredSeconds, destination }
  return { ...rateCall(deck, call), direction }
}

const isChanged = (row: CallRow, { cost, billSeconds, rate, outcome, direction }: RatedAgain): boolean =>
  cost !== row.cost ||
  direction !== row.direction ||
  billSeconds !== row.bill_seconds ||
  outcome !== row.outcome ||
  (rate?.id ?? null) !== row.rate_id ||
  (rate?.prefix ?? null) !== row.prefix ||
  (rate?.pricePerMinute ?? null) !== row.cost_per_minute ||
  (rate?.increment ?? null) !== row.billing_increment

/**
 * Looks through the calls of a query that a switch handed over (the cost of others was given by hand), some at a time,
 * and yields those that the catalog rates otherwise now; `onChange` is called with each. Each step is to be a
 * transaction, or all are one. Returns the totals, with the first `sample` changes.
 */
export function* rerated(
  connection: Connection,
  catalogOf: (tenantId: number) => Catalog,
  query: RerateQuery,
  sample: number,
  onChange: (id: number, result: RatedAgain) => void,
): Generator<readonly Rerated[], RerateResult> {
  const page = pageOf(connection, query.unratedOnly)
  const totals = { examined: 0, changed: 0, oldCost: 0, newCost: 0, stillUnrated: 0, editedByHand: 0, withoutDeck: 0 }
  const first: Rerated[] = []
  const after = (last?: CallRow): CallRow[] =>
    page.all(query.tenantId, query.to, query.from, last?.started_at ?? '', last?.id ?? 0)
  for (const rows of keySetPages(PAGE, after)) {
    const changes: Rerated[] = []
    const catalog = catalogOf(query.tenantId)
    for (const row of rows) {
      const deck = catalog.deckAt(row.started_at)
      if (!deck) {
        totals.withoutDeck++
        continue
      }
      const result = rated(deck, catalog, row)
      totals.examined++
      totals.oldCost += row.cost
      totals.newCost += result.cost
      if (result.unrated) totals.stillUnrated++
      if (!isChanged(row, result)) continue
      const { cost, billSeconds, rate, direction } = result
      const change = changeOf(row, { cost, billSeconds, prefix: rate?.prefix ?? null, direction })
      totals.changed++
      if (change.editedByHand) totals.editedByHand++
      changes.push(change)
      onChange(row.id, result)
    }
    first.push(...changes.slice(0, sample - first.length))
    yield changes
  }
  return { ...totals, changes: first }
}

const pageOf = ({ query }: Connection, unratedOnly: boolean) =>
  query<[number, string, string, string, number], CallRow>(
    `SELECT c.id, c.started_at, c.caller_number, c.destination_number, c.direction, c.disposition, c.duration_seconds, c.bill_seconds,
       c.cost, r.rate_id, r.prefix, r.cost_per_minute, r.billing_increment, r.outcome
     FROM cdrs c JOIN cdr_ratings r ON r.cdr_id = c.id
     WHERE c.tenant_id = ? AND c.started_at < ? AND (c.started_at, c.id) > (max(?, ?), ?)
     ${unratedOnly ? `AND ${UNRATED}` : ''}
     ORDER BY c.started_at, c.id LIMIT ${PAGE}`,
  )

export function changeOf(former: RatedRow, now: Rerated['new']): Rerated {
  const { id, destination_number, started_at, cost, bill_seconds: billSeconds, prefix, direction } = former
  return {
    ...{ id, destination_number, started_at },
    old: { cost, billSeconds, prefix, direction },
    new: now,
    editedByHand: cost !== costByKeptRate(former),
  }
}

const costByKeptRate = ({ duration_seconds, cost_per_minute, billing_increment }: RatedRow): number =>
  cost_per_minute === null || billing_increment === null
    ? 0
    : (charge({ seconds: duration_seconds, pricePerMinute: cost_per_minute, increment: billing_increment })?.cost ?? 0)
