import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { resources } from '../../../core/resources/all.ts'
import { collectionOf, lowered, type Resource } from '../../../core/resources/resource.ts'
import { formatOf } from '../../../core/transfer/formats.ts'
import { keepsPlace } from '../../../core/transfer/imported-resource.ts'
import { TenantPicker } from '../parts/controls.tsx'
import { type FieldErrors, request } from '../state/api.ts'
import { go, idAsked, setQuery } from '../state/location.ts'
import { canEdit } from '../state/pages.ts'
import { may } from '../state/session.ts'
import { useSubmission } from '../state/submission.ts'
import { send, sendings } from '../state/uploads.ts'
import { type Asked, ask, asked, bodyOf, hasTenant } from './asked.ts'
import { Columns } from './columns.tsx'
import { FileStep } from './file-step.tsx'
import { type JobShown, jobIn } from './job.ts'
import { JobView } from './job-view.tsx'
import { Options } from './options.tsx'
import { headOf, type Preview, previewOf } from './preview.ts'

/** Imports a file in steps: choose it, map its columns, check it, run it. */
export function ImportScreen() {
  const now = asked()
  const file = useSignal<File | null>(null)
  const head = useSignal<string | null>(null)
  const trouble = useSignal<string | null>(null)
  const job = idAsked('job')
  useEffect(() => {
    if (job !== null) go(`/jobs?job=${job}`, { isReplacing: true })
  }, [job])
  const choose = async (chosen: File): Promise<void> => {
    trouble.value = null
    try {
      const text = await headOf(chosen)
      const id = await send(chosen, asked().upload)
      file.value = chosen
      head.value = text
      if (id !== asked().upload) ask({ upload: String(id) })
    } catch (error) {
      trouble.value = error instanceof Error ? error.message : String(error)
    }
  }
  const sending = now.upload === null ? undefined : sendings.value.get(now.upload)
  const name = file.value?.name ?? sending?.name ?? ''
  const preview =
    head.value === null
      ? null
      : previewOf(head.value, formatOf(now.format ?? undefined, name), now.delimiter || undefined)
  return (
    <>
      <header class="title">
        <h1>Import</h1>
        <a class="button" href="/jobs">
          Imports and exports
        </a>
      </header>
      <What asked={now} />
      {now.resource && <FileStep asked={now} onFile={chosen => void choose(chosen)} trouble={trouble.value} />}
      {now.resource && preview && (
        <Steps resource={now.resource} asked={now} preview={preview} isThere={sending?.state === 'done'} />
      )}
    </>
  )
}

interface StepsProps {
  readonly resource: Resource
  readonly asked: Asked
  readonly preview: Preview
  readonly isThere: boolean
}

const Steps = ({ resource, asked: now, preview, isThere }: StepsProps) => (
  <>
    <Columns resource={resource} preview={preview} asked={now} />
    <Options resource={resource} asked={now} preview={preview} />
    <Running resource={resource} asked={now} isThere={isThere} />
  </>
)

const importable = (): readonly Resource[] =>
  resources.filter(resource => canEdit('create', resource) && may('create', resource))

function What({ asked: { resource, tenant } }: { readonly asked: Asked }) {
  return (
    <div class="filters">
      <label class="labelled">
        Records
        <select
          value={resource ? collectionOf(resource) : ''}
          onChange={event => ask({ into: event.currentTarget.value || null, map: null, set: null, mode: null })}
        >
          <option value="">Choose…</option>
          {importable().map(each => (
            <option key={each.name} value={collectionOf(each)}>
              {each.plural}
            </option>
          ))}
        </select>
      </label>
      {resource && hasTenant(resource) && (
        <TenantPicker id="import-tenant" tenant={tenant} onPick={picked => ask({ tenant: picked })} />
      )}
    </div>
  )
}

interface RunningProps {
  readonly resource: Resource
  readonly asked: Asked
  readonly isThere: boolean
}

/** Checks and runs the import. A deck is replaced only with the outcome that a check showed. */
function Running({ resource, asked: now, isThere }: RunningProps) {
  const checked = useSignal<JobShown | null>(null)
  const { errors, submit } = useSubmission()
  useEffect(() => {
    if (now.check === null) checked.value = null
  }, [now.check])
  const isReplacing = now.mode === 'replace'
  const begin = (isCheck: boolean): Promise<void> =>
    submit(async () => {
      const agreed = isReplacing && !isCheck ? { agreed: checked.value?.outcome } : {}
      const json = { ...bodyOf(now), dry_run: isCheck, ...agreed }
      const { id } = jobIn((await request('POST', `/api/console/imports/${collectionOf(resource)}`, { json })).data)
      if (isCheck) setQuery({ check: String(id) }, true)
      else go(`/jobs?job=${id}`)
    })
  const isChecked = checked.value?.state === 'done'
  return (
    <section aria-labelledby="run-title">
      <h2 id="run-title">Check and import</h2>
      {!isThere && <p class="hint">The file is on its way; it can be checked once all of it is there.</p>}
      <Refused errors={errors.value} />
      {now.check !== null && <JobView key={now.check} id={now.check} onOver={job => (checked.value = job)} />}
      <div class="actions">
        <button type="button" class={isChecked ? '' : 'primary'} disabled={!isThere} onClick={() => void begin(true)}>
          Check all rows
        </button>
        <button
          type="button"
          class={isChecked ? 'primary' : ''}
          disabled={!isThere || (isReplacing && !isChecked)}
          onClick={() => void begin(false)}
        >
          {isReplacing ? `Replace the ${lowered(resource.plural)}` : 'Import'}
        </button>
      </div>
      <p class="hint">
        {isReplacing && !isChecked ? 'A deck is replaced only after a check. ' : ''}
        {keepsPlace(resource)
          ? 'Rows are stored as they are read; what is stored stays when it is stopped.'
          : 'All rows are stored together, or none.'}
      </p>
    </section>
  )
}

function Refused({ errors }: { readonly errors: FieldErrors }) {
  const sentences = Object.values(errors).flat()
  if (sentences.length === 0) return null
  return (
    <ul class="trouble" role="alert">
      {sentences.map(sentence => (
        <li key={sentence}>
          <bdi>{sentence}</bdi>
        </li>
      ))}
    </ul>
  )
}
