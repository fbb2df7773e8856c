import { isAnswered } from '../calls/completed-call.ts'

/**
 * How a call got its cost. `emergency`: free, since no rate is for that very number. `too large`: the cost by the
 * matching rate exceeds what an amount can hold, which is a mistake in the rate.
 */
export const OUTCOMES = ['rated', 'inbound', 'not answered', 'emergency', 'no match', 'too large'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** The outcomes of calls that should cost something but have no price yet; they are to be rated again later. */
export const UNRATED_OUTCOMES: readonly Outcome[] = ['no match', 'too large']

export const isUnrated = (outcome: Outcome): boolean => UNRATED_OUTCOMES.includes(outcome)

/** Returns the outcome of a call that was rated elsewhere, without a known outcome. */
export function outcomeOf(call: { direction: unknown; disposition: unknown; duration_seconds: unknown }): Outcome {
  if (!isAnswered({ disposition: String(call.disposition) }) || call.duration_seconds === 0) return 'not answered'
  return call.direction === 'inbound' ? 'inbound' : 'rated'
}
