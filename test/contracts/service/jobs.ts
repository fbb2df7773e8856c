import assert from 'node:assert/strict'
import { addSeconds } from '../../../core/dates.ts'
import { AppError } from '../../../core/errors.ts'
import type { Draft, Job, Upload } from '../../../core/jobs/job.ts'
import type { JobFiles, JobStore, KeptFile } from '../../../core/ports/jobs.ts'
import { contract } from '../contract.ts'

export const jobsContract = contract('jobs', ['jobs'])
const { behaviour } = jobsContract

const NOW = '2026-10-01T12:00:00.000001Z'
const ANN = { id: 1, actor: { name: 'Ann "😀"', origin: '10.0.0.1' }, tenantId: null } as const
const BOB = { id: 2, actor: { name: 'Bob', origin: 'cli' }, tenantId: 7 } as const
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const never = (): void => undefined

const uploadOf = (owner: Upload['owner'] = ANN): Draft<Upload> => ({
  ...{ owner, name: 'Тариф "1".csv', bytes: 6, received: 0, touchedAt: NOW },
})

const exportOf = (owner: Job['owner'] = ANN): Draft<Job> => ({
  ...{ kind: 'export', owner, resource: 'rates', state: 'waiting', createdAt: NOW, startedAt: null, endedAt: null },
  ...{ progress: { bytes: 0, rows: 0, rejected: 0 }, failure: null, run: 0, continues: false, isStopping: false },
  ...{ form: { format: 'csv', withSecrets: false, escapeFormulas: false, bom: false } },
  ...{ selection: { where: { status: 'active' } }, search: null, bytes: 0 },
})

const importOf = (upload: number): Draft<Job> => ({
  ...exportOf(),
  ...{ kind: 'import', upload, file: 'a.csv', bytes: 6, tenant: null, agreed: null },
  ...{ began: null, outcome: null, stored: 0 },
  options: {
    ...{ map: [['A', 'prefix']], set: [], mode: 'insert', onError: 'stop', maxErrors: 100, dryRun: false },
    ...{ decimalComma: false, bom: false, allowDuplicates: false, force: false, allowEmpty: false },
  },
})

async function textOf(files: JobFiles, file: KeptFile, from?: number): Promise<string | null> {
  const found = await files.read(file, from)
  if (!found) return null
  const pieces: Uint8Array[] = []
  for await (const piece of found.pieces) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** A job that runs. */
async function running(jobs: JobStore, draft = exportOf()): Promise<Job> {
  const { id } = await jobs.addJob(draft, never)
  const started = await jobs.changeJob(id, job => ({ ...job, state: 'running', run: job.run + 1 }))
  assert.ok(started)
  return started
}

behaviour('an upload grows by the writing that began last, and is read from any place', async ({ jobs }) => {
  const { id } = await jobs.addUpload(uploadOf(), never)
  assert.deepEqual(await jobs.findUpload(id), { ...uploadOf(), id })
  const first = await jobs.beginWriting(id, 0)
  assert.ok(first !== null)
  const later = addSeconds(NOW, 60)
  assert.equal(await jobs.extend(id, first, 0, bytesOf('abc'), later), true)
  assert.deepEqual(await jobs.findUpload(id), { ...uploadOf(), id, received: 3, touchedAt: later })
  assert.equal(await jobs.beginWriting(id, 2), null)
  const second = await jobs.beginWriting(id, 3)
  assert.ok(second !== null)
  assert.equal(await jobs.extend(id, first, 3, bytesOf('xyz'), later), false)
  assert.equal(await jobs.extend(id, second, 3, bytesOf('def'), later), true)
  const file = { id, name: 'upload' } as const
  assert.equal((await jobs.files.read(file))?.bytes, 6)
  assert.deepEqual(await Promise.all([0, 2, 3, 5, 6].map(from => textOf(jobs.files, file, from))), [
    'abcdef',
    'cdef',
    'def',
    'f',
    '',
  ])
  await jobs.removeUpload(id)
  assert.deepEqual([await jobs.findUpload(id), await textOf(jobs.files, file)], [null, null])
  assert.equal(await jobs.extend(id, second, 6, bytesOf('g'), later), false)
  assert.equal(await textOf(jobs.files, file), null)
})

behaviour('a file of many blocks comes back as it was', async ({ jobs }) => {
  const block = new Uint8Array(300_000).map((_, place) => place % 251)
  const { id } = await jobs.addUpload({ ...uploadOf(), bytes: 3_000_000 }, never)
  const writing = (await jobs.beginWriting(id, 0)) ?? 0
  for (let n = 0; n < 10; n++) await jobs.extend(id, writing, n * block.length, block, NOW)
  const found = await jobs.files.read({ id, name: 'upload' }, 299_999)
  const pieces: Uint8Array[] = []
  for await (const piece of found?.pieces ?? []) pieces.push(piece)
  const whole = Buffer.concat(Array.from({ length: 10 }, () => block))
  assert.ok(Buffer.concat(pieces).equals(whole.subarray(299_999)))
})

behaviour('the uploads and open jobs of an account are checked as another is added', async ({ jobs }) => {
  const begin = (owner: Upload['owner']) =>
    jobs.addUpload(uploadOf(owner), others => {
      if (others.length >= 3) throw new AppError('conflict', 'Too many.')
    })
  const begun = await Promise.allSettled([ANN, ANN, BOB, ANN, ANN, ANN].map(begin))
  assert.equal(begun.filter(({ status }) => status === 'fulfilled').length, 4)
  const add = () =>
    jobs.addJob(exportOf(), ({ open }) => {
      if (open >= 2) throw new AppError('conflict', 'Too many.')
    })
  const added = await Promise.allSettled([add(), add(), add(), add()])
  assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 2)
  const [first] = await jobs.openJobs()
  await jobs.changeJob(first?.id ?? 0, job => ({ ...job, state: 'failed' }))
  const third = await add()
  await assert.rejects(
    jobs.changeJob(
      first?.id ?? 0,
      job => ({ ...job, state: 'waiting' }),
      open => {
        assert.equal(open, 2)
        throw new AppError('conflict', 'Too many.')
      },
    ),
    { code: 'conflict' },
  )
  assert.deepEqual(
    (await jobs.openJobs()).map(({ id }) => id),
    [(first?.id ?? 0) + 1, third.id],
  )
})

