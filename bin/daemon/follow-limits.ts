import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Changed, SwitchChanges } from '../../core/ports/switching.ts'
import { NOTHING_CHANGED, together } from '../../core/switching/changes.ts'
import type { LimitWatch } from '../../core/use-cases/calls/limit-watch.ts'

/** Each check adds up what a tenant's extensions have used. */
const BETWEEN_LOOKS_MS = 1_000

/**
 * Until the signal aborts, checks for newly reached limits whenever any process stores calls or settings.
 */
export async function followLimits(
  limits: Pick<LimitWatch, 'look'>,
  changes: SwitchChanges,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  let left: Changed = 'all'
  while (!signal.aborted) {
    try {
      const { records, calls } = await changes.next().catch(error => {
        left = 'all'
        throw error
      })
      left = together(left, together(records, calls))
      await limits.look(left)
      left = NOTHING_CHANGED
    } catch (error) {
      log.error({ err: error }, 'limits on calls could not be checked')
    }
    await pause(BETWEEN_LOOKS_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
