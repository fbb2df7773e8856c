import { useSignal } from '@preact/signals'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { FORMATS } from '../../../core/transfer/formats.ts'
import { Dialog } from '../parts/dialog.tsx'
import { request } from '../state/api.ts'
import { noteTrouble } from '../state/notes.ts'
import { may } from '../state/session.ts'
import { jobIn } from './job.ts'
import { JobView } from './job-view.tsx'

interface ExportProps {
  readonly resource: Resource
  /** The query that selects the list. */
  readonly query: URLSearchParams
  readonly onClose: () => void
}

const TITLES = { csv: 'CSV', ndjson: 'NDJSON, a line each', json: 'JSON' } as const

/** Exports everything the list selects, in a chosen format, and downloads the file. */
export function ExportDialog({ resource, query, onClose }: ExportProps) {
  const format = useSignal<(typeof FORMATS)[number]>('csv')
  const withSecrets = useSignal(false)
  const isForSheets = useSignal(false)
  const job = useSignal<number | null>(null)
  const hasSecrets = Object.values(resource.fields).some(({ secret }) => secret) && may('reveal', resource)
  const begin = (): void => {
    const isSheet = isForSheets.value && format.value === 'csv'
    request('POST', `/api/console/exports/${collectionOf(resource)}?${query}`, {
      json: { format: format.value, secrets: withSecrets.value, bom: isSheet, escape_formulas: isSheet },
    })
      .then(({ data }) => {
        job.value = jobIn(data).id
      })
      .catch(noteTrouble)
  }
  return (
    <Dialog title={`Export ${lowered(resource.plural)}`} onClose={onClose}>
      {job.value === null ? (
        <form
          class="stacked"
          onSubmit={event => {
            event.preventDefault()
            begin()
          }}
        >
          <p>All that the list shows, not only what is on the screen.</p>
          <label class="labelled">
            Format
            <select
              value={format.value}
              onChange={event => {
                format.value = FORMATS.find(each => each === event.currentTarget.value) ?? 'csv'
              }}
            >
              {FORMATS.map(each => (
                <option key={each} value={each}>
                  {TITLES[each]}
                </option>
              ))}
            </select>
          </label>
          {format.value === 'csv' && (
            <Check of={isForSheets}>
              For a spreadsheet: no text is run as a formula; it does not import back unchanged
            </Check>
          )}
          {hasSecrets && <Check of={withSecrets}>With secrets; the audit trail notes it</Check>}
          <div class="actions">
            <button type="submit" class="primary">
              Export
            </button>
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </form>
      ) : (
        <>
          <JobView id={job.value} />
          <div class="actions">
            <button type="button" onClick={onClose}>
              Close
            </button>
            <a href={`/jobs?job=${job.value}`}>All imports and exports</a>
          </div>
        </>
      )}
    </Dialog>
  )
}

function Check({ of, children }: { readonly of: { value: boolean }; readonly children: string }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={of.value}
        onChange={event => {
          of.value = event.currentTarget.checked
        }}
      />
      {children}
    </label>
  )
}
