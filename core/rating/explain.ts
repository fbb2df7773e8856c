import type { ReadNumber } from '../dialling/read-number.ts'
import type { Deck, Rate } from './deck.ts'
import type { Outcome } from './outcome.ts'
import { type RatableCall, type RatedCall, rateCall } from './rate-call.ts'

/** One step of a rating, in order. Seconds are whole, amounts in units of 0.0001. */
export type Explanation =
  | { readonly kind: 'number'; readonly given: string; readonly read: ReadNumber }
  /** The rate with the longest matching prefix. */
  | { readonly kind: 'matching'; readonly rate: Rate }
  /** A rate that matches too, with a shorter prefix. */
  | { readonly kind: 'shorter'; readonly rate: Rate }
  | { readonly kind: 'rounding'; readonly seconds: number; readonly increment: number; readonly billSeconds: number }
  /**
   * cost = (billSeconds × pricePerMinute) / 60, half up; `remainder` is the remainder of the division, in sixtieths.
   */
  | {
      readonly kind: 'arithmetic'
      readonly billSeconds: number
      readonly pricePerMinute: number
      readonly remainder: number
      readonly roundedUp: boolean
    }
  | ({ readonly kind: 'result' } & RatedCall)

/**
 * Explains why a call to a number, as dialled, costs what {@link rateCall} says; only the result if the number was not
 * looked up.
 */
export function explain(deck: Deck | null, call: RatableCall, number: string): Explanation[] {
  const rated = rateCall(deck, call)
  const lookedUp: readonly Outcome[] = ['rated', 'emergency', 'no match', 'too large']
  return [
    ...(deck && lookedUp.includes(rated.outcome) ? lookup(deck, call.destination, number) : []),
    ...arithmetic(call.answeredSeconds, rated),
    { kind: 'result', ...rated },
  ]
}

function lookup(deck: Deck, read: ReadNumber, number: string): Explanation[] {
  return [
    { kind: 'number', given: number, read },
    ...deck.matches(read).map((rate, index): Explanation => ({ kind: index === 0 ? 'matching' : 'shorter', rate })),
  ]
}

function arithmetic(seconds: number, { rate, billSeconds }: RatedCall): Explanation[] {
  if (!rate) return []
  const remainder = Number((BigInt(billSeconds) * BigInt(rate.pricePerMinute)) % 60n)
  return [
    { kind: 'rounding', seconds, increment: rate.increment, billSeconds },
    {
      kind: 'arithmetic',
      billSeconds,
      pricePerMinute: rate.pricePerMinute,
      remainder,
      roundedUp: remainder >= 30,
    },
  ]
}
