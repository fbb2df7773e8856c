import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { counted } from '../../../core/format-count.ts'
import { SimpleTable } from '../parts/states.tsx'
import { get, Refusal } from '../state/api.ts'
import { noteTrouble } from '../state/notes.ts'
import { may } from '../state/session.ts'
import { act, errorsFrom, type Finding, type JobShown, jobIn, STATES } from './job.ts'

const EVERY_MS = 700

/** What is counted, its word, and whether a check only says what would be. */
const COUNTS = [
  ['created', 'created', true],
  ['updated', 'changed', true],
  ['unchanged', 'unchanged', false],
  ['removed', 'removed', true],
  ['skipped', 'skipped', true],
  ['rejected', 'rejected', false],
  ['warned', 'with a warning', false],
] as const

const grouped = (count: number): string => count.toLocaleString('en')

/** A job, read again until it has ended; then calls `onOver` with it. */
function useJob(id: number, onOver?: (job: JobShown) => void) {
  const job = useSignal<JobShown | null>(null)
  const failure = useSignal<string | null>(null)
  const round = useSignal(0)
  useEffect(() => {
    const asking = new AbortController()
    let timer = 0
    const look = async (): Promise<void> => {
      try {
        const found = jobIn(await get(`/api/console/jobs/${id}`, asking.signal))
        job.value = found
        failure.value = null
        if (!found.isOpen) return onOver?.(found)
      } catch (error) {
        if (asking.signal.aborted) return
        failure.value = error instanceof Error ? error.message : String(error)
        if (error instanceof Refusal && error.status < 500) return
      }
      timer = window.setTimeout(() => void look(), EVERY_MS)
    }
    void look()
    return () => {
      asking.abort()
      clearTimeout(timer)
    }
  }, [id, round.value])
  const ask = (what: 'stop' | 'resume'): void => {
    act(id, what)
      .then(after => {
        job.value = after
        round.value++
      })
      .catch(noteTrouble)
  }
  return { job: job.value, failure: failure.value, ask }
}

/** Shows a job's progress until it has ended; then calls `onOver` with it. */
export function JobView({ id, onOver }: { readonly id: number; readonly onOver?: (job: JobShown) => void }) {
  const { job, failure, ask } = useJob(id, onOver)
  if (!job) return <p class="hint">{failure ?? 'Loading…'}</p>
  return (
    <section class="job" aria-label="Job">
      <State job={job} />
      <Actions job={job} ask={ask} />
      {job.isImport && !job.isOpen && <Errors key={job.state} job={job} />}
      {job.warnings.length > 0 && <Warnings job={job} />}
    </section>
  )
}

function State({ job }: { readonly job: JobShown }) {
  const { state, rows, rejected, share, failure, isOpen } = job
  return (
    <>
      <p role="status" class={`outcome ${state}`}>
        <strong>{STATES[state] ?? state}</strong>
        {isOpen && state === 'running' && ` · ${grouped(rows)} rows`}
        {isOpen && rejected > 0 && ` · ${grouped(rejected)} rejected`}
        {!isOpen && ` · ${outcomeOf(job)}`}
      </p>
      {isOpen && <progress aria-label="Progress" {...(share === null ? {} : { value: share })} max={1} />}
      {failure && (
        <p class="trouble">
          <bdi>{failure}</bdi>
        </p>
      )}
    </>
  )
}

/** Formats an outcome: “500 rows: 480 created, 20 rejected; 0.4 s”. */
export function outcomeOf({ outcome, rows, isCheck, stored, isImport }: JobShown): string {
  if (!isImport) return `${grouped(rows)} records`
  if (!outcome) return stored > 0 ? `${grouped(stored)} records stored` : `${grouped(rows)} rows read`
  const counts = COUNTS.flatMap(([name, word, isDone]) => {
    const count = Number(outcome[name])
    if (count === 0 && name !== 'created') return []
    return [`${grouped(count)} ${isCheck && isDone ? 'would be ' : ''}${word}`]
  })
  return `${grouped(Number(outcome['rows']))} rows: ${counts.join(', ')}; ${Number(outcome['seconds']).toFixed(1)} s`
}

function Actions({ job, ask }: { readonly job: JobShown; readonly ask: (what: 'stop' | 'resume') => void }) {
  const { id, isOpen, canResume, isOwn, hasFile, isImport, state } = job
  const mayChange = may('change', 'jobs')
  return (
    <div class="actions">
      {isOpen && mayChange && (
        <button type="button" onClick={() => ask('stop')}>
          Stop
        </button>
      )}
      {!isOpen && canResume && isOwn && mayChange && (
        <button type="button" class="primary" onClick={() => ask('resume')}>
          Go on where it stopped
        </button>
      )}
      {hasFile && isOwn && (state === 'done' || (isImport && !isOpen)) && (
        <a class={`button ${isImport ? '' : 'primary'}`} href={`/api/console/jobs/${id}/file`} download="">
          {isImport ? 'Download the rejected rows' : 'Download'}
        </a>
      )}
    </div>
  )
}

/** Shows every error with its line, a page at a time. */
function Errors({ job: { id } }: { readonly job: JobShown }) {
  const shown = useSignal<readonly Finding[]>([])
  const next = useSignal<number | null>(null)
  const more = (from: number): void => {
    errorsFrom(id, from)
      .then(page => {
        shown.value = [...shown.value, ...page.errors]
        next.value = page.next
      })
      .catch(noteTrouble)
  }
  useEffect(() => more(0), [id])
  if (shown.value.length === 0) return null
  return (
    <>
      <Findings label="Errors" title="What is wrong" found={shown.value} />
      {next.value !== null && (
        <div class="actions">
          <button type="button" onClick={() => more(next.value ?? 0)}>
            Show more errors
          </button>
        </div>
      )}
    </>
  )
}

/** Rows that were accepted, but may not mean what they seem to. */
const Warnings = ({ job: { warnings, moreWarnings } }: { readonly job: JobShown }) => (
  <>
    <Findings label="Warnings" title="Warning" found={warnings} />
    {moreWarnings > 0 && <p class="hint">And {counted(moreWarnings, 'more warning')}.</p>}
  </>
)

interface FindingsProps {
  readonly label: string
  readonly title: string
  readonly found: readonly Finding[]
}

const Findings = ({ label, title, found }: FindingsProps) => (
  <SimpleTable
    label={label}
    columns={[
      { name: 'line', title: 'Line', isNumber: true },
      { name: 'field', title: 'Column' },
      { name: 'message', title },
    ]}
    rows={found.map(({ line, element, field, message }) => ({
      line: element === null ? grouped(line) : `${grouped(line)} (element ${grouped(element)})`,
      field: <bdi>{field}</bdi>,
      message: <bdi>{message}</bdi>,
    }))}
  />
)
