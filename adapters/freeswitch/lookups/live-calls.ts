import type { LiveCall } from '../../../core/ports/switching.ts'

/** Milliseconds after which a connected call must be among those that the switch reports. */
const SHOWN_AFTER_MS = 3_000

/** More calls than a switch has at once: without its reports, the oldest are forgotten. */
const MOST_UNREPORTED = 10_000

/**
 * The calls in progress: those that the switch has reported, and those connected since. While the switch reports
 * nothing, calls are only added, so that a limit on them holds.
 */
export interface LiveCalls {
  /** Adds a call that was connected. */
  opened(call: LiveCall): void
  /** Sets the switch's complete list of calls, requested at that moment (of `now`). */
  shown(calls: readonly LiveCall[], askedAt: number): void
  /** Returns all but the call with that id. */
  all(except: string | null): readonly LiveCall[]
}

export function liveCalls(now: () => number): LiveCalls {
  let seen: ReadonlyMap<string, LiveCall> = new Map()
  const opened = new Map<string, { readonly call: LiveCall; readonly at: number }>()
  return {
    opened: call => {
      opened.delete(call.id)
      opened.set(call.id, { call, at: now() })
      const [oldest] = opened.keys()
      if (opened.size > MOST_UNREPORTED && oldest !== undefined) opened.delete(oldest)
    },
    shown: (calls, askedAt) => {
      seen = new Map(calls.map(call => [call.id, call]))
      for (const [id, { at }] of opened) if (seen.has(id) || askedAt - at >= SHOWN_AFTER_MS) opened.delete(id)
    },
    all: except => {
      const added = [...opened.values()].filter(({ call: { id } }) => !seen.has(id)).map(({ call }) => call)
      return [...seen.values(), ...added].filter(({ id }) => id !== except)
    },
  }
}
