import type { Signal } from '@preact/signals'
import type { RecordData } from '../state/api.ts'
import { go } from '../state/location.ts'
import type { Column } from '../state/shown.ts'
import { type ListSource, SHORT } from './source.ts'
import { useView } from './view.ts'
import { placed, useWidths, type Widths } from './widths.ts'

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
  const { view, isNarrow, lines, rowHeight, shown, base, inSegment, onScroll } = useView(source, columns.length)
  const widths = useWidths(props, shown.value)
  const rowCount = source.known.value
  const rows: number[] = []
  for (let index = shown.value.from; index < Math.min(shown.value.to, rowCount); index++) rows.push(index)
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
        style={{ '--row': `${rowHeight.value}px`, '--lines': lines }}
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

const HOW_TO_SORT = `To sort by this, filter the list to ${SHORT.toLocaleString('en')} records or fewer.`

interface Sized {
  readonly widths: Widths
}

function HeadCell({ source, column, sort, onSort, widths }: TableProps & Sized & { readonly column: Column }) {
  const { name, title, isSortable, isIndexed } = column
  const order = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : undefined
  const isLong = !isIndexed && (source.total.value ?? Number.POSITIVE_INFINITY) > SHORT
  const next = order === 'descending' ? name : order === 'ascending' ? null : `-${name}`
  return (
    <div role="columnheader" {...placed(column, widths)} {...(order ? { 'aria-sort': order } : {})}>
      {isSortable && (order || !isLong) ? (
        <button type="button" class="sort" onClick={() => onSort(next)}>
          {title}
          <span aria-hidden="true">{order === 'ascending' ? ' ↑' : order === 'descending' ? ' ↓' : ''}</span>
        </button>
      ) : (
        <span {...(isSortable ? { title: HOW_TO_SORT } : {})}>{title}</span>
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
