import { type IdentifiedCall, type KnownCall, mayBeOne, type StoredCall } from './identity.ts'

export interface Attempts<T extends IdentifiedCall> {
  /** Returns true if the call needs a record of its own, and drops the attempts that it supersedes. */
  admits(call: T, stored: readonly StoredCall[]): boolean
  outcome(): { readonly attempts: number; readonly replaced: readonly number[] }
}

/**
 * Decides which attempts of a call become records: every answered one, and otherwise one alone, the same in whatever
 * order they arrive. `calls` is the batch; `drop` takes back a call of it that was admitted earlier.
 */
export function attemptsOf<T extends IdentifiedCall>(calls: readonly T[], drop: (call: T) => void): Attempts<T> {
  const admitted = new Map<string, T[]>()
  const replaced = new Set<number>()
  let dropped = 0
  const shared = sharedIds(calls)
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
      if (stored.length === 0 && !isShared(call, shared)) return true
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

/** Returns the ids that several of the calls have, as few do. */
function sharedIds(calls: readonly KnownCall[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  const note = (id: string): void => void (seen.has(id) ? shared : seen).add(id)
  for (const { attempt } of calls) {
    if (!attempt) continue
    note(attempt.channelId)
    if (attempt.callId !== attempt.channelId) note(attempt.callId)
  }
  return shared
}

const isShared = ({ attempt }: KnownCall, shared: ReadonlySet<string>): boolean =>
  attempt !== null && shared.size > 0 && (shared.has(attempt.channelId) || shared.has(attempt.callId))

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
function belongsTo(one: KnownCall, other: KnownCall): boolean {
  if (one.isAnswered) return false
  if (other.isAnswered) return true
  if (isFirst(one) !== isFirst(other)) return isFirst(other)
  return orderOf(other) < orderOf(one)
}

/** True for the record of the call's first channel. */
const isFirst = ({ attempt }: KnownCall): boolean => attempt?.channelId === attempt?.callId

/** Orders by start, then by the number at the end of the id. */
const orderOf = ({ marks, switchCallId }: Pick<KnownCall, 'marks' | 'switchCallId'>): string =>
  `${marks.started_at} ${String(switchCallId.length).padStart(4, '0')} ${switchCallId}`