behaviour(
  "adding a job looks at the size of the files of the account's other jobs, not of its uploads",
  async ({ jobs }) => {
    const held: number[] = []
    const add = (draft: Draft<Job>) => jobs.addJob(draft, ({ bytes }) => void held.push(bytes))
    const { id } = await jobs.addUpload(uploadOf(), never)
    await jobs.extend(id, (await jobs.beginWriting(id, 0)) ?? 0, 0, bytesOf('abcdef'), NOW)
    await add(importOf(id))
    const [first, second] = [await running(jobs), await running(jobs, exportOf(BOB))]
    await jobs.files.append(first, 'output', 0, bytesOf('12345'))
    await jobs.files.append(first, 'errors', 0, bytesOf('12'))
    await jobs.files.append(second, 'output', 0, bytesOf('123'))
    await add(exportOf())
    await jobs.changeJob(first.id, job => ({ ...job, state: 'done' }))
    await add(exportOf())
    await jobs.removeJob(first.id)
    await add(exportOf())
    await add(exportOf(BOB))
    assert.deepEqual(held, [0, 7, 7, 0, 3])
  },
)

behaviour('uploads that nothing has come for and no job has are forgotten', async ({ jobs }) => {
  const [old, used, young] = [
    await jobs.addUpload(uploadOf(), never),
    await jobs.addUpload(uploadOf(), never),
    await jobs.addUpload({ ...uploadOf(), touchedAt: addSeconds(NOW, 10) }, never),
  ]
  const job = await jobs.addJob(importOf(used.id), never)
  assert.deepEqual(await jobs.forgottenUploads(addSeconds(NOW, 5)), [old.id])
  await jobs.changeJob(job.id, present => ({ ...present, state: 'done' }))
  assert.equal(await jobs.removeJob(job.id), true)
  assert.equal(await jobs.findUpload(used.id), null)
  assert.ok(await jobs.findUpload(young.id))
})

behaviour('a job is listed for its tenant, and open until it has ended', async ({ jobs }) => {
  const [ann, bob] = [await jobs.addJob(importOf(5), never), await jobs.addJob(exportOf(BOB), never)]
  assert.deepEqual(await jobs.findJob(ann.id), ann)
  assert.deepEqual(await jobs.listJobs(null), [bob, ann])
  assert.deepEqual(await jobs.listJobs(7), [bob])
  assert.deepEqual(await jobs.openJobs(), [ann, bob])
  assert.equal(await jobs.removeJob(ann.id), false)
  const ended = await jobs.changeJob(ann.id, job => ({ ...job, state: 'done', endedAt: NOW }))
  assert.deepEqual(ended, { ...ann, state: 'done', endedAt: NOW })
  assert.equal(await jobs.changeJob(ann.id, () => null), null)
  assert.equal(await jobs.changeJob(999_999, job => job), null)
  assert.deepEqual([await jobs.openJobs(), await jobs.findJob(ann.id)], [[bob], ended])
})

behaviour('the progress of a run is noted until it is over', async ({ jobs }) => {
  const job = await running(jobs)
  const progress = { bytes: 5, rows: 4, rejected: 1 }
  await jobs.noteProgress(job, progress)
  assert.deepEqual((await jobs.findJob(job.id))?.progress, progress)
  await jobs.noteProgress({ ...job, run: job.run + 1 }, { bytes: 9, rows: 9, rejected: 9 })
  await jobs.changeJob(job.id, present => ({ ...present, state: 'stopped' }))
  await jobs.noteProgress(job, { bytes: 9, rows: 9, rejected: 9 })
  assert.deepEqual((await jobs.findJob(job.id))?.progress, progress)
})

behaviour('a file of a job is appended to, cut off at any place, and removed with its job', async ({ jobs }) => {
  const job = await running(jobs)
  const file = { id: job.id, name: 'errors' } as const
  assert.equal(await jobs.files.read(file), null)
  await jobs.files.truncate(job, 'errors', 0)
  await jobs.files.append(job, 'errors', 0, bytesOf('one\n'))
  await jobs.files.append(job, 'errors', 4, bytesOf('two\nthree\n'))
  await jobs.files.append(job, 'rejects', 0, bytesOf('other'))
  await jobs.files.truncate(job, 'errors', 8)
  assert.equal(await textOf(jobs.files, file), 'one\ntwo\n')
  await jobs.files.append(job, 'errors', 8, bytesOf('four'))
  assert.equal(await textOf(jobs.files, file, 4), 'two\nfour')
  await jobs.files.truncate(job, 'errors', 0)
  assert.equal(await textOf(jobs.files, file), null)
  assert.equal(await textOf(jobs.files, { id: job.id, name: 'rejects' }), 'other')
  await jobs.changeJob(job.id, present => ({ ...present, state: 'done' }))
  assert.equal(await jobs.removeJob(job.id), true)
  assert.equal(await jobs.removeJob(job.id), true)
  assert.deepEqual(
    [await jobs.findJob(job.id), await textOf(jobs.files, { id: job.id, name: 'rejects' })],
    [null, null],
  )
})
