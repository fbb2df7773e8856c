import type { LiveCall } from '../switching.ts'

/** Answers what a switch asks about telephones and calls. Knows the calls in progress, which count for limits. */
export interface SwitchLookups {
  /** Returns the answer to a lookup, both in the switch's own form. */
  answer(lookup: string): Promise<string>
  /**
   * Sets the switch's complete list of calls, requested at that moment of a clock that all threads share.
   * Returns how many are in progress.
   */
  shown(calls: readonly LiveCall[], askedAt: number): Promise<number>
  /** Notes that the first leg of a call has ended, so that the call is in progress only if it is in the next list. */
  ended(call: string): Promise<void>
}
