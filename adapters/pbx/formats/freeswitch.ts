import { ANSWERED } from '../../../core/calls/completed-call.ts'

/** Causes that mean nobody was reached, though the switch itself may have answered the caller before trying. */
const NOT_REACHED = new Map([
  ['NO_ANSWER', 'NO ANSWER'],
  ['NO_USER_RESPONSE', 'NO ANSWER'],
  ['PROGRESS_TIMEOUT', 'NO ANSWER'],
  ['USER_BUSY', 'BUSY'],
  ['CALL_REJECTED', 'FAILED'],
  ['ORIGINATOR_CANCEL', 'CANCELLED'],
  ['LOSE_RACE', 'CANCELLED'],
  ['NORMAL_CIRCUIT_CONGESTION', 'CONGESTION'],
  ['SWITCH_CONGESTION', 'CONGESTION'],
])

/** Causes that may also end a call before anybody answers. */
const ENDED = ['NORMAL_CLEARING', 'ALLOTTED_TIMEOUT']

/**
 * FreeSWITCH records why a call ended, not whether it was answered. A call counts as answered if it has answered
 * seconds and its cause does not say otherwise (a call cut at its maximum duration still has to be paid).
 */
export function dispositionOf(hangupCause: string, answeredSeconds: number): string {
  const notReached = NOT_REACHED.get(hangupCause)
  if (notReached !== undefined) return notReached
  if (answeredSeconds > 0) return ANSWERED
  return ENDED.includes(hangupCause) ? 'NO ANSWER' : 'FAILED'
}
