import { setTimeout as pause } from 'node:timers/promises'
import type { Timestamp } from '../../../core/dates.ts'
import type { CallsInProgress, LiveCall } from '../../../core/ports/switching.ts'
import type { Clock } from '../../../core/ports/system.ts'
import { callIndex, NO_CALLS } from '../../../core/switching/in-progress.ts'
import { type Manager, type ManagerPlace, openManager } from '../manager.ts'
import { callsOn } from './channels.ts'

export interface CallWatchParts {
  readonly place: ManagerPlace
  readonly clock: Pick<Clock, 'now'>
  /** False while nothing depends on the calls in progress. */
  isNeeded(): boolean
  /** Called after each look with the slugs of tenants that have calls. */
  onLooked(slugs: ReadonlySet<string>): Promise<void>
}

/** The calls in progress, looked at every second while they are needed. */
export interface CallWatch {
  /** Includes calls that ended since the look before the last: their records may not be stored yet. */
  calls(): CallsInProgress
  /** Looks until the signal aborts; never rejects. */
  run(signal: AbortSignal): Promise<void>
}

const BETWEEN_LOOKS_MS = 1_000

export function callWatch({ place, clock, isNeeded, onLooked }: CallWatchParts): CallWatch {
  let last: readonly LiveCall[] = []
  let known = NO_CALLS
  /** When calls were answered, by their ids. */
  let answers = new Map<string, Timestamp>()
  // One of its own: the follower's may be waiting for a long reload.
  let manager: Manager | null = null
  const look = async (): Promise<void> => {
    manager ??= await openManager(place)
    const calls = await callsOn(manager, clock.now(), call => call.direction === 'outbound' && !answers.has(call.id))
    const found = calls.map(call => ({ ...call, answeredAt: answers.get(call.id) ?? call.answeredAt }))
    answers = new Map(found.flatMap(({ id, answeredAt }) => (answeredAt === null ? [] : [[id, answeredAt]])))
    known = callIndex([...last, ...found])
    await onLooked(new Set([...last, ...found].flatMap(({ tenant }) => tenant ?? [])))
    last = found
  }
  const close = (): void => {
    manager?.close()
    manager = null
  }
  return {
    calls: () => known,
    run: async signal => {
      signal.addEventListener('abort', close)
      while (!signal.aborted) {
        // A look that fails keeps the calls seen last: the follower's own connection reports that Asterisk is away.
        if (isNeeded()) await look().catch(close)
        else [last, known] = [[], NO_CALLS]
        await pause(BETWEEN_LOOKS_MS, undefined, { signal, ref: false }).catch(() => undefined)
      }
      signal.removeEventListener('abort', close)
      close()
    },
  }
}
