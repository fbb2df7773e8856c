import { useMemo } from 'preact/hooks'
import type { Column } from '../state/shown.ts'
import { type ListSource, PART } from './source.ts'

/** No column asks for more room, in digits: a name may stand where a number is usual. */
const WIDEST = 24
/** How much wider bold digits are. */
const BOLD = 1.1

interface Listed {
  readonly source: ListSource
  readonly columns: readonly Column[]
  readonly timeZone?: string
}

/** The room that each column asks for, in digits. */
export type Widths = ReadonlyMap<string, number>

/** Returns the width of a number or a moment in digits: a plus is wider than one, other signs are narrower. */
const digitsIn = (text: string): number => text.length + (text.startsWith('+') ? 0.5 : 0)

const headings = new Map<string, number>()

/** Returns the width of a heading in pixels, with room for the arrow of an order. */
function headingWidth({ title, isSortable }: Column): number {
  const text = isSortable ? `${title} ↓` : title
  const cached = headings.get(text)
  if (cached !== undefined) return cached
  const canvas = document.createElement('canvas').getContext('2d')
  if (!canvas) return 0
  canvas.font = `600 ${getComputedStyle(document.body).font}`
  const width = Math.ceil(canvas.measureText(text).width) + 1
  headings.set(text, width)
  return width
}

/** Columns grow with the longest value loaded so far, and never shrink while somebody scrolls. */
export function useWidths(
  { source, columns, timeZone }: Listed,
  shown: { readonly from: number; readonly to: number },
): Widths {
  const widths = useMemo(() => new Map<string, number>(), [source, timeZone])
  return useMemo(() => {
    const widen = (name: string, digits: number): void => {
      widths.set(name, Math.max(widths.get(name) ?? 0, digits))
    }
    for (let index = Math.max(0, shown.from - PART); index < shown.to + PART; index++) {
      const record = source.row(index)
      if (!record) continue
      for (const [place, { name, cell }] of columns.entries())
        widen(name, Math.min(digitsIn(cell(record, timeZone).text), WIDEST) * (place === 0 ? BOLD : 1))
    }
    return new Map(widths)
  }, [widths, source.version.value, columns.map(({ name }) => name).join()])
}

/** Returns the class and style of a column's cell. */
export function placed(column: Column, widths: Widths) {
  const { name, isNumeric, isWhole } = column
  const classes = ['cell', ...(isWhole ? ['whole'] : []), ...(isNumeric ? ['number'] : [])]
  return {
    class: classes.join(' '),
    style: { '--digits': widths.get(name) ?? 0, '--heading': `${headingWidth(column)}px` },
  }
}
