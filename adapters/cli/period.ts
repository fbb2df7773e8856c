import type { Command } from 'commander'
import { parseDate } from '../../core/dates.ts'
import { FOREVER, type Period } from '../../core/rating/period.ts'
import { again, CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'

/** `what` happened then, such as calls that began. */
export const periodOptions = (command: Command, what: string): Command =>
  command
    .option('--since <date>', `${what} at this moment or later (UTC unless it has a zone)`)
    .option('--until <date>', `${what} before this moment`)

export function periodFrom(flags: Flags): Period {
  const read = (flag: 'since' | 'until', fallback: string): string => {
    if (flags[flag] === undefined) return fallback
    const date = parseDate(String(flags[flag]).trim())
    if (date === null)
      throw new CliError(EXIT.usage, `--${flag} must be a valid date`, again(`--${flag}`, '2026-10-01'))
    return date
  }
  return { from: read('since', FOREVER.from), to: read('until', FOREVER.to) }
}
