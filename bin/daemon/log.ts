import { type Logger, pino } from 'pino'
import type { Settings } from '../../config/settings.ts'
import { escapedJson } from '../../core/json.ts'

/** Lines that wait while standard error takes none; what is beyond is lost. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * The daemon's log on standard error, and how to write what still waits. A log that cannot be written ends nothing, and
 * what clients sent does nothing to the terminal that shows it.
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
        // The error has nowhere to go.
      }
    },
  }
}
