import { Command, Option } from 'commander'
import { USAGE_GROUPS, type UsageGroup } from '../../../../core/ports/calls.ts'
import { isMonth } from '../../../../core/rating/period.ts'
import { NO_USAGE, type Usage } from '../../../../core/rating/usage.ts'
import type { Kind } from '../../../../core/resources/field.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import {
  figures,
  reportShown,
  totalOf,
  type UsageReport,
  usageReports,
} from '../../../../core/use-cases/calls/usage-reports.ts'
import { quoted } from '../../command-line.ts'
import type { Context } from '../../context.ts'
import { again, CliError, EXIT } from '../../exit.ts'
import type { Flags } from '../../fields.ts'
import { example } from '../../help.ts'
import { resolve } from '../../naming/references.ts'
import { tenantArgument, tenantFrom } from '../../naming/tenant-argument.ts'
import { monthFrom, noMonth } from '../../period.ts'
import { type RunCommand, takesFields } from '../../program.ts'
import { assertColumns, printRows, printValue } from '../../terminal/output.ts'
import { drawn } from './usage-drawing.ts'

export async function reportCommand(run: RunCommand): Promise<Command> {
  const group = new Command('report').description('reports of usage and cost')
  const usage = tenantArgument(new Command('usage').description("a tenant's calls of a month, in its own time zone"))
    .option('--all-tenants', 'the calls of every tenant, each in its own time zone')
    .option('--month <YYYY-MM>', 'the month (required)')
    .addOption(new Option('--by <group>', 'one line for each').choices([...USAGE_GROUPS]))
  example(
    usage,
    'trunkline report usage --tenant acme --month 2026-10 --by destination',
    'trunkline report usage --all-tenants --month 2026-10 --output csv',
  )
  group.addCommand(run(takesFields(usage), printUsage))
  return group
}

async function printUsage(context: Context, words: readonly string[], flags: Flags): Promise<void> {
  const isOfAll = flags['allTenants'] === true
  if (isOfAll && (words.length > 0 || flags['tenant'] !== undefined))
    throw new CliError(EXIT.usage, '--all-tenants reports every tenant; do not name one as well')
  const { tenant: named } = isOfAll ? { tenant: null } : await tenantFrom(context, words, flags)
  const month = await monthMeant(context, flags)
  const isFlat = context.options.output === 'csv' || context.options.output === 'ndjson'
  assertColumns(context, isFlat)
  const by = USAGE_GROUPS.find(group => group === flags['by']) ?? null
  const services = await context.open()
  const tenantId = named === null ? null : await resolve(services.records, tenants, named)
  const reports = await usageReports(services, { tenantId, month, by })
  if (isFlat)
    return printRows(
      context,
      columnsOf(by),
      reports.flatMap(report => rowsOf(report, by)),
    )
  const [only] = reports
  if (!isOfAll && only) return printValue(context, reportShown(only, by), () => drawnReport(context, only, by))
  const total = totalOf(reports)
  const whole = { month, total: figures(total), tenants: reports.map(report => reportShown(report, by)) }
  return printValue(context, whole, () => drawnReports(context, month, reports, { total, by }))
}

/** Returns rows that can be printed below those of other tenants. */
function rowsOf({ total, lines, ...head }: UsageReport, by: UsageGroup | null) {
  if (by === null) return [{ ...head, ...figures(total) }]
  return lines.map(line => ({ ...head, [by]: line.group, ...figures(line) }))
}

const columnsOf = (by: UsageGroup | null): Record<string, Kind> => ({
  ...{ tenant: 'text', month: 'text', timezone: 'text' },
  ...(by === null ? {} : { [by]: 'text' }),
  ...Object.fromEntries(Object.keys(figures(NO_USAGE)).map(name => [name, 'decimal'])),
})

const drawnReport = (context: Context, { tenant, month, timezone, total, lines }: UsageReport, by: UsageGroup | null) =>
  drawn(context, `${tenant}, ${month} (${timezone})`, by === null ? [] : lines, {
    total,
    remedy: `trunkline rate check ${quoted(tenant)}`,
  })

/** Prints a line for each tenant, or a drawing for each that has calls; then the total. */
function drawnReports(
  context: Context,
  month: string,
  reports: readonly UsageReport[],
  { total, by }: { readonly total: Usage; readonly by: UsageGroup | null },
): string[] {
  const each = by === null ? [] : reports.filter(report => report.total.calls > 0)
  const lines = by === null ? reports.map(report => ({ group: report.tenant, ...report.total })) : []
  return [
    ...each.flatMap(report => [...drawnReport(context, report, by), '']),
    ...drawn(context, `all tenants, ${month}`, lines, {
      total,
      remedy: `trunkline cdr list --unrated --month ${month}`,
    }),
  ]
}

async function monthMeant(context: Context, { month }: Flags): Promise<string> {
  if (month === undefined && context.options.interactive) {
    const { askText } = await import('../../terminal/ask.ts')
    return askText(context, 'month:', { validate: text => isMonth(text) || noMonth(text) })
  }
  if (month === undefined)
    throw new CliError(EXIT.usage, 'a month is required: give --month', again('--month', '2026-10'))
  return monthFrom(month)
}
