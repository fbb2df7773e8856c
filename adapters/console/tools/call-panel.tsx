import { Shown, SimpleTable } from '../parts/states.tsx'
import type { RecordData } from '../state/api.ts'
import { objectsOf, useLoaded } from '../state/load.ts'
import { isOffered } from '../state/pages.ts'
import { momentShown, titleOf, zoneShown } from '../state/shown.ts'
import { zoneOf } from '../state/zones.ts'

const COLUMNS = ['outcome', 'prefix', 'cost_per_minute', 'billing_increment', 'bill_seconds', 'cost', 'until'].map(
  name => ({
    name,
    title: titleOf(name),
    isNumber: !['outcome', 'prefix', 'until'].includes(name),
  }),
)

/** Shows how a call was rated: at first, at each rerating, and now. */
export function CallPanel({ record }: { record: RecordData }) {
  const ratings = useLoaded(`/api/console/calls/${record.id}/ratings`, objectsOf)
  const quote = new URLSearchParams({
    tenant: String(record['tenant_id']),
    number: String(record['destination_number']),
    seconds: String(record['duration_seconds']),
    at: String(record['started_at']),
  })
  return (
    <section class="panel" aria-label="How it was rated">
      <h2>How it was rated</h2>
      <p>
        Began {momentShown(record['started_at'], zoneOf(record['tenant_id']))} {zoneShown(zoneOf(record['tenant_id']))}.
      </p>
      <Shown of={ratings}>
        {rows =>
          rows.length === 0 ? (
            <p class="hint">No switch delivered this call: its cost was entered by hand.</p>
          ) : (
            <SimpleTable
              label="Ratings"
              columns={COLUMNS}
              rows={rows.map(({ replaced_at, ...row }) => ({
                ...Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')])),
                until: replaced_at === null ? 'holds' : momentShown(replaced_at, zoneOf(record['tenant_id'])),
              }))}
            />
          )
        }
      </Shown>
      {isOffered({ at: 'quote' }) && (
        <p>
          <a href={`/quote?${quote}`}>Explain what it costs by the rates of its time</a>
        </p>
      )}
    </section>
  )
}
