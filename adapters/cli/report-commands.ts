import { Command, Option } from 'commander'
import { formatAmount } from '../../core/amounts.ts'
import { USAGE_GROUPS, type UsageLine } from '../../core/ports.ts'
import { daysOfMonth } from '../../core/rating/period.ts'
import { tenants } from '../../core/resources/tenants.ts'
import type { Context } from './context.ts'
import { CliError, EXIT } from './exit.ts'
import { printValue } from './output.ts'
import { example, type RunCommand } from './program.ts'
import { resolve } from './references.ts'
import { styled } from './table.ts'

export async function reportCommand(run: RunCommand): Promise<Command> {
  const group = new Command('report').description('what was used and what it costs')
  const usage = new Command('usage')
    .description("a tenant's calls of a month, in its own time zone")
    .requiredOption('--tenant <SLUG|ID>', 'the tenant')
    .requiredOption('--month <YYYY-MM>', 'the month')
    .addOption(new Option('--by <group>', 'a line for each').choices([...USAGE_GROUPS]))
  example(usage, 'trunkline report usage --tenant acme --month 2026-10 --by destination')
  group.addCommand(
    run(usage, async (context, _words, flags) => {
      const { records, calls } = await context.open()
      const tenantId = await resolve(records, tenants, String(flags['tenant']))
      const tenant = await records.find(tenants, tenantId)
      const month = String(flags['month'])
      if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month))
        throw new CliError(EXIT.usage, `${month} is no month`, 'write --month 2026-10')
      const timezone = String(tenant?.['timezone'] ?? 'UTC')
      const by = USAGE_GROUPS.find(known => known === flags['by']) ?? null
      const days = daysOfMonth(month, timezone)
      const lines = by === null ? [] : await calls.usage(tenantId, days, by)
      const [total] = await calls.usage(tenantId, days, null)
      const sum = figures(
        total ?? { group: null, calls: 0, answered: 0, seconds: 0, bill_seconds: 0, cost: 0, unrated: 0 },
      )
      const rows = lines.map(line => ({ [by ?? 'group']: line.group, ...figures(line) }))
      const head = { tenant: String(tenant?.['slug'] ?? ''), month, timezone }
      await printValue(
        context,
        context.options.output === 'csv' || context.options.output === 'ndjson'
          ? by === null
            ? [{ ...head, ...sum }]
            : rows
          : { ...head, total: sum, ...(by === null ? {} : { lines: rows }) },
        () => drawn(context, head, sum, lines),
      )
    }),
  )
  return group
}

/** Minutes and averages to one decimal; amounts as text. ASR: answered per hundred; ACD: seconds of an answered call. */
function figures({ calls, answered, seconds, bill_seconds, cost, unrated }: UsageLine) {
  const ratio = (part: number, whole: number, scale: number): number =>
    whole === 0 ? 0 : Math.round((part / whole) * scale * 10) / 10
  return {
    calls,
    answered,
    minutes: ratio(seconds, 60, 1),
    billed_minutes: ratio(bill_seconds, 60, 1),
    cost: formatAmount(cost),
    answer_seizure_ratio: ratio(answered, calls, 100),
    average_call_duration: ratio(seconds, answered, 1),
    unrated,
  }
}

const BAR = 20
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Its length is the share of the largest, to an eighth of a character. */
function bar(share: number): string {
  const eighths = Math.round(share * BAR * 8)
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}

const HEAD = ['calls', 'minutes', 'billed', 'cost', 'ASR %', 'ACD s']

function drawn(
  context: Context,
  head: { tenant: string; month: string; timezone: string },
  total: ReturnType<typeof figures>,
  lines: readonly UsageLine[],
): string {
  const cells = (line: ReturnType<typeof figures>): string[] => [
    String(line.calls),
    line.minutes.toFixed(1),
    line.billed_minutes.toFixed(1),
    line.cost,
    line.answer_seizure_ratio.toFixed(1),
    line.average_call_duration.toFixed(1),
  ]
  const rows = [
    ...lines.map(line => ({ name: line.group ?? '', cells: cells(figures(line)), cost: line.cost, calls: line.calls })),
    { name: 'total', cells: cells(total), cost: 0, calls: 0 },
  ]
  const nameWidth = Math.min(32, Math.max(8, ...rows.map(({ name }) => name.length)))
  const widths = HEAD.map((title, i) => Math.max(title.length, ...rows.map(row => row.cells[i]?.length ?? 0)))
  const most = Math.max(...lines.map(({ cost }) => cost), 0)
  const busiest = Math.max(...lines.map(({ calls }) => calls), 1)
  const line = (name: string, values: readonly string[]): string =>
    [
      name.length > nameWidth ? `${name.slice(0, nameWidth - 1)}…` : name.padEnd(nameWidth),
      ...values.map((value, i) => value.padStart(widths[i] ?? 0)),
    ].join('  ')
  return [
    `${head.tenant}, ${head.month} (${head.timezone})`,
    styled(context, 'bold', line('', HEAD)),
    ...rows.map(row => {
      const share = row.name === 'total' ? 0 : most > 0 ? row.cost / most : row.calls / busiest
      return `${line(row.name, row.cells)}  ${styled(context, 'cyan', bar(share))}`.trimEnd()
    }),
    ...(total.unrated > 0
      ? [styled(context, 'yellow', `${total.unrated} of them without a rate: trunkline rate check ${head.tenant}`)]
      : []),
    '',
  ].join('\n')
}
