import type { CallValues } from './record-call.ts'

/** What a call is told by from others that have its id. */
export type CallMarks = Pick<CallValues, 'tenant_id' | 'started_at' | 'destination_number'>

const QUARTER_MS = 15 * 60_000
/** From UTC-12 to UTC+14. */
const FARTHEST_MS = 26 * 3_600_000

/**
 * True when two records with one id are of one call: tenant, destination and start agree. Starts agree as well when one
 * tells no fractions of a second, or was read by another zone's clock: zones differ by whole quarters of an hour.
 */
export function isSameCall(one: CallMarks, other: CallMarks): boolean {
  if (one.tenant_id !== other.tenant_id || one.destination_number !== other.destination_number) return false
  if (one.started_at === other.started_at) return true
  const apart = Math.abs(wholeSecond(one) - wholeSecond(other))
  return apart % QUARTER_MS === 0 && apart <= FARTHEST_MS
}

const wholeSecond = ({ started_at }: CallMarks): number => Date.parse(`${started_at.slice(0, 19)}Z`)
