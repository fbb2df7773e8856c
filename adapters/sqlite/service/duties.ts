import { setTimeout as pause } from 'node:timers/promises'
import type { Duties } from '../../../core/ports/upkeep.ts'

const BETWEEN_MS = 1_000

/** The storage port: one daemon serves a file, so it has every duty. */
export const duties: Duties = {
  hold: async (_, work, signal) => {
    while (!signal.aborted) {
      await work(signal)
      await pause(BETWEEN_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  },
  attempt: async (_, work) => {
    await work(new AbortController().signal)
    return true
  },
}
