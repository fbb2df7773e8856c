import { useErrorBoundary } from 'preact/hooks'
import { TenantPicker } from '../parts/controls.tsx'
import { lazily } from '../parts/lazy.tsx'
import { Shown, SimpleTable } from '../parts/states.tsx'
import { objectOf, objectsOf, useLoaded } from '../state/load.ts'
import { here, idIn, setQuery } from '../state/location.ts'
import { titleOf } from '../state/shown.ts'
import type { ChartProps } from './usage-chart.tsx'

/** The table below has the same figures. */
const NoChart = () => <p class="hint">This browser could not draw the chart.</p>
const LoadedChart = lazily(async () => (await import('./usage-chart.tsx')).UsageChart, NoChart)

/** The chart alone is missing where it fails: its library refuses languages such as `en-US@posix`. */
function UsageChart(props: ChartProps) {
  const [failure] = useErrorBoundary()
  return failure ? <NoChart /> : <LoadedChart {...props} />
}

const GROUPS = ['day', 'destination', 'extension', 'direction'] as const
const FIGURES = ['calls', 'answered', 'minutes', 'billed_minutes', 'cost', 'average_call_duration', 'unrated'] as const

type Line = Readonly<Record<string, unknown>>

export const lastMonth = (): string => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7)
}

/** Shows a month's calls of one tenant or of all, as bars and as a table. */
export function UsageScreen() {
  const { searchParams } = here.value
  const month = searchParams.get('month') ?? lastMonth()
  const by = GROUPS.find(group => group === searchParams.get('by')) ?? 'day'
  const tenant = searchParams.get('tenant')
  const query = new URLSearchParams({ month, ...(tenant === null ? {} : { by, tenant }) })
  const report = useLoaded(`/api/console/usage?${query}`, objectOf)
  return (
    <>
      <header class="title">
        <h1>Usage</h1>
      </header>
      <search class="filters">
        <label class="labelled">
          Month
          <input
            type="month"
            value={month}
            onChange={event => setQuery({ month: event.currentTarget.value || null })}
          />
        </label>
        <TenantPicker id="usage-tenant" tenant={idIn(tenant)} onPick={picked => setQuery({ tenant: picked })} />
        {tenant !== null && (
          <label class="labelled">
            By
            <select value={by} onChange={event => setQuery({ by: event.currentTarget.value })}>
              {GROUPS.map(group => (
                <option key={group}>{group}</option>
              ))}
            </select>
          </label>
        )}
      </search>
      <Shown of={report}>
        {data => {
          const reports = objectsOf(data['reports'])
          const group = tenant === null ? 'tenant' : by
          const lines = tenant === null ? reports.map(totalled) : objectsOf(reports[0]?.['lines'])
          return <Report month={month} group={group} lines={lines} total={objectOf(data['total'])} />
        }}
      </Shown>
    </>
  )
}

const TENTHS: ReadonlySet<string> = new Set(['minutes', 'billed_minutes', 'average_call_duration'])

/** Formats figures of a column with as many decimals each. */
const figureShown = (name: string, figure: unknown): string =>
  figure === undefined || figure === null ? '' : TENTHS.has(name) ? Number(figure).toFixed(1) : String(figure)

const totalled = ({ tenant, total }: Line): Line => ({ tenant, ...objectOf(total) })

interface ReportProps {
  readonly month: string
  readonly group: string
  readonly lines: readonly Line[]
  readonly total: Line
}

function Report({ month, group, lines, total }: ReportProps) {
  if (Number(total['calls']) === 0)
    return (
      <div class="nothing">
        <p>No calls in {month}.</p>
      </div>
    )
  const most = Math.max(...lines.map(line => Number(line['cost'])), 0)
  const rows = [...lines, { ...total, [group]: 'Total' }].map(line => ({
    ...Object.fromEntries(FIGURES.map(name => [name, figureShown(name, line[name])])),
    [group]: String(line[group] ?? '(none)'),
    bar:
      line[group] === 'Total' ? '' : <meter min={0} max={most || 1} value={Number(line['cost'])} aria-label="Cost" />,
  }))
  return (
    <>
      {group === 'day' && (
        <UsageChart
          days={lines.map(line => String(line['day']))}
          calls={lines.map(line => Number(line['calls']))}
          cost={lines.map(line => Number(line['cost']))}
        />
      )}
      <SimpleTable
        label={`Usage of ${month} by ${group}`}
        columns={[
          { name: group, title: titleOf(group), isWhole: group === 'day' },
          ...FIGURES.map(name => ({ name, title: titleOf(name), isNumber: true })),
          { name: 'bar', title: 'Share of the cost' },
        ]}
        rows={rows}
      />
      <div class="actions">
        <button type="button" onClick={() => download(`usage-${month}.csv`, csvOf(group, lines))}>
          Download as CSV
        </button>
      </div>
    </>
  )
}

const quotedCell = (value: unknown): string => `"${String(value ?? '').replaceAll('"', '""')}"`

const csvOf = (group: string, lines: readonly Line[]): string =>
  [[group, ...FIGURES], ...lines.map(line => [line[group], ...FIGURES.map(name => line[name])])]
    .map(row => row.map(quotedCell).join())
    .join('\r\n')

function download(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'text/csv' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
