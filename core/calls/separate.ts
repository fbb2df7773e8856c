import { attemptsOf } from './attempt-records.ts'
import { type IdConflict, type IdentifiedCall, isSameCall, mayBeOne, type StoredCall } from './identity.ts'

export interface SeparatedCalls<T extends IdentifiedCall> {
  readonly fresh: readonly T[]
  readonly conflicts: readonly IdConflict<T>[]
  /** The number of attempts that another record represents. */
  readonly attempts: number
  /** Ids of stored calls that another record now represents. */
  readonly replaced: readonly number[]
}

/**
 * Picks the new calls: drops repeated deliveries and superseded attempts, and reports calls with the id of a different
 * call. `storedLike` returns the stored calls of the same kind of switch that have the call's id or belong to the same
 * call.
 */
export function separateCalls<T extends IdentifiedCall>(
  calls: readonly T[],
  storedLike: (call: T) => readonly StoredCall[],
): SeparatedCalls<T> {
  const fresh = new Map<string, T>()
  const conflicts: IdConflict<T>[] = []
  const attempts = attemptsOf<T>(calls, call => fresh.delete(keyOf(call)))
  for (const call of calls) {
    const { switchCallId, switchName, marks } = call
    const key = keyOf(call)
    const earlier = fresh.get(key)
    const alike = storedLike(call)
    const stored = alike.filter(other => other.switchCallId === switchCallId)
    const withSameId = earlier ? [...stored, earlier] : stored
    if (withSameId.some(other => mayBeOne(other, call) && isSameCall(other.marks, marks))) continue
    const rival = withSameId.find(other => other.switchName === switchName)
    if (rival) conflicts.push({ call, rival: rival.marks })
    else if (attempts.admits(call, alike)) fresh.set(key, call)
  }
  return { fresh: [...fresh.values()], conflicts, ...attempts.outcome() }
}

const keyOf = ({ source, switchCallId, switchName }: IdentifiedCall): string =>
  `${source}\0${switchCallId}\0${switchName ?? ''}`
