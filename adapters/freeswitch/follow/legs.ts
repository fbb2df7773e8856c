import type { Channel } from '../socket/channels.ts'

/** Longer than the switch's list takes to lack a leg that has ended. */
const IN_LIST_MS = 10_000

/** The legs of calls: those that the switch last listed, without those that have ended since. */
export interface Legs {
  /** Sets the switch's list, and returns it without the legs that have ended. */
  listed(channels: readonly Channel[]): readonly Channel[]
  /** Notes that a leg has ended; returns the id of its call if no other leg of it is left, else null. */
  ended(leg: string): string | null
}

export function legsOfCalls(now: () => number): Legs {
  /** When legs ended, oldest first. */
  const ended = new Map<string, number>()
  let callOf: ReadonlyMap<string, string> = new Map()
  let legsOf = new Map<string, Set<string>>()
  return {
    listed: channels => {
      for (const [leg, at] of ended) if (now() - at > IN_LIST_MS) ended.delete(leg)
      const present = channels.filter(({ id }) => !ended.has(id))
      callOf = new Map(present.map(({ id, call }) => [id, call]))
      legsOf = new Map()
      for (const { id, call } of present) legsOf.set(call, (legsOf.get(call) ?? new Set()).add(id))
      return present
    },
    ended: leg => {
      ended.set(leg, now())
      // The first leg of a call that is not listed yet has the call's id.
      const call = callOf.get(leg) ?? leg
      const legs = legsOf.get(call)
      legs?.delete(leg)
      return legs && legs.size > 0 ? null : call
    },
  }
}
