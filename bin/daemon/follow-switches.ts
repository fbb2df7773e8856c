import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../../core/errors.ts'
import type { Changed, SwitchChanges, SwitchFollower } from '../../core/ports/switching.ts'
import { isNothing, NOTHING_CHANGED, together } from '../../core/switching/changes.ts'

/** A look costs some 0.05 ms. */
const BETWEEN_LOOKS_MS = 100
const AFTER_TROUBLE_MS = 1_000
/** The rest of hourly and daily limits changes with time. */
const MINUTE_MS = 60_000

/**
 * Lets each switch follow changes in the database by any process, and reconciles everything whenever a switch has been
 * reached, until the signal aborts. Resolves once nothing is under way. Calls `onReconciled` after each success.
 */
export async function followSwitches(
  followers: readonly SwitchFollower[],
  changes: SwitchChanges,
  log: Logger,
  signal: AbortSignal,
  onReconciled: (kind: SwitchFollower['kind']) => void = () => undefined,
): Promise<void> {
  const driven = followers.map(follower => {
    const drive = driver(follower, log, signal, onReconciled)
    return { ...drive, follower, run: follower.run(drive.push, signal) }
  })
  let minute = Date.now()
  while (!signal.aborted) {
    const changed = await changes.next().catch(error => {
      log.error({ err: error }, 'changes of the database could not be followed')
      return null
    })
    const isMinute = Date.now() - minute >= MINUTE_MS
    if (isMinute) minute = Date.now()
    for (const { push, follower } of driven) {
      push(changed ? changed.records : 'all')
      push(amongLimited(follower, isMinute ? 'all' : (changed?.calls ?? NOTHING_CHANGED)))
    }
    await pause(changed ? BETWEEN_LOOKS_MS : AFTER_TROUBLE_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
  await Promise.all(driven.flatMap(({ run, idle }) => [run, idle()]))
}

/** Returns the tenants with a changed rest of limits, on a switch that holds that rest. */
const amongLimited = ({ limited }: SwitchFollower, changed: Changed): Changed =>
  new Set([...(limited?.() ?? [])].filter(id => changed === 'all' || changed.has(id)))

/** Calls `reconcile` one at a time, with everything that has changed meanwhile. */
function driver(
  follower: SwitchFollower,
  log: Logger,
  signal: AbortSignal,
  onReconciled: (kind: SwitchFollower['kind']) => void,
) {
  let pending = NOTHING_CHANGED
  let running: Promise<void> | null = null
  const reconcile = async (): Promise<void> => {
    const changed = pending
    pending = NOTHING_CHANGED
    try {
      await follower.reconcile(changed)
      onReconciled(follower.kind)
    } catch (error) {
      // Once the switch is reached again, everything is reconciled.
      const { isConnected } = follower.state()
      if (!isConnected && error instanceof AppError && error.code === 'unavailable') return
      log.error({ err: error, switch: follower.kind }, 'a switch could not be brought up to date')
      pending = together(pending, changed)
      await pause(AFTER_TROUBLE_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  const push = (changed: Changed): void => {
    pending = together(pending, changed)
    if (running || isNothing(pending) || signal.aborted) return
    running = reconcile().finally(() => {
      running = null
      push(NOTHING_CHANGED)
    })
  }
  return { push, idle: async (): Promise<void> => running ?? undefined }
}
