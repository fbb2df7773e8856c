import { Shown, SimpleTable } from '../parts/states.tsx'
import { request } from '../state/api.ts'
import { useEvery, useLoaded } from '../state/load.ts'
import { here, setQuery } from '../state/location.ts'
import { note, noteTrouble } from '../state/notes.ts'
import { isOffered } from '../state/pages.ts'
import { may } from '../state/session.ts'
import { momentShown, zoneShown } from '../state/shown.ts'
import { type JobShown, jobsIn, STATES, titleOfJob } from './job.ts'
import { JobView, outcomeOf } from './job-view.tsx'

const EVERY_MS = 5_000

/** Shows the imports and exports of the last day, or one of them. */
export function JobsScreen() {
  const all = useLoaded('/api/console/jobs', jobsIn)
  useEvery(EVERY_MS, all.reload)
  const chosen = Number(here.value.searchParams.get('job') ?? 0)
  return (
    <>
      <header class="title">
        <h1>Imports and exports</h1>
        {isOffered({ at: 'import' }) && (
          <a class="button primary" href="/import">
            Import a file
          </a>
        )}
      </header>
      <Shown of={all}>
        {jobs => (
          <>
            {chosen > 0 && (
              <OneJob key={chosen} id={chosen} job={jobs.find(({ id }) => id === chosen)} onChanged={all.reload} />
            )}
            <JobList jobs={jobs} />
          </>
        )}
      </Shown>
    </>
  )
}

interface OneJobProps {
  readonly id: number
  /** undefined if it is not in the list: deleted, or newer than the list. */
  readonly job: JobShown | undefined
  readonly onChanged: () => void
}

function OneJob({ id, job, onChanged }: OneJobProps) {
  const remove = (): void => {
    request('DELETE', `/api/console/jobs/${id}`)
      .then(({ message }) => {
        note(message)
        setQuery({ job: null })
        onChanged()
      })
      .catch(noteTrouble)
  }
  return (
    <section class="panel" aria-labelledby="job-title">
      <h2 id="job-title">
        {job ? titleOfJob(job) : 'Job'} <bdi class="hint">{job?.about}</bdi>
      </h2>
      <JobView id={id} onOver={onChanged} />
      {job && !job.isOpen && may('change', 'jobs') && (
        <div class="actions">
          <button type="button" class="danger" onClick={remove}>
            Delete the job and its files
          </button>
        </div>
      )}
    </section>
  )
}

function JobList({ jobs }: { readonly jobs: readonly JobShown[] }) {
  if (jobs.length === 0)
    return (
      <div class="nothing">
        <p>No import or export in the last day. Import a file, or export what any list shows.</p>
      </div>
    )
  return (
    <>
      <SimpleTable
        label="Jobs"
        columns={[
          { name: 'what', title: 'What', isWhole: true },
          { name: 'about', title: 'File' },
          { name: 'state', title: 'State' },
          { name: 'outcome', title: 'Outcome' },
          { name: 'by', title: 'By' },
          { name: 'at', title: 'Begun', isWhole: true },
        ]}
        rows={jobs.map(job => ({
          what: <a href={`/jobs?job=${job.id}`}>{titleOfJob(job)}</a>,
          about: <bdi class="file-name">{job.about}</bdi>,
          state: STATES[job.state] ?? job.state,
          outcome: job.isOpen ? `${job.rows.toLocaleString('en')} rows` : outcomeOf(job),
          by: <bdi>{job.by}</bdi>,
          at: momentShown(job.createdAt).slice(0, 16),
        }))}
      />
      <p class="hint">Times in {zoneShown()}. Jobs and their files are kept for a day.</p>
    </>
  )
}
