import type { CallPart } from './completed-call.ts'
import type { CallValues } from './record-call.ts'

/** The values that distinguish a call from others with the same id. */
export type CallMarks = Pick<CallValues, 'tenant_id' | 'started_at' | 'destination_number'>

/** A switch's call, with the values that identify it. */
export interface IdentifiedCall {
  /** The kind of switch. */
  readonly source: string
  /** The switch's own id for the call. */
  readonly switchCallId: string
  /** The name that distinguishes the switch from others of its kind; null if its feed names none. */
  readonly switchName: string | null
  readonly marks: CallMarks
  readonly isAnswered: boolean
  /** Null unless the switch writes a record for each attempt of a call. */
  readonly attempt: CallPart | null
}

/** What a stored call is found by. */
export type CallId = Pick<IdentifiedCall, 'source' | 'switchCallId' | 'attempt'>

/** Returns what finds the calls of one channel, on switches that write a record for each attempt. */
export const ofChannel = (source: string, channelId: string): CallId => ({
  ...{ source, switchCallId: channelId },
  attempt: { channelId, callId: channelId },
})

/** A stored call, or an earlier one of the same batch. */
export type KnownCall = Omit<IdentifiedCall, 'source'>

export interface StoredCall extends KnownCall {
  readonly cdrId: number
}

/** A call with the id of a different call. */
export interface IdConflict<T extends IdentifiedCall> {
  readonly call: T
  readonly rival: CallMarks
}

const QUARTER_MS = 15 * 60_000
/** From UTC-12 to UTC+14. */
const FARTHEST_MS = 26 * 3_600_000

const wholeSecond = ({ started_at }: CallMarks): number => Date.parse(`${started_at.slice(0, 19)}Z`)

/**
 * Returns true if two records with one id describe the same call: tenant, destination and start agree. Starts also
 * agree if one lacks fractions of a second, or was read in another time zone: zones differ by whole quarters of an
 * hour.
 */
export function isSameCall(one: CallMarks, other: CallMarks): boolean {
  if (one.tenant_id !== other.tenant_id || one.destination_number !== other.destination_number) return false
  if (one.started_at === other.started_at) return true
  const apart = Math.abs(wholeSecond(one) - wholeSecond(other))
  return apart % QUARTER_MS === 0 && apart <= FARTHEST_MS
}

/** A feed may get its switch's name later, so a call without a name may equal one that has it. */
export const mayBeOne = (one: KnownCall, other: KnownCall): boolean =>
  one.switchName === other.switchName || one.switchName === null || other.switchName === null
