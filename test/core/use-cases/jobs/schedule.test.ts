import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { jobFolder } from '../../../../adapters/files/job-folder.ts'
import type { Draft, Job } from '../../../../core/jobs/job.ts'
import type { JobEnd } from '../../../../core/ports/jobs.ts'
import { Schedule } from '../../../../core/use-cases/jobs/schedule.ts'
import { manualClock } from '../../../support/clock.ts'
import { temporaryFolder } from '../../../support/http/app.ts'

const folder = temporaryFolder()
after(folder.remove)

let folders = 0
const clock = manualClock()
const EXPORT: Draft<Job> = {
  ...{ kind: 'export', owner: { id: 1, actor: { name: 'Ann', origin: 'cli' }, tenantId: null }, resource: 'rates' },
  ...{ state: 'waiting', createdAt: clock.now(), startedAt: null, endedAt: null, failure: null },
  ...{ progress: { bytes: 0, rows: 0, rejected: 0 }, run: 0, continues: false, isStopping: false },
  ...{ form: { format: 'csv', withSecrets: false, escapeFormulas: false, bom: false } },
  ...{ selection: {}, search: null, bytes: 0 },
}
const DONE: JobEnd = { state: 'done', outcome: null, progress: { bytes: 9, rows: 3, rejected: 0 } }

/** A program whose one job ends when the test says so, after what happens `meanwhile` to the job. */
async function endedAfter(meanwhile: (job: Job) => Job): Promise<Job | null> {
  const store = jobFolder(join(folder.path, String(++folders)))
  let [end, began] = [(_: JobEnd): void => {}, (): void => {}]
  const running = new Promise<void>(resolve => {
    began = resolve
  })
  const schedule = new Schedule(
    {
      ...{ store, clock, pause: async () => {}, onTrouble: assert.ifError },
      duties: { attempt: async (_, work) => work(new AbortController().signal).then(() => true) },
      runner: {
        run: () => {
          began()
          return new Promise(resolve => {
            end = resolve
          })
        },
      },
    },
    async () => {},
  )
  const { id } = await store.addJob(EXPORT, () => {})
  await schedule.look()
  await running
  await store.changeJob(id, meanwhile)
  const over = schedule.close()
  end(DONE)
  await over
  return store.findJob(id)
}

test('a job that was taken for left behind has its true end, once that comes', async () => {
  const job = await endedAfter(running => ({ ...running, state: 'interrupted', failure: 'The service ended.' }))
  assert.deepEqual([job?.state, job?.failure, job?.progress.rows], ['done', null, 3])
})

test('the late end of a run changes nothing of a job that somebody has resumed or started again', async () => {
  const waiting = await endedAfter(running => ({ ...running, state: 'waiting' }))
  assert.deepEqual([waiting?.state, waiting?.progress.rows], ['waiting', 0])
  const again = await endedAfter(running => ({ ...running, run: running.run + 1 }))
  assert.deepEqual([again?.state, again?.run], ['running', 2])
})
