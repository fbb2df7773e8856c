import type { CallsInProgress, LiveCall } from '../../../core/ports/switching.ts'
import { callIndex } from '../../../core/switching/in-progress.ts'

/** Milliseconds after which a connected call must be among those that the switch reports. */
const SHOWN_AFTER_MS = 3_000

/** More calls than a switch has at once: without its reports, the oldest are forgotten. */
const MOST_UNREPORTED = 10_000

/**
 * The calls in progress: those that the switch has reported, and those connected since. While the switch reports
 * nothing, calls are only added, so that a limit on them holds.
 */
export interface LiveCalls {
  /** Adds a call that was connected, or sent on: it is another than the one that the switch has reported. */
  opened(call: LiveCall, isSentOn?: boolean): void
  /** Sets the switch's complete list of calls, requested at that moment (of `now`). */
  shown(calls: readonly LiveCall[], askedAt: number): void
  /** Notes that the first leg of a call has ended: without other legs, the call is missing from the next list. */
  ended(id: string): void
  count(): number
  /** Returns all but the call with that id. */
  except(id: string): CallsInProgress
}

export function liveCalls(now: () => number): LiveCalls {
  /** The ids of calls that the switch has not reported, with when they were connected, oldest first. */
  const unreported = new Map<string, number>()
  let all = callIndex()
  return {
    opened: (call, isSentOn = false) => {
      // What the switch reports of a call is more than what was decided.
      if (all.get(call.id) && !unreported.has(call.id) && !isSentOn) return
      unreported.delete(call.id)
      unreported.set(call.id, now())
      all.set(call)
      const [oldest] = unreported.keys()
      if (unreported.size <= MOST_UNREPORTED || oldest === undefined) return
      unreported.delete(oldest)
      all.delete(oldest)
    },
    shown: (calls, askedAt) => {
      const next = callIndex(calls)
      for (const [id, at] of unreported) {
        const call = all.get(id)
        // The switch's list may still have what the call was before it was sent on.
        if (!call || next.get(id)?.direction === call.direction || askedAt - at >= SHOWN_AFTER_MS) unreported.delete(id)
        else next.set(call)
      }
      all = next
    },
    ended: id => {
      unreported.delete(id)
    },
    count: () => all.size,
    except: id => all.except(id),
  }
}
