import type { ReadNumber } from '../dialling/read-number.ts'
import { charge } from './cost.ts'
import type { Deck, Rate } from './deck.ts'
import { isUnrated, type Outcome } from './outcome.ts'

export type Direction = 'inbound' | 'outbound'

export interface RatableCall {
  readonly direction: Direction
  readonly answered: boolean
  /** Whole seconds from the answer to the end. */
  readonly answeredSeconds: number
  readonly destination: ReadNumber
}

/** A copy of the rate, kept with the call that it rated. */
export type AppliedRate = Pick<Rate, 'id' | 'prefix' | 'pricePerMinute' | 'increment'>

export interface RatedCall {
  readonly outcome: Outcome
  readonly billSeconds: number
  /** Units of 0.0001. */
  readonly cost: number
  readonly rate: AppliedRate | null
  /** True if the call should cost something but has no price yet: to be rated again later. */
  readonly unrated: boolean
}

/** Returns the rate of an outbound call to that number, or the outcome if there is none. */
export const rateTo = (deck: Deck | null, destination: ReadNumber): Rate | 'emergency' | 'no match' =>
  deck?.match(destination) ?? (destination.kind === 'emergency' ? 'emergency' : 'no match')

/** Rates one call by the deck in force when it started; null stands for no deck, so that no rate matches. */
export function rateCall(deck: Deck | null, call: RatableCall): RatedCall {
  if (!call.answered || call.answeredSeconds === 0) return free('not answered', 0)
  // Without a rate there is no increment: the seconds count as they are.
  if (call.direction === 'inbound') return free('inbound', call.answeredSeconds)
  const rate = rateTo(deck, call.destination)
  if (typeof rate === 'string') return free(rate, call.answeredSeconds)
  const { id, prefix, pricePerMinute, increment } = rate
  const charged = charge({ seconds: call.answeredSeconds, pricePerMinute, increment })
  if (!charged) return free('too large', call.answeredSeconds)
  return {
    outcome: 'rated',
    billSeconds: charged.billSeconds,
    cost: charged.cost,
    rate: { id, prefix, pricePerMinute, increment },
    unrated: false,
  }
}

const free = (outcome: Exclude<Outcome, 'rated'>, billSeconds: number): RatedCall => ({
  outcome,
  billSeconds,
  cost: 0,
  rate: null,
  unrated: isUnrated(outcome),
})
