import type { LiveCall } from '../../../core/ports/switching.ts'

/** Milliseconds after which a call that was put through must be among those that the switch shows. */
const SHOWN_AFTER_MS = 3_000

/**
 * The calls that are up: those that the switch has shown, and those put through since. While the switch shows nothing,
 * calls are added and none goes, so that a limit on them holds.
 */
export interface LiveCalls {
  /** A call was put through. */
  opened(call: LiveCall): void
  /** All that the switch has, as it was asked at that moment (of `now`). */
  shown(calls: readonly LiveCall[], askedAt: number): void
  /** All but the one of that id. */
  all(except: string | null): readonly LiveCall[]
}

export function liveCalls(now: () => number): LiveCalls {
  let seen: ReadonlyMap<string, LiveCall> = new Map()
  const opened = new Map<string, { readonly call: LiveCall; readonly at: number }>()
  return {
    opened: call => void opened.set(call.id, { call, at: now() }),
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
