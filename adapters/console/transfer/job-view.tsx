import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { SimpleTable } from '../parts/states.tsx'
import { get, Refusal } from '../state/api.ts'
import { noteTrouble } from '../state/notes.ts'
import { act, type ErrorLine, errorsFrom, type JobShown, jobIn, STATES } from './job.ts'

const EVERY_MS = 700

const COUNTS: readonly (readonly [name: string, word: string])[] = [
  ['created', 'created'],
  ['updated', 'changed'],
  ['unchanged', 'unchanged'],
  ['removed', 'removed'],
  ['skipped', 'skipped'],
  ['rejected', 'rejected'],
]

const grouped = (count: number): string => count.toLocaleString('en')

/** Shows a job's progress, polling until it has ended; then calls `onOver` with it. */
export function JobView({ id, onOver }: { readonly id: number; readonly onOver?: (job: JobShown) => void }) {
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
  const found = job.value
  if (!found) return <p class="hint">{failure.value ?? 'Loading…'}</p>
  const ask = (what: 'stop' | 'resume'): void => {
    act(id, what)
      .then(after => {
        job.value = after
        round.value++
      })
      .catch(noteTrouble)
  }
  return (
    <section class="job" aria-label="Job">
      <State job={found} />
      <Actions job={found} ask={ask} />
      {found.isImport && !found.isOpen && <Errors key={found.state} job={found} />}
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
  const verb = isCheck ? 'would be ' : ''
  const counts = COUNTS.flatMap(([name, word]) => {
    const count = Number(outcome[name])
    if (count === 0 && name !== 'created') return []
    return [`${grouped(count)} ${name === 'unchanged' || name === 'rejected' ? '' : verb}${word}`]
  })
  return `${grouped(Number(outcome['rows']))} rows: ${counts.join(', ')}; ${Number(outcome['seconds']).toFixed(1)} s`
}

function Actions({ job, ask }: { readonly job: JobShown; readonly ask: (what: 'stop' | 'resume') => void }) {
  const { id, isOpen, canResume, isOwn, hasFile, isImport, state } = job
  return (
    <div class="actions">
      {isOpen && (
        <button type="button" onClick={() => ask('stop')}>
          Stop
        </button>
      )}
      {!isOpen && canResume && isOwn && (
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
  const shown = useSignal<readonly ErrorLine[]>([])
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
      <SimpleTable
        label="Errors"
        columns={[
          { name: 'line', title: 'Line', isNumber: true },
          { name: 'field', title: 'Column' },
          { name: 'message', title: 'What is wrong' },
        ]}
        rows={shown.value.map(({ line, element, field, message }) => ({
          line: element === null ? grouped(line) : `${grouped(line)} (element ${grouped(element)})`,
          field: <bdi>{field}</bdi>,
          message: <bdi>{message}</bdi>,
        }))}
      />
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
