import type { Logger } from 'pino'
import type { Cut } from './clients/connections.ts'
import type { HttpMetrics } from './metrics.ts'
import type { Watching } from './server.ts'

/** Counts and logs what the application never saw: a line for each refusal, and one for many cuts. */
export function noting(log: Logger, metrics: Pick<HttpMetrics, 'refusal' | 'cut'> | undefined): Watching {
  const logCut = summed(log)
  return {
    onRefusal: ({ status, reason }) => {
      metrics?.refusal(status)
      log.info({ status, reason }, 'request refused')
    },
    onCut: reason => {
      metrics?.cut(reason)
      logCut(reason)
    },
  }
}

/** A client that keeps opening connections must not fill the log as well. */
const SUMMED_MS = 10_000

function summed(log: Logger): (reason: Cut) => void {
  const counts = new Map<Cut, number>()
  const write = (): void => {
    log.warn(Object.fromEntries(counts), 'connections cut')
    counts.clear()
  }
  return reason => {
    if (counts.size === 0) setTimeout(write, SUMMED_MS).unref()
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
}
