import { type IdentifiedCall, type KnownCall, mayBeOne, type StoredCall } from './identity.ts'

export interface Attempts<T extends IdentifiedCall> {
  /** Returns true if the call needs a record of its own, and drops the attempts that it supersedes. */
  admits(call: T, stored: readonly StoredCall[]): boolean
  outcome(): { readonly attempts: number; readonly replaced: readonly number[] }
}

/**
 * Decides which attempts of a call become records: every answered one, and otherwise one alone, the same in whatever
 * order they arrive. `drop` takes back a call of this batch that was admitted earlier.
 */
export function attemptsOf<T extends IdentifiedCall>(drop: (call: T) => void): Attempts<T> {
  const admitted = new Map<string, T[]>()
  const replaced = new Set<number>()
  let dropped = 0
  const keysOf = (call: T): string[] => idsOf(call).map(id => `${call.source}\0${id}`)
  const forget = (call: T): void => {
    for (const key of keysOf(call))
      admitted.set(
        key,
        (admitted.get(key) ?? []).filter(other => other !== call),
      )
  }
  return {
    admits(call, stored) {
      if (!call.attempt) return true
      const keys = keysOf(call)
      const near = keys.flatMap(key => admitted.get(key) ?? [])
      const rivals = [...new Set(near)].filter(other => isOneCall(call, other))
      const storedRivals = stored.filter(other => !replaced.has(other.cdrId) && isOneCall(call, other))
      if ([...rivals, ...storedRivals].some(other => belongsTo(call, other))) {
        dropped++
        return false
      }
      for (const other of rivals.filter(rival => belongsTo(rival, call))) {
        drop(other)
        forget(other)
        dropped++
      }
      for (const other of storedRivals) if (belongsTo(other, call)) replaced.add(other.cdrId)
      for (const key of keys) {
        const place = admitted.get(key)
        if (place) place.push(call)
        else admitted.set(key, [call])
      }
      return true
    },
    outcome: () => ({ attempts: dropped, replaced: [...replaced] }),
  }
}

function idsOf({ attempt }: KnownCall): string[] {
  if (!attempt) return []
  const { channelId, callId } = attempt
  return channelId === callId ? [channelId] : [channelId, callId]
}

const isOneCall = (one: KnownCall, other: KnownCall): boolean =>
  one.marks.tenant_id === other.marks.tenant_id &&
  mayBeOne(one, other) &&
  idsOf(one).some(id => idsOf(other).includes(id))

/** True if `one` was not answered and the other attempt represents the call better. */
function belongsTo({ attempt: one, ...call }: KnownCall, { attempt: other, ...otherCall }: KnownCall): boolean {
  if (!one || !other || one.isAnswered) return false
  if (other.isAnswered) return true
  const [isFirst, isOtherFirst] = [one, other].map(({ channelId, callId }) => channelId === callId)
  if (isFirst !== isOtherFirst) return isOtherFirst === true
  return orderOf(otherCall) < orderOf(call)
}

/** Orders by start, then by the number at the end of the id. */
const orderOf = ({ marks, switchCallId }: Pick<KnownCall, 'marks' | 'switchCallId'>): string =>
  `${marks.started_at} ${String(switchCallId.length).padStart(4, '0')} ${switchCallId}`
