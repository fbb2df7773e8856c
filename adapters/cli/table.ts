import Table from 'cli-table3'
import { type Column, isNumber } from './columns.ts'
import { type Context, say } from './context.ts'
import { coloured, printable, styled } from './styles.ts'
import { cut, widthOf } from './width.ts'

const MICROSECONDS = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{6}Z$/

/** A moment to the second, which is what fits a table. */
const shortened = (text: string, { kind }: Column): string =>
  kind === 'date' ? text.replace(MICROSECONDS, '$1 $2Z') : text

const NARROWEST = 8
const SHORT = 11
const FRAME = 3

interface Fit {
  readonly columns: readonly number[]
  readonly widths: readonly number[]
}

/**
 * A table that fits the terminal: empty columns go first when there is no room, then long ones are cut, and at last
 * those on the right are left out, which is said on standard error.
 */
export function table(context: Context, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) {
    say(context, 'nothing found')
    return ''
  }
  const available = context.io.stdout.columns ?? 120
  const cells = rows.map(row => columns.map((column, i) => cut(shortened(printable(row[i] ?? ''), column), available)))
  const { columns: shown, widths } = fit(columns, cells, available)
  const left = columns.filter((_, i) => !shown.includes(i) && cells.some(row => row[i] !== ''))
  if (left.length > 0)
    say(context, `left out for want of width: ${left.map(({ name }) => name).join(', ')}; see --fields`)
  const drawn = new Table({
    head: shown.map((i, at) => heading(context, columns[i]?.name ?? '', widths[at] ?? NARROWEST)),
    colAligns: shown.map(i => (columns[i] && isNumber(columns[i]) ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
  })
  for (const row of cells)
    drawn.push(
      shown.map((i, at) => {
        const text = cut(row[i] ?? '', widths[at] ?? NARROWEST)
        return columns[i]?.kind === 'text' ? coloured(context, text) : text
      }),
    )
  return `${drawn.toString()}\n`
}

/** A heading in bold, broken after its underscores where it is too wide. */
function heading(context: Context, name: string, width: number): string {
  if (name.length <= width) return styled(context, 'bold', name)
  const parts = name.split(/(?<=_)/).map(part => styled(context, 'bold', cut(part, width)))
  return parts.join('\n')
}

const longestPart = (name: string): number => Math.max(...name.split(/(?<=_)/).map(part => part.length))

function fit(columns: readonly Column[], cells: readonly (readonly string[])[], available: number): Fit {
  const contents = columns.map((_, i) => Math.max(0, ...cells.map(row => widthOf(row[i] ?? ''))))
  const natural = columns.map(({ name }, i) => Math.max(name.length, contents[i] ?? 0))
  // A number is never cut, nor is what is short anyhow; a heading may be.
  const least = columns.map((column, i) => {
    const content = contents[i] ?? 0
    const kept = isNumber(column) || content <= SHORT ? content : NARROWEST
    return Math.max(kept, Math.min(longestPart(column.name), NARROWEST))
  })
  const room = (shown: readonly number[]): number => available - FRAME * shown.length - 1
  const total = (shown: readonly number[], widths: readonly number[]): number =>
    shown.reduce((sum, i) => sum + (widths[i] ?? 0), 0)
  let shown = columns.map((_, i) => i)
  if (total(shown, natural) > room(shown)) shown = shown.filter(i => (contents[i] ?? 0) > 0)
  while (shown.length > 1 && total(shown, least) > room(shown)) shown = shown.slice(0, -1)
  return { columns: shown, widths: narrowed(shown, natural, least, room(shown)) }
}

/** Takes from the widest columns until all fit. */
function narrowed(
  shown: readonly number[],
  natural: readonly number[],
  least: readonly number[],
  room: number,
): number[] {
  const widths = shown.map(i => natural[i] ?? 0)
  const spare = (at: number): number => (widths[at] ?? 0) - (least[shown[at] ?? 0] ?? 0)
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - room; excess > 0; excess--) {
    const widest = widths.reduce(
      (best, width, at) => (spare(at) > 0 && (best < 0 || width > (widths[best] ?? 0)) ? at : best),
      -1,
    )
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
