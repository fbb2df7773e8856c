import assert from 'node:assert/strict'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { files } from '../../../../adapters/files/files.ts'
import { system } from '../../../../adapters/system/system.ts'
import { isOver, type Job } from '../../../../core/jobs/job.ts'
import { JOB_LIMITS, type JobLimits } from '../../../../core/jobs/limits.ts'
import { runJob } from '../../../../core/jobs/run-job.ts'
import { tenants } from '../../../../core/resources/tenants.ts'
import { type By, Jobs } from '../../../../core/use-cases/jobs/jobs.ts'
import { manualClock } from '../../../support/clock.ts'
import { insert } from '../../../support/data/rows.ts'
import { temporaryFolder } from '../../../support/http/app.ts'
import { databaseAt, opened } from '../../../support/storages.ts'

const folder = temporaryFolder()
const closings: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closings) await close()
  folder.remove()
})

const byOf = (id: number): By => ({
  viewer: { role: 'admin', tenantId: null },
  owner: { id, actor: { name: `admin ${id}`, origin: 'cli' }, tenantId: null },
})
const [ANN, BOB] = [byOf(1), byOf(2)]
/** An export of the tenant below is longer than a third of this, and shorter than half of it. */
const ROOM = 300
const pause = () => new Promise<void>(resolve => setImmediate(resolve))

let places = 0

/** A service with a tenant, whose jobs run in this process within small limits. */
async function place(small: Partial<JobLimits>) {
  const clock = manualClock()
  const limits = { ...JOB_LIMITS, ...small }
  const name = `${++places}.db`
  const storage = await opened(await databaseAt(folder.path, name), clock)
  await insert(storage.records, 'tenants')
  const store = storage.jobs ?? files.jobFolder(join(folder.path, `${name}-jobs`))
  const { records, bulk, audit } = storage
  const openText = (file: string, pieces: AsyncIterable<Uint8Array>) =>
    files.openText(file, Readable.from(pieces, { objectMode: false }))
  const ports = {
    records,
    bulk,
    clock,
    digestOf: system.digestOf,
    files: store.files,
    mostBytes: limits.resultBytes,
    openText,
  }
  const jobs = new Jobs({
    ...{ store, records, audit, clock, pause, onTrouble: assert.ifError },
    runner: { run: (job, watcher, signal) => runJob(job, { ports, watcher, signal }) },
    duties: { attempt: async (_, work) => work(new AbortController().signal).then(() => true) },
    limits,
  })
  /** Exports the tenant, and returns the job once it has ended. */
  const exported = async (by: By): Promise<Job> => {
    const { id } = await jobs.export(by, tenants, {}, { format: 'csv' })
    for (;;) {
      const job = await jobs.find(by.viewer, id)
      if (isOver(job)) return job
      await pause()
    }
  }
  closings.push(() => jobs.close().then(() => storage.close()))
  return { jobs, exported }
}

test('a job fails whose file grows longer than is kept, and keeps nothing of it', async () => {
  const { jobs, exported } = await place({ resultBytes: 50 })
  const { id, state, failure } = await exported(ANN)
  assert.deepEqual([state, failure], ['failed', 'More than 50 bytes of results are not kept: use the command line.'])
  await assert.rejects(jobs.read(ANN, id, 'output'), { code: 'not_found' })
})

test('an account whose files take all of its room begins another job once it has deleted some', async () => {
  const { jobs, exported } = await place({ resultBytesOfAccount: ROOM })
  const done = [await exported(ANN), await exported(ANN), await exported(ANN)]
  assert.deepEqual(
    done.map(job => [job.state, job.progress.bytes > ROOM / 3 && job.progress.bytes < ROOM / 2]),
    [
      ['done', true],
      ['done', true],
      ['done', true],
    ],
  )
  await assert.rejects(exported(ANN), {
    code: 'conflict',
    message: `The files of your jobs take ${ROOM} bytes or more: delete jobs that have ended.`,
  })
  assert.equal((await exported(BOB)).state, 'done')
  await jobs.forget(ANN.viewer, done[0]?.id ?? 0)
  assert.equal((await exported(ANN)).state, 'done')
})

test('the oldest jobs of an account that have ended are forgotten as it begins another', async () => {
  const { jobs, exported } = await place({ ended: 2 })
  const of = [await exported(ANN), await exported(BOB), await exported(ANN), await exported(ANN)]
  const last = await exported(ANN)
  const kept = await jobs.list(ANN.viewer)
  assert.deepEqual(
    kept.map(({ id }) => id),
    [last.id, of[3]?.id, of[2]?.id, of[1]?.id],
  )
  await assert.rejects(jobs.read(ANN, of[0]?.id ?? 0, 'output'), { code: 'not_found' })
})
