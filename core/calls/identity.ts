import type { CallValues } from './record-call.ts'

/** What distinguishes a call from others that have its id. */
export type CallMarks = Pick<CallValues, 'tenant_id' | 'started_at' | 'destination_number'>

/** A call of a switch, and what identifies it. */
export interface IdentifiedCall {
  /** The kind of switch. */
  readonly source: string
  /** The switch's own id for the call. */
  readonly switchCallId: string
  /** The name that distinguishes the switch from others of its kind; null when its feed has none. */
  readonly switchName: string | null
  readonly marks: CallMarks
}

/** A stored call, or an earlier one of the same batch. */
export type KnownCall = Pick<IdentifiedCall, 'switchName' | 'marks'>

/** A call that has the id of another one. */
export interface IdConflict<T extends IdentifiedCall> {
  readonly call: T
  readonly rival: CallMarks
}

const QUARTER_MS = 15 * 60_000
/** From UTC-12 to UTC+14. */
const FARTHEST_MS = 26 * 3_600_000

const wholeSecond = ({ started_at }: CallMarks): number => Date.parse(`${started_at.slice(0, 19)}Z`)

/**
 * Returns true when two records with one id are of one call: tenant, destination and start agree. Starts agree as well
 * when one has no fractions of a second, or was read by another zone's clock: zones differ by whole quarters of an hour.
 */
export function isSameCall(one: CallMarks, other: CallMarks): boolean {
  if (one.tenant_id !== other.tenant_id || one.destination_number !== other.destination_number) return false
  if (one.started_at === other.started_at) return true
  const apart = Math.abs(wholeSecond(one) - wholeSecond(other))
  return apart % QUARTER_MS === 0 && apart <= FARTHEST_MS
}

/** A feed may get its switch's name later, so a call without the name can be one that has it. */
const mayBeOne = (one: KnownCall, other: KnownCall): boolean =>
  one.switchName === other.switchName || one.switchName === null || other.switchName === null

/**
 * Separates new calls from those that are stored or come twice, and from those that have the id of another call.
 * `storedWith` returns the stored calls of a kind of switch that have an id.
 */
export function separateCalls<T extends IdentifiedCall>(
  calls: readonly T[],
  storedWith: (source: string, switchCallId: string) => readonly KnownCall[],
): { readonly fresh: readonly T[]; readonly conflicts: readonly IdConflict<T>[] } {
  const fresh = new Map<string, T>()
  const conflicts: IdConflict<T>[] = []
  for (const call of calls) {
    const { source, switchCallId, switchName, marks } = call
    const key = `${source}\0${switchCallId}\0${switchName ?? ''}`
    const earlier = fresh.get(key)
    const stored = storedWith(source, switchCallId)
    const known = earlier ? [...stored, earlier] : stored
    if (known.some(other => mayBeOne(other, call) && isSameCall(other.marks, marks))) continue
    const rival = known.find(other => other.switchName === switchName)
    if (rival) conflicts.push({ call, rival: rival.marks })
    else fresh.set(key, call)
  }
  return { fresh: [...fresh.values()], conflicts }
}
