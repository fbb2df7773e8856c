import { Command, Option } from 'commander'
import { formatAmount } from '../../core/amounts.ts'
import { USAGE_GROUPS, type UsageLine } from '../../core/ports/calls.ts'
import { daysOfMonth, isMonth } from '../../core/rating/period.ts'
import { NO_USAGE, together, type Usage } from '../../core/rating/usage.ts'
import { tenants } from '../../core/resources/tenants.ts'
import type { Context } from './context.ts'
import { again, CliError, EXIT } from './exit.ts'
import type { Flags } from './fields.ts'
import { example } from './help.ts'
import { assertColumns, printValue } from './output.ts'
import { type RunCommand, takesFields } from './program.ts'
import { resolve } from './references.ts'
import { printable, styled } from './styles.ts'
import { tenantArgument, tenantFrom } from './tenant-argument.ts'
import { cut, widthOf } from './width.ts'

export async function reportCommand(run: RunCommand): Promise<Command> {
  const group = new Command('report').description('what was used and what it costs')
  const usage = tenantArgument(new Command('usage').description("a tenant's calls of a month, in its own time zone"))
    .option('--month <YYYY-MM>', 'the month (required)')
    .addOption(new Option('--by <group>', 'a line for each').choices([...USAGE_GROUPS]))
  example(usage, 'trunkline report usage --tenant acme --month 2026-10 --by destination')
  group.addCommand(run(takesFields(usage), printUsage))
  return group
}

async function printUsage(context: Context, words: readonly string[], flags: Flags): Promise<void> {
  const { tenant: named } = await tenantFrom(context, words, flags)
  const month = await monthFrom(context, flags)
  const isFlat = context.options.output === 'csv' || context.options.output === 'ndjson'
  assertColumns(context, isFlat)
  const { records, calls } = await context.open()
  const tenantId = await resolve(records, tenants, named)
  const tenant = await records.find(tenants, tenantId)
  const timezone = String(tenant?.['timezone'] ?? 'UTC')
  const by = USAGE_GROUPS.find(known => known === flags['by']) ?? null
  const lines = await calls.usage(tenantId, daysOfMonth(month, timezone), by)
  const sum = figures(lines.reduce(together, NO_USAGE))
  const rows = lines.map(line => ({ [by ?? 'group']: line.group, ...figures(line) }))
  const head = { tenant: String(tenant?.['slug'] ?? ''), month, timezone }
  const whole = { ...head, total: sum, ...(by === null ? {} : { lines: rows }) }
  await printValue(context, isFlat ? (by === null ? [{ ...head, ...sum }] : rows) : whole, () =>
    drawn(context, head, sum, by === null ? [] : lines),
  )
}

async function monthFrom(context: Context, { month }: Flags): Promise<string> {
  if (month === undefined && context.options.interactive) {
    const { askText } = await import('./ask.ts')
    return askText(context, 'month:', { validate: given => isMonth(given) || noMonth(given) })
  }
  if (month === undefined) throw new CliError(EXIT.usage, 'there is no month', again('--month', '2026-10'))
  const given = String(month)
  if (!isMonth(given)) throw new CliError(EXIT.usage, noMonth(given), again('--month', '2026-10'))
  return given
}

const noMonth = (given: string): string => `${given || 'that'} is no month, such as 2026-10`

/** Minutes and averages to one decimal; amounts as text. ASR: answered per hundred; ACD: seconds of an answered call. */
function figures({ calls, answered, seconds, bill_seconds, cost, unrated }: Usage) {
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

const LONGEST_BAR = 20
const SHORTEST_BAR = 5
const LONGEST_NAME = 32
const SHORTEST_NAME = 8
/** Of a terminal whose width is not known. */
const WIDTH = 100
const GAP = '  '
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Its length is the share of the longest, to an eighth of a character; never nothing for what is something. */
function bar(share: number, longest: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * longest * 8)) : 0
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}

const HEAD = ['calls', 'minutes', 'billed', 'cost', 'ASR %', 'ACD s']

interface Drawn {
  readonly name: string
  readonly cells: readonly string[]
  /** Of the longest bar. */
  readonly share: number
}

const cellsOf = (line: ReturnType<typeof figures>): string[] => [
  String(line.calls),
  line.minutes.toFixed(1),
  line.billed_minutes.toFixed(1),
  line.cost,
  line.answer_seizure_ratio.toFixed(1),
  line.average_call_duration.toFixed(1),
]

/** The bars are of the cost, or of the calls where nothing costs anything. */
function shares(lines: readonly UsageLine[]): number[] {
  const of = lines.some(({ cost }) => cost > 0) ? lines.map(({ cost }) => cost) : lines.map(({ calls }) => calls)
  const most = Math.max(...of, 1)
  return of.map(value => value / most)
}

function drawn(
  context: Context,
  head: { tenant: string; month: string; timezone: string },
  sum: ReturnType<typeof figures>,
  lines: readonly UsageLine[],
): string {
  const shareOf = shares(lines)
  const rows: Drawn[] = lines.map((line, i) => ({
    name: cut(printable(line.group ?? ''), LONGEST_NAME),
    cells: cellsOf(figures(line)),
    share: shareOf[i] ?? 0,
  }))
  rows.push({ name: 'total', cells: cellsOf(sum), share: 0 })
  return [
    `${head.tenant}, ${head.month} (${head.timezone})`,
    ...grid(context, rows),
    ...(sum.unrated > 0
      ? [styled(context, 'yellow', `${sum.unrated} of them unrated: trunkline rate check ${head.tenant}`)]
      : []),
    '',
  ].join('\n')
}

/** Names give way first, then bars, so that a line fits the terminal. */
function grid(context: Context, rows: readonly Drawn[]): string[] {
  const widths = HEAD.map((title, i) => Math.max(title.length, ...rows.map(row => row.cells[i]?.length ?? 0)))
  const room = (context.io.stdout.columns ?? WIDTH) - widths.reduce((sum, width) => sum + GAP.length + width, 0)
  const wanted = Math.min(LONGEST_NAME, Math.max(SHORTEST_NAME, ...rows.map(({ name }) => widthOf(name))))
  const nameWidth = Math.max(SHORTEST_NAME, Math.min(wanted, room - GAP.length - SHORTEST_BAR))
  const left = room - nameWidth - GAP.length
  const longest = left < SHORTEST_BAR ? 0 : Math.min(LONGEST_BAR, left)
  const line = (name: string, cells: readonly string[]): string =>
    [padded(name, nameWidth), ...cells.map((value, i) => value.padStart(widths[i] ?? 0))].join(GAP)
  return [
    styled(context, 'bold', line('', HEAD)),
    ...rows.map(({ name, cells, share }) => {
      const drawnBar = longest === 0 ? '' : styled(context, 'cyan', bar(share, longest))
      return `${line(name, cells)}${GAP}${drawnBar}`.trimEnd()
    }),
  ]
}

function padded(name: string, width: number): string {
  const shown = cut(name, width)
  return shown + ' '.repeat(width - widthOf(shown))
}
