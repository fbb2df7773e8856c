import { type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ListSource } from './source.ts'

/** Browsers cannot draw anything taller than some 30 million pixels: a longer list is shown a segment at a time. */
const SEGMENT = 200_000
const ROW = 36
/** A card shows its first columns, two in a line. */
const CARD = { columns: 8, line: 38, margin: 16 }
const OVERSCAN = 8
const NARROW = '(max-width: 640px)'

/** Which rows of a list are visible, as somebody scrolls or the window changes. */
export function useView(source: ListSource, columns: number) {
  const view = useRef<HTMLDivElement>(null)
  const first = useSignal(0)
  const base = useSignal(0)
  const height = useHeight(view)
  const isNarrow = useNarrow()
  const lines = Math.ceil(Math.min(columns, CARD.columns) / 2)
  const cardHeight = useSignal(0)
  cardHeight.value = CARD.margin + CARD.line * lines
  const rowHeight = useComputed(() => (isNarrow.value ? cardHeight.value : ROW))
  const shown = useComputed(() => {
    const count = Math.ceil(height.value / rowHeight.value)
    return { from: Math.max(base.value, first.value - OVERSCAN), to: first.value + count + OVERSCAN }
  })
  const inSegment = Math.min(source.known.value - base.value, SEGMENT)
  useSignalEffect(() => source.want(shown.value.from, shown.value.to))
  useEffect(() => {
    first.value = 0
    base.value = 0
    view.current?.scrollTo(0, 0)
  }, [source])

  // Rows have another height once the window is narrow or wide: the first that is visible stays so.
  useLayoutEffect(() => view.current?.scrollTo(0, (first.value - base.value) * rowHeight.value), [rowHeight.value])

  const onScroll = (): void => {
    const element = view.current
    if (!element) return
    const row = base.value + Math.floor(element.scrollTop / rowHeight.value)
    const isAtEnd = row + height.value / rowHeight.value >= base.value + SEGMENT - 1
    if (isAtEnd && base.value + SEGMENT < source.known.value) move(element, SEGMENT / 2)
    else if (base.value > 0 && element.scrollTop < rowHeight.value) move(element, -SEGMENT / 2)
    first.value = row
  }
  const move = (element: HTMLElement, rows: number): void => {
    base.value += rows
    element.scrollTop -= rows * rowHeight.value
  }
  return { view, isNarrow, lines, rowHeight, shown, base, inSegment, onScroll }
}

function useHeight(view: { readonly current: HTMLElement | null }): Signal<number> {
  const height = useSignal(600)
  useLayoutEffect(() => {
    const element = view.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return height
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
