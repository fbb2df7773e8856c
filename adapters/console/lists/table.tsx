import { type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { RecordData } from '../state/api.ts'
import { go } from '../state/location.ts'
import type { Column } from '../state/shown.ts'
import { type ListSource, PART } from './source.ts'

/** Browsers cannot draw anything taller than some 30 million pixels: a longer list is shown a segment at a time. */
const SEGMENT = 200_000
const ROW = 36
/** A card shows its first columns, two in a line. */
const CARD = { columns: 8, line: 38, margin: 16 }
const OVERSCAN = 8
/** No column asks for more room, in digits: a name may stand where a number is usual. */
const WIDEST = 24
/** How much wider bold digits are. */
const BOLD = 1.1
const NARROW = '(max-width: 640px)'

export interface TableProps {
  readonly label: string
  readonly source: ListSource
  readonly columns: readonly Column[]
  readonly sort: string | null
  readonly onSort: (sort: string | null) => void
  readonly href: (record: RecordData) => string
  readonly timeZone?: string
  /** The selected ids; without it, rows cannot be selected. */
  readonly chosen?: Signal<ReadonlySet<number>>
}

/** A table that renders only its visible rows, however many there are. */
export function Table(props: TableProps) {
  const { source, columns, label, chosen } = props
  const view = useRef<HTMLDivElement>(null)
  const first = useSignal(0)
  const height = useSignal(600)
  const base = useSignal(0)
  const isNarrow = useNarrow()
  const lines = useSignal(1)
  lines.value = Math.ceil(Math.min(columns.length, CARD.columns) / 2)
  const rowHeight = useComputed(() => (isNarrow.value ? CARD.margin + CARD.line * lines.value : ROW))
  const shown = useComputed(() => {
    const count = Math.ceil(height.value / rowHeight.value)
    return { from: Math.max(base.value, first.value - OVERSCAN), to: first.value + count + OVERSCAN }
  })

  useSignalEffect(() => source.want(shown.value.from, shown.value.to))
  useEffect(() => {
    first.value = 0
    base.value = 0
    view.current?.scrollTo(0, 0)
  }, [source])
  useLayoutEffect(() => {
    const element = view.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const onScroll = (): void => {
    const element = view.current
    if (!element) return
    const row = base.value + Math.floor(element.scrollTop / rowHeight.value)
    const last = Math.min(base.value + SEGMENT, source.known.value)
    if (row + height.value / rowHeight.value >= base.value + SEGMENT - 1 && last < source.known.value) {
      base.value += SEGMENT / 2
      element.scrollTop -= (SEGMENT / 2) * rowHeight.value
    } else if (base.value > 0 && element.scrollTop < rowHeight.value) {
      base.value -= SEGMENT / 2
      element.scrollTop += (SEGMENT / 2) * rowHeight.value
    }
    first.value = row
  }

  const widths = useWidths(props, shown.value)
  const rowCount = source.known.value
  const rows: number[] = []
  for (let index = shown.value.from; index < Math.min(shown.value.to, rowCount); index++) rows.push(index)
  const inSegment = Math.min(rowCount - base.value, SEGMENT)
  return (
    <div
      class={`table ${isNarrow.value ? 'cards' : ''} ${chosen ? 'choosing' : ''}`}
      ref={view}
      onScroll={onScroll}
      tabIndex={-1}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={source.isWhole.value ? rowCount + 1 : -1}
        aria-colcount={columns.length}
        style={{ '--row': `${rowHeight.value}px`, '--lines': lines.value }}
      >
        <div role="row" class="row head" aria-rowindex={1}>
          {chosen && <ChooseAll source={source} chosen={chosen} />}
          {columns.map(column => (
            <HeadCell key={column.name} column={column} widths={widths} {...props} />
          ))}
        </div>
        <div class="canvas" role="rowgroup" style={{ height: `${inSegment * rowHeight.value}px` }}>
          {rows.map(index => (
            <Row key={index} {...props} widths={widths} index={index} top={(index - base.value) * rowHeight.value} />
          ))}
        </div>
      </div>
    </div>
  )
}

/** The room that each column asks for, in digits. */
type Widths = ReadonlyMap<string, number>

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
function useWidths(
  { source, columns, timeZone }: TableProps,
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
function placed(column: Column, widths: Widths) {
  const { name, isNumeric, isWhole } = column
  const classes = ['cell', ...(isWhole ? ['whole'] : []), ...(isNumeric ? ['number'] : [])]
  return {
    class: classes.join(' '),
    style: { '--digits': widths.get(name) ?? 0, '--heading': `${headingWidth(column)}px` },
  }
}

interface Sized {
  readonly widths: Widths
}

function useNarrow(): Signal<boolean> {
  const isNarrow = useSignal(matchMedia(NARROW).matches)
  useEffect(() => {
    const query = matchMedia(NARROW)
    const change = (): void => {
      isNarrow.value = query.matches
    }
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return isNarrow
}

function HeadCell({ column, sort, onSort, widths }: TableProps & Sized & { readonly column: Column }) {
  const { name, title, isSortable } = column
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined
  const next = order === 'descending' ? name : order === 'ascending' ? null : `-${name}`
  return (
    <div role="columnheader" {...placed(column, widths)} {...(order ? { 'aria-sort': order } : {})}>
      {isSortable ? (
        <button type="button" class="sort" onClick={() => onSort(next)}>
          {title}
          <span aria-hidden="true">{order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}</span>
        </button>
      ) : (
        <span>{title}</span>
      )}
    </div>
  )
}

function ChooseAll({ source, chosen }: { source: ListSource; chosen: Signal<ReadonlySet<number>> }) {
  const choose = (isChosen: boolean): void => {
    const ids = new Set<number>()
    for (let index = 0; isChosen && index < source.known.value && ids.size < 1_000; index++) {
      const row = source.row(index)
      if (row) ids.add(row.id)
    }
    chosen.value = ids
  }
  return (
    <div role="columnheader" class="cell choose">
      <input
        type="checkbox"
        aria-label="Choose all rows that are loaded"
        checked={chosen.value.size > 0}
        onChange={event => choose(event.currentTarget.checked)}
      />
    </div>
  )
}

interface RowProps extends TableProps, Sized {
  readonly index: number
  readonly top: number
}

function Row({ source, columns, href, timeZone, chosen, index, top, widths }: RowProps) {
  const record = source.row(index)
  const place = { transform: `translateY(${top}px)` }
  if (!record)
    return (
      <div role="row" class="row waiting" style={place} aria-rowindex={index + 2}>
        <div role="cell" class="cell">
          …
        </div>
      </div>
    )
  const toggle = (isChosen: boolean): void => {
    if (!chosen) return
    const next = new Set(chosen.value)
    if (isChosen) next.add(record.id)
    else next.delete(record.id)
    chosen.value = next
  }
  const open = (event: MouseEvent): void => {
    const isOnControl = event.target instanceof Element && event.target.closest('a, input, button, label')
    if (!isOnControl && getSelection()?.isCollapsed !== false) go(href(record))
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in the first cell does the same
    <div role="row" class="row" style={place} aria-rowindex={index + 2} data-id={record.id} onClick={open}>
      {chosen && (
        <div role="cell" class="cell choose">
          <input
            type="checkbox"
            aria-label={`Choose row ${index + 1}`}
            checked={chosen.value.has(record.id)}
            onChange={event => toggle(event.currentTarget.checked)}
          />
        </div>
      )}
      {columns.map((column, place) => {
        const { text, href: to } = column.cell(record, timeZone)
        return (
          <div key={column.name} role="cell" {...placed(column, widths)} data-title={column.title} title={text}>
            {place === 0 ? (
              <a href={href(record)} class="main">
                <bdi>{text || '—'}</bdi>
              </a>
            ) : to === undefined ? (
              <bdi>{text}</bdi>
            ) : (
              <a href={to}>
                <bdi>{text}</bdi>
              </a>
            )}
          </div>
        )
      })}
    </div>
  )
}
