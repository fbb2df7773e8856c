import { momentIn } from '../../../core/calls/switch-time.ts'
import type { Timestamp } from '../../../core/dates.ts'
import { again, CliError, EXIT } from '../exit.ts'

/** Reads the moment in a flag, in a tenant's time zone unless it names another. Throws CliError. */
export function momentFrom(flag: string, text: string, timeZone: string): Timestamp {
  const moment = momentIn(timeZone)(text)
  if (moment !== null) return moment
  const example = '2026-12-01T00:00'
  throw new CliError(EXIT.usage, `${flag} must be a day, or a day and a time such as ${example}`, again(flag, example))
}
