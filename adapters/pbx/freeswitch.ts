import { ANSWERED } from '../../core/rating/completed-call.ts'

const DISPOSITIONS = new Map([
  ['NORMAL_CLEARING', 'NO ANSWER'],
  ['NO_ANSWER', 'NO ANSWER'],
  ['NO_USER_RESPONSE', 'NO ANSWER'],
  ['ALLOTTED_TIMEOUT', 'NO ANSWER'],
  ['PROGRESS_TIMEOUT', 'NO ANSWER'],
  ['USER_BUSY', 'BUSY'],
  ['ORIGINATOR_CANCEL', 'CANCELLED'],
  ['LOSE_RACE', 'CANCELLED'],
  ['NORMAL_CIRCUIT_CONGESTION', 'CONGESTION'],
  ['SWITCH_CONGESTION', 'CONGESTION'],
])

/**
 * FreeSWITCH tells why a call ended, not whether it was answered: that is so when it has an answer time, whatever ended
 * it then (a call cut at its longest duration, say, is still to be paid).
 */
export const dispositionOf = (hangupCause: string, answered: boolean): string =>
  answered ? ANSWERED : (DISPOSITIONS.get(hangupCause) ?? 'FAILED')
