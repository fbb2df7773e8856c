import { type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { RecordData } from '../state/api.ts'
import { go } from '../state/location.ts'
import type { Column } from '../state/shown.ts'
import type { ListSource } from './source.ts'

/** Browsers cannot draw anything taller than some 30 million pixels: a longer list is shown a segment at a time. */
const SEGMENT = 200_000
const ROW = 36
const CARD = 92
const OVERSCAN = 8
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
  const rowHeight = useComputed(() => (isNarrow.value ? CARD : ROW))
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

  void source.version.value
  const rowCount = source.known.value
  const rows: number[] = []
  for (let index = shown.value.from; index < Math.min(shown.value.to, rowCount); index++) rows.push(index)
  const inSegment = Math.min(rowCount - base.value, SEGMENT)
  return (
    <div class={`table ${isNarrow.value ? 'cards' : ''}`} ref={view} onScroll={onScroll} tabIndex={-1}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={source.isWhole.value ? rowCount + 1 : -1}
        aria-colcount={columns.length}
      >
        <div role="row" class="row head" aria-rowindex={1}>
          {chosen && <ChooseAll source={source} chosen={chosen} />}
          {columns.map(column => (
            <HeadCell key={column.name} column={column} {...props} />
          ))}
        </div>
        <div class="canvas" role="rowgroup" style={{ height: `${inSegment * rowHeight.value}px` }}>
          {rows.map(index => (
            <Row key={index} {...props} index={index} top={(index - base.value) * rowHeight.value} />
          ))}
        </div>
      </div>
    </div>
  )
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

function HeadCell({ column, sort, onSort }: TableProps & { readonly column: Column }) {
  const { name, title, isNumeric, isSortable } = column
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined
  const next = order === 'descending' ? name : order === 'ascending' ? null : `-${name}`
  return (
    <div role="columnheader" class={`cell ${isNumeric ? 'number' : ''}`} {...(order ? { 'aria-sort': order } : {})}>
      {isSortable ? (
        <button type="button" class="sort" onClick={() => onSort(next)}>
          {title}
          <span aria-hidden="true">{order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}</span>
        </button>
      ) : (
        title
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

interface RowProps extends TableProps {
  readonly index: number
  readonly top: number
}

function Row({ source, columns, href, timeZone, chosen, index, top }: RowProps) {
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
          <div
            key={column.name}
            role="cell"
            class={`cell ${column.isNumeric ? 'number' : ''}`}
            data-title={column.title}
          >
            {place === 0 ? (
              <a href={href(record)} class="main">
                <bdi>{text || '—'}</bdi>
              </a>
            ) : to === undefined ? (
              <bdi title={text}>{text}</bdi>
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
