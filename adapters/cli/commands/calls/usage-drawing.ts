import type { UsageLine } from '../../../../core/ports/calls.ts'
import type { Usage } from '../../../../core/rating/usage.ts'
import { figures } from '../../../../core/use-cases/calls/usage-reports.ts'
import type { Context } from '../../context.ts'
import { suggested } from '../../terminal/report.ts'
import { printable, styled } from '../../terminal/styles.ts'
import { cut, widthOf } from '../../terminal/width.ts'

const LONGEST_BAR = 20
const SHORTEST_BAR = 5
const LONGEST_NAME = 32
const SHORTEST_NAME = 8
/** The width of a terminal that does not report one. */
const WIDTH = 100
const GAP = '  '
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** Draws a bar proportional to the longest, to an eighth of a character; never empty for more than zero. */
function bar(share: number, longest: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * longest * 8)) : 0
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}

const HEAD = ['calls', 'answered', 'minutes', 'billed', 'cost', 'ASR %', 'ACD s']

interface Drawn {
  readonly name: string
  readonly cells: readonly string[]
  /** The share of the longest bar. */
  readonly share: number
}

const cellsOf = (line: ReturnType<typeof figures>): string[] => [
  String(line.calls),
  String(line.answered),
  line.minutes.toFixed(1),
  line.billed_minutes.toFixed(1),
  line.cost,
  line.answer_seizure_ratio.toFixed(1),
  line.average_call_duration.toFixed(1),
]

/** Returns the lengths of the bars: cost, or calls if nothing costs anything. */
function shares(lines: readonly UsageLine[]): number[] {
  const of = lines.some(({ cost }) => cost > 0) ? lines.map(({ cost }) => cost) : lines.map(({ calls }) => calls)
  const most = Math.max(...of, 1)
  return of.map(value => value / most)
}

/** Returns lines with their names and figures, and what can be done about unrated calls. */
export function drawn(
  context: Context,
  head: string,
  lines: readonly UsageLine[],
  { total, remedy }: { readonly total: Usage; readonly remedy: string },
): string[] {
  const shareOf = shares(lines)
  const rows: Drawn[] = lines.map((line, i) => ({
    name: cut(printable(line.group ?? ''), LONGEST_NAME),
    cells: cellsOf(figures(line)),
    share: shareOf[i] ?? 0,
  }))
  rows.push({ name: 'total', cells: cellsOf(figures(total)), share: 0 })
  const unrated =
    total.unrated > 0
      ? [styled(context, 'yellow', `${total.unrated} of them unrated: ${suggested(remedy, context.options)}`)]
      : []
  return [head, ...grid(context, rows), ...unrated]
}

/** Shortens names first, then bars, so that a line fits the terminal. */
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
      const drawnBar = longest === 0 || share === 0 ? '' : styled(context, 'cyan', bar(share, longest))
      return `${line(name, cells)}${GAP}${drawnBar}`.trimEnd()
    }),
  ]
}

function padded(name: string, width: number): string {
  const shown = cut(name, width)
  return shown + ' '.repeat(width - widthOf(shown))
}
