import type { UsageLine } from '../ports/calls.ts'

/** Totals of a group of calls. */
export type Usage = Omit<UsageLine, 'group'>

export const NO_USAGE: Usage = { calls: 0, answered: 0, seconds: 0, bill_seconds: 0, cost: 0, unrated: 0 }

export const together = (one: Usage, other: Usage): Usage => ({
  calls: one.calls + other.calls,
  answered: one.answered + other.answered,
  seconds: one.seconds + other.seconds,
  bill_seconds: one.bill_seconds + other.bill_seconds,
  cost: one.cost + other.cost,
  unrated: one.unrated + other.unrated,
})
