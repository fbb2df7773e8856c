import Table from 'cli-table3'
import { type Context, say } from '../context.ts'
import { type Column, isNumber } from './columns.ts'
import { coloured, printable, styled } from './styles.ts'
import { cut, widthOf } from './width.ts'

const MICROSECONDS = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{6}Z$/

/** Shortens a moment to the second, which fits a table. */
const shortened = (text: string, { kind }: Column): string =>
  kind === 'date' ? text.replace(MICROSECONDS, '$1 $2Z') : text

const TO_THE_MINUTE = '2026-10-01 12:00Z'.length

/** Fits a cell into `width` columns: a time loses its seconds, any other text its end. */
const fitted = (text: string, width: number, { kind }: Column): string =>
  cut(kind === 'date' && text.length > width ? text.replace(/:\d\dZ$/, 'Z') : text, width)

/** Useful only as a whole. */
const DIALLED = /^\+?\d{0,15}$/

/**
 * `frame` is the width of each column besides its text. Text is cut to `narrowest`, unless it is `short`, and a part
 * of a heading to `heading`. Dialled numbers are cut only if `cutsDialled`.
 */
interface Style {
  readonly cutsDialled?: boolean
  readonly frame: number
  readonly narrowest: number
  readonly short: number
  readonly heading: number
}

/** A text of this width is readable. */
const AMPLE = 24
const WHOLE = Number.POSITIVE_INFINITY
const ROOMY: Style = { frame: 3, narrowest: AMPLE, short: AMPLE, heading: WHOLE }
const LEGIBLE: Style = { ...ROOMY, frame: 1 }
const DENSE: Style = { frame: 1, narrowest: 6, short: 6, heading: WHOLE }
const CUT: readonly Style[] = [{ frame: 3, narrowest: 8, short: 11, heading: WHOLE }, DENSE, { ...DENSE, heading: 6 }]
const DENSEST: Style = { ...DENSE, heading: 6, cutsDialled: true }
const STYLES: readonly Style[] = [
  ROOMY,
  LEGIBLE,
  ...CUT,
  ...CUT.map((style): Style => ({ ...style, cutsDialled: true })),
]

interface Fit {
  readonly columns: readonly number[]
  readonly widths: readonly number[]
  readonly style: Style
}

/**
 * Draws a table that fits the terminal. To make room, drops empty columns first and then minor ones, JSON before
 * others; cuts long texts, then the padding, then headings, and then dialled numbers; finally drops columns on the
 * right. Standard error names the dropped columns.
 */
export function table(context: Context, columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) {
    say(context, 'nothing found')
    return []
  }
  const available = context.io.stdout.columns ?? 120
  const cells = rows.map(row => columns.map((column, i) => cut(shortened(printable(row[i] ?? ''), column), available)))
  const { columns: shown, widths, style } = fit(columns, cells, available)
  const left = columns.filter((_, i) => !shown.includes(i) && cells.some(row => row[i] !== ''))
  if (left.length > 0)
    say(context, `no room for: ${left.map(({ name }) => name).join(', ')}; choose columns with --fields`)
  const drawn = new Table({
    head: shown.map((i, at) => heading(context, columns[i]?.name ?? '', widths[at] ?? 0)),
    colAligns: shown.map(i => (columns[i] && isNumber(columns[i]) ? 'right' : 'left')),
    style: {
      head: [],
      border: [],
      compact: true,
      ...(style.frame === 1 ? { 'padding-left': 0, 'padding-right': 0 } : {}),
    },
  })
  for (const row of cells)
    drawn.push(
      shown.map((i, at) => {
        const column = columns[i]
        if (!column) return ''
        const text = fitted(row[i] ?? '', widths[at] ?? 0, column)
        return column.kind === 'text' ? coloured(context, text) : text
      }),
    )
  return drawn.toString().split('\n')
}

/** Returns a heading in bold, broken after its underscores if it is too wide. */
function heading(context: Context, name: string, width: number): string {
  if (name.length <= width) return styled(context, 'bold', name)
  const parts = name.split(/(?<=_)/).map(part => styled(context, 'bold', cut(part, width)))
  return parts.join('\n')
}

const longestPart = (name: string): number => Math.max(...name.split(/(?<=_)/).map(part => part.length))

function fit(columns: readonly Column[], cells: readonly (readonly string[])[], available: number): Fit {
  const contents = columns.map((_, i) => Math.max(0, ...cells.map(row => widthOf(row[i] ?? ''))))
  const natural = columns.map(({ name }, i) => Math.max(name.length, contents[i] ?? 0))
  const isDialled = columns.map((_, i) => cells.every(row => DIALLED.test(row[i] ?? '')))
  const leastIn = (style: Style): number[] =>
    columns.map((column, i) => leastOf(column, contents[i] ?? 0, isDialled[i] === true && !style.cutsDialled, style))
  const room = (shown: readonly number[], { frame }: Style): number => available - frame * shown.length - 1
  const fits = (shown: readonly number[], widths: readonly number[], style: Style): boolean =>
    shown.reduce((sum, i) => sum + (widths[i] ?? 0), 0) <= room(shown, style)
  let shown = columns.map((_, i) => i)
  if (!fits(shown, natural, ROOMY)) shown = shown.filter(i => (contents[i] ?? 0) > 0)
  const isJson = (i: number): number => Number(columns[i]?.kind === 'json')
  const minor = shown.filter(i => columns[i]?.isMinor).sort((a, b) => isJson(b) - isJson(a) || b - a)
  for (const i of minor) if (!fits(shown, leastIn(LEGIBLE), LEGIBLE)) shown = shown.filter(each => each !== i)
  // One that is narrow may fit after all, once a wide one has made room.
  for (const i of minor.toReversed().filter(each => !shown.includes(each))) {
    const more = [...shown, i].sort((a, b) => a - b)
    if (fits(more, leastIn(LEGIBLE), LEGIBLE)) shown = more
  }
  const style = STYLES.find(each => fits(shown, leastIn(each), each)) ?? DENSEST
  const least = leastIn(style)
  while (shown.length > 1 && !fits(shown, least, style)) shown = shown.slice(0, -1)
  // Headings are broken before any text is cut.
  const broken = columns.map(({ name }, i) => Math.max(longestPart(name), contents[i] ?? 0))
  const [from, to] = fits(shown, broken, style) ? [natural, broken] : [broken, least]
  return { columns: shown, widths: narrowed(shown, from, to, room(shown, style)), style }
}

/**
 * Returns the least width: a number is never cut, a moment only to the minute, and short text not at all; headings
 * last.
 */
function leastOf(column: Column, content: number, isWhole: boolean, { narrowest, short, heading }: Style): number {
  const isKept = isWhole || column.isWhole || isNumber(column) || (content <= short && column.kind !== 'date')
  const kept = isKept ? content : Math.min(content, column.kind === 'date' ? TO_THE_MINUTE : narrowest)
  return Math.max(kept, Math.min(longestPart(column.name), heading))
}

/** Takes width from the widest columns until all fit. */
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
