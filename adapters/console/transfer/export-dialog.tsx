import { useSignal } from '@preact/signals'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { FORMATS } from '../../../core/transfer/formats.ts'
import { Check, submitting } from '../parts/controls.tsx'
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
  const job = useSignal<number | null>(null)
  const begin = (options: ExportOptions): void => {
    request('POST', `/api/console/exports/${collectionOf(resource)}?${query}`, { json: options })
      .then(({ data }) => {
        job.value = jobIn(data).id
      })
      .catch(noteTrouble)
  }
  return (
    <Dialog title={`Export ${lowered(resource.plural)}`} onClose={onClose}>
      {job.value === null ? (
        <ExportForm resource={resource} onSubmit={begin} onClose={onClose} />
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

/** As the service takes them. */
interface ExportOptions {
  readonly format: (typeof FORMATS)[number]
  readonly secrets: boolean
  readonly bom: boolean
  readonly escape_formulas: boolean
}

interface ExportFormProps {
  readonly resource: Resource
  readonly onSubmit: (options: ExportOptions) => void
  readonly onClose: () => void
}

function ExportForm({ resource, onSubmit, onClose }: ExportFormProps) {
  const format = useSignal<(typeof FORMATS)[number]>('csv')
  const withSecrets = useSignal(false)
  const isForSheets = useSignal(false)
  const hasSecrets = Object.values(resource.fields).some(({ secret }) => secret) && may('reveal', resource)
  const isSheet = isForSheets.value && format.value === 'csv'
  const options = { format: format.value, secrets: withSecrets.value, bom: isSheet, escape_formulas: isSheet }
  return (
    <form class="stacked" onSubmit={submitting(() => onSubmit(options))}>
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
        <Check checked={isForSheets.value} onChange={checked => (isForSheets.value = checked)}>
          For a spreadsheet: no text is run as a formula; it does not import back unchanged
        </Check>
      )}
      {hasSecrets && (
        <Check checked={withSecrets.value} onChange={checked => (withSecrets.value = checked)}>
          With secrets; the audit trail notes it
        </Check>
      )}
      <div class="actions">
        <button type="submit" class="primary">
          Export
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  )
}
