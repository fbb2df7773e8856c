import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'

export interface ChartProps {
  /** Days, `YYYY-MM-DD`. */
  readonly days: readonly string[]
  readonly calls: readonly number[]
  readonly cost: readonly number[]
}

const HEIGHT = 220

/** Draws calls and cost by day. A table beside it has the same data, so it is hidden from screen readers. */
export function UsageChart({ days, calls, cost }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const chart = new uPlot(
      optionsIn(element),
      [days.map(day => Date.parse(`${day}T00:00:00Z`) / 1000), [...cost], [...calls]],
      element,
    )
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = (): void => chart.redraw()
    scheme.addEventListener('change', redraw)
    return () => {
      scheme.removeEventListener('change', redraw)
      observer.disconnect()
      chart.destroy()
    }
  }, [days.join(), calls.join(), cost.join()])
  return <div class="chart" ref={place} aria-hidden="true" />
}

/** Looks colours up when drawing, since the scheme may change. */
const colour = (name: string) => (): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function optionsIn(element: HTMLElement): uPlot.Options {
  const axis: uPlot.Axis = {
    stroke: colour('--quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  }
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] })
  return {
    width: element.clientWidth,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      x: { range: (_, from, to) => [from - 43_200, to + 43_200] },
      cost: { range: fromZero },
      calls: { range: fromZero },
    },
    axes: [
      {
        ...axis,
        values: (_, ticks) => ticks.map(at => new Date(at * 1000).toISOString().slice(8, 10)),
        space: 30,
        size: 28,
      },
      { ...axis, scale: 'cost', label: 'Cost', size: 64 },
      { ...axis, scale: 'calls', label: 'Calls', side: 1, grid: { show: false }, size: 56 },
    ],
    series: [
      { label: 'Day', value: (_, at) => (at === null ? '—' : new Date(at * 1000).toISOString().slice(0, 10)) },
      {
        label: 'Cost',
        scale: 'cost',
        fill: colour('--accent'),
        stroke: colour('--accent'),
        ...(bars ? { paths: bars } : {}),
        points: { show: false },
      },
      {
        label: 'Calls',
        scale: 'calls',
        stroke: colour('--good'),
        width: 2,
        points: { show: true, size: 5, fill: colour('--good') },
      },
    ],
  }
}

const fromZero = (_: uPlot, __: number, most: number): [number, number] => [0, most > 0 ? most * 1.1 : 1]
