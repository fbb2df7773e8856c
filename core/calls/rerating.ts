import type { Rerated, RerateResult } from '../ports/calls.ts'
import { charge } from '../rating/cost.ts'
import type { Deck } from '../rating/deck.ts'
import type { Outcome } from '../rating/outcome.ts'
import { type Direction, type RatedCall, rateCall } from '../rating/rate-call.ts'
import { isAnswered } from './completed-call.ts'
import { type Catalog, directionOf } from './record-call.ts'

/** A stored call's latest rating, with the copy of the rate that is kept with it. Amounts in units of 0.0001. */
export interface FormerRating {
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

export interface StoredCall extends FormerRating {
  readonly caller_number: string
  readonly disposition: string
  readonly outcome: Outcome
}

/** A stored call's rating by today's records. The direction may change too, if the tenant's own numbers have. */
export interface NewRating extends RatedCall {
  readonly direction: Direction
}

function ratingOf(call: StoredCall, deck: Deck, catalog: Catalog): NewRating {
  const destination = catalog.dialling.read(call.destination_number)
  const numbers = { caller: call.caller_number, destination: call.destination_number, read: destination }
  const direction = directionOf({ ...numbers, claimed: call.direction }, catalog)
  const [answered, answeredSeconds] = [isAnswered(call), call.duration_seconds]
  return { ...rateCall(deck, { direction, answered, answeredSeconds, destination }), direction }
}

const isChanged = (call: StoredCall, { cost, billSeconds, rate, outcome, direction }: NewRating): boolean =>
  cost !== call.cost ||
  direction !== call.direction ||
  billSeconds !== call.bill_seconds ||
  outcome !== call.outcome ||
  (rate?.id ?? null) !== call.rate_id ||
  (rate?.prefix ?? null) !== call.prefix ||
  (rate?.pricePerMinute ?? null) !== call.cost_per_minute ||
  (rate?.increment ?? null) !== call.billing_increment

const costByKeptRate = ({ duration_seconds, cost_per_minute, billing_increment }: FormerRating): number =>
  cost_per_minute === null || billing_increment === null
    ? 0
    : (charge({ seconds: duration_seconds, pricePerMinute: cost_per_minute, increment: billing_increment })?.cost ?? 0)

/** Compares two ratings. A cost that does not follow from the kept rate was edited by hand. */
function changeOf(former: FormerRating, now: Rerated['new']): Rerated {
  const { id, destination_number, started_at, cost, bill_seconds: billSeconds, prefix, direction } = former
  return {
    ...{ id, destination_number, started_at },
    old: { cost, billSeconds, prefix, direction },
    new: now,
    editedByHand: cost !== costByKeptRate(former),
  }
}

/** A former rating of a call, and the one that replaced it, as a storage selects them. */
export interface ReplacedRating extends FormerRating {
  readonly kept_id: number
  readonly new_bill_seconds: number
  readonly new_cost: number
  readonly new_prefix: string | null
  readonly new_direction: Direction
}

/** Returns the change that a stored pair of ratings shows. */
export const replacement = (row: ReplacedRating): Rerated =>
  changeOf(row, {
    cost: row.new_cost,
    billSeconds: row.new_bill_seconds,
    prefix: row.new_prefix,
    direction: row.new_direction,
  })

export interface Rerating {
  /** The calls to rate again, in batches. */
  readonly pages: Iterable<readonly StoredCall[]>
  /** What the tenant's calls are rated by; called once a page. */
  readonly catalog: () => Catalog
  /** The most changes that the result holds. */
  readonly sample: number
  /** Called with each new rating and the id of its call. */
  readonly onChange: (id: number, rating: NewRating) => void
}

/** Rates stored calls again. Yields the changes of each page, and returns the totals with the first changes. */
export function* rerate({ pages, catalog, sample, onChange }: Rerating): Generator<readonly Rerated[], RerateResult> {
  const totals = { examined: 0, changed: 0, oldCost: 0, newCost: 0, stillUnrated: 0, editedByHand: 0, withoutDeck: 0 }
  const first: Rerated[] = []
  for (const calls of pages) {
    const changes: Rerated[] = []
    const current = catalog()
    for (const call of calls) {
      const deck = current.deckAt(call.started_at)
      if (!deck) {
        totals.withoutDeck++
        continue
      }
      const rating = ratingOf(call, deck, current)
      totals.examined++
      totals.oldCost += call.cost
      totals.newCost += rating.cost
      if (rating.unrated) totals.stillUnrated++
      if (!isChanged(call, rating)) continue
      const { cost, billSeconds, rate, direction } = rating
      const change = changeOf(call, { cost, billSeconds, prefix: rate?.prefix ?? null, direction })
      totals.changed++
      if (change.editedByHand) totals.editedByHand++
      changes.push(change)
      onChange(call.id, rating)
    }
    first.push(...changes.slice(0, sample - first.length))
    yield changes
  }
  return { ...totals, changes: first }
}
