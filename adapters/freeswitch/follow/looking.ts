import { once } from 'node:events'
import type { SwitchLookups } from '../../../core/ports/switching/lookups.ts'
import { monotonic } from '../lookups/monotonic.ts'
import { callsOf, channelsIn, SHOW_CHANNELS } from '../socket/channels.ts'
import type { EventSocket } from '../socket/event-socket.ts'

/** Milliseconds between two looks at the calls in progress, while there are some and while there are none. */
export interface BetweenLooks {
  readonly busyMs: number
  readonly idleMs: number
}

/** A look that follows the end of a leg does not come before this time, nor before ten times what the last one took. */
const SOONEST_MS = 50
const SHARE = 1 / 10

/** Longer than FreeSWITCH's list takes to lack a leg that has ended. */
const LISTED_MS = 10_000

export interface Looking extends BetweenLooks {
  readonly lookups: Pick<SwitchLookups, 'shown' | 'ended'>
  onTrouble(error: unknown): void
}

/** Tells lookups which calls are in progress, until the connection ends: at intervals, and when a leg has ended. */
export async function keepLooking(
  socket: EventSocket,
  { lookups, busyMs, idleMs, onTrouble }: Looking,
  signal: AbortSignal,
): Promise<void> {
  /** When legs have ended, the oldest first. */
  const ends = new Map<string, number>()
  const waiting = interruptible()
  let [isOver, hasEnded, isDue] = [false, false, false]
  socket.closed.then(() => {
    isOver = true
    waiting.interrupt()
  })
  await socket.followEnds(leg => {
    ends.set(leg, monotonic())
    lookups.ended(leg).catch(onTrouble)
    hasEnded = true
    if (isDue) waiting.interrupt()
  })
  const look = async (askedAt: number): Promise<number> => {
    for (const [leg, at] of ends) if (askedAt - at > LISTED_MS) ends.delete(leg)
    const channels = channelsIn(await socket.api(SHOW_CHANNELS)).filter(({ id }) => !ends.has(id))
    return lookups.shown(callsOf(channels), askedAt)
  }
  while (!isOver) {
    const began = monotonic()
    hasEnded = false
    const latest = (await unlessAborted(look(began), signal)) > 0 ? busyMs : idleMs
    const soonest = Math.min(latest, Math.max(SOONEST_MS, (monotonic() - began) / SHARE))
    if (!isOver) await waiting.wait(soonest)
    isDue = true
    if (!isOver && !hasEnded) await waiting.wait(latest - soonest)
    isDue = false
  }
}

/** Waits that can be cut short. */
function interruptible() {
  let interrupt = (): void => undefined
  return {
    wait: (ms: number): Promise<void> =>
      new Promise(resolve => {
        const timer = setTimeout(resolve, ms).unref()
        interrupt = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    interrupt: () => interrupt(),
  }
}

/** Rejects as soon as the signal aborts: what answers lookups may hang, and must not keep the daemon from stopping. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController()
  const aborted = once(signal, 'abort', { signal: settled.signal }).then((): never => {
    throw signal.reason
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    settled.abort()
  }
}
