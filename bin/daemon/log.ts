import { type Logger, pino } from 'pino'
import type { Settings } from '../../config/settings.ts'
import { escapedJson } from '../../core/json.ts'

/** The most bytes that wait while standard error is blocked; the rest is lost. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * The daemon's log on standard error, and a function that writes what still waits. A log that cannot be written stops
 * nothing, and text from clients cannot control the terminal that shows it. Nothing is redacted here: a request is
 * logged by its route, without URL, headers or body.
 */
export function createLog(level: Settings['log_level']): { readonly log: Logger; flush(): void } {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MAX_WAITING_BYTES })
  destination.on('error', () => undefined)
  return {
    log: pino(
      { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
      { write: (line: string) => void destination.write(escapedJson(line)) },
    ),
    flush: () => {
      try {
        destination.flushSync()
      } catch {
        // There is nowhere to report the error.
      }
    },
  }
}
