import { type Logger, pino } from 'pino'
import type { Settings } from '../../config/settings.ts'
import { escapedJson } from '../../core/json.ts'

/** The most bytes that wait while standard error is blocked; the rest is lost. */
const MAX_WAITING_BYTES = 1024 * 1024

/** A log that hands on its lines. */
export const logInto = (level: Settings['log_level'], write: (line: string) => void): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write })

export interface Log {
  readonly log: Logger
  /** Writes a line that the log of another thread has made. */
  write(line: string): void
  /** Writes what still waits. */
  flush(): void
}

/**
 * The daemon's log on standard error. A log that cannot be written stops nothing, and text from clients cannot control
 * the terminal that shows it. Nothing is redacted here: a request is logged by its route, without URL, headers or body.
 */
export function createLog(level: Settings['log_level']): Log {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MAX_WAITING_BYTES })
  destination.on('error', () => undefined)
  const write = (line: string): void => void destination.write(escapedJson(line))
  return {
    log: logInto(level, write),
    write,
    flush: () => {
      try {
        destination.flushSync()
      } catch {
        // There is nowhere to report the error.
      }
    },
  }
}
