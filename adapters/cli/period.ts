import { type Command, Option } from 'commander'
import { parseDate } from '../../core/dates.ts'
import { FOREVER, isMonth, midnights, monthOf, type Period } from '../../core/rating/period.ts'
import type { Resource } from '../../core/resources/resource.ts'
import type { Lookup } from '../../core/use-cases/records/lookup.ts'
import { timeZoneOf } from '../../core/use-cases/records/time-zone.ts'
import { again, CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'

/** Adds period options; `what` is what happened in the period, such as calls that began. */
export const periodOptions = (command: Command, what: string): Command =>
  withMonth(
    command
      .option('--since <date>', `${what} at this moment or later (UTC unless it has a zone)`)
      .option('--until <date>', `${what} before this moment`),
    `${what} in this month (UTC)`,
  )

/** The same for one tenant, whose days are in its own time zone, as in its reports. */
export const tenantPeriodOptions = (command: Command, what: string): Command =>
  withMonth(
    command
      .option(
        '--since <date>',
        `${what} on this day of the tenant's time zone or later, or at this moment (UTC unless it has a zone)`,
      )
      .option('--until <date>', `${what} before this day or moment`),
    `${what} in this month of the tenant's time zone`,
  )

/** True if the records of this resource are ordered by time. */
export const isTimed = ({ fields, order }: Pick<Resource, 'fields' | 'order'>): boolean =>
  fields[order]?.kind === 'date'

/** The same for records of a resource, which may be limited to one tenant. */
export const recordPeriodOptions = (command: Command, { order }: Pick<Resource, 'order'>): Command =>
  withMonth(
    command
      .option(
        '--since <date>',
        `only those whose ${order} is on this day of the time zone of --tenant (else UTC) or later, or at this moment (UTC unless it has a zone)`,
      )
      .option('--until <date>', `only those whose ${order} is before this day or moment`),
    `only those whose ${order} is in this month of the time zone of --tenant (else UTC)`,
  )

const withMonth = (command: Command, about: string): Command =>
  command.addOption(new Option('--month <YYYY-MM>', about).conflicts(['since', 'until']))

/** Returns the month in a flag. Throws CliError if it is none. */
export function monthFrom(value: unknown): string {
  const month = String(value).trim()
  if (!isMonth(month)) throw new CliError(EXIT.usage, noMonth(month), again('--month', '2026-10'))
  return month
}

export const noMonth = (text: string): string => `${text || 'that'} is not a month; write it like 2026-10`

const DAY = /^\d{4}-\d\d-\d\d$/

/** `timeZone` applies to dates without a time. */
export function periodFrom(flags: Flags, timeZone = 'UTC'): Period {
  if (flags['month'] !== undefined) return monthOf(monthFrom(flags['month']), timeZone)
  const read = (flag: 'since' | 'until', fallback: string): string => {
    if (flags[flag] === undefined) return fallback
    const text = String(flags[flag]).trim()
    const date = parseDate(text)
    if (date === null)
      throw new CliError(EXIT.usage, `--${flag} must be a valid date`, again(`--${flag}`, '2026-10-01'))
    return DAY.test(text) ? midnights(timeZone)(text) : date
  }
  const period = { from: read('since', FOREVER.from), to: read('until', FOREVER.to) }
  if (flags['since'] !== undefined && flags['until'] !== undefined && period.to <= period.from)
    throw new CliError(
      EXIT.usage,
      `--until ${String(flags['until'])} must be later than --since ${String(flags['since'])}: it is the first day or moment not included`,
    )
  return period
}

/** Returns the period in the flags, by the tenant's days. */
export async function tenantPeriodFrom(flags: Flags, records: Lookup, tenantId: number): Promise<Period> {
  return periodFrom(flags, await timeZoneOf(records, tenantId))
}

/** Returns the period in the flags, if any, in the time zone of the tenant whose records are selected. */
export async function recordPeriodFrom(
  flags: Flags,
  tenantId: number | undefined,
  records: Lookup,
): Promise<{ readonly period?: Period }> {
  if (['since', 'until', 'month'].every(flag => flags[flag] === undefined)) return {}
  return { period: tenantId === undefined ? periodFrom(flags) : await tenantPeriodFrom(flags, records, tenantId) }
}
