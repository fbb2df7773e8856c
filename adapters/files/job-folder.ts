import { readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOver, type Job, type Upload } from '../../core/jobs/job.ts'
import type { JobStore } from '../../core/ports/jobs.ts'
import { folderFiles, replaceFile } from './job-files.ts'

/** Returns the folder of uploads and jobs, readable only by its user: beside the database. */
export const jobFolderOf = (database: string): string =>
  database === ':memory:' ? join(tmpdir(), `trunkline-jobs-${process.pid}`) : `${database}-jobs`

const METADATA = /^(upload|job)-(\d+)\.json$/

interface Entries {
  readonly uploads: Map<number, Upload>
  readonly jobs: Map<number, Job>
}

/** Keeps uploads and jobs in memory and as files in a folder, for the one program that serves the database. */
export function jobFolder(folder: string): JobStore {
  const files = folderFiles(folder)
  const place = (kind: 'upload' | 'job', id: number): string => join(folder, `${kind}-${id}.json`)
  /** One number is given for each writing of an upload. */
  const writings = new Map<number, number>()
  let last = 0
  let loaded: Promise<Entries> | null = null
  const entries = (): Promise<Entries> => {
    loaded ??= load(folder, files.uploadSize).then(found => {
      last = Math.max(0, ...found.uploads.keys(), ...found.jobs.keys())
      return found
    })
    return loaded
  }
  /** Files are written one change at a time, in the order of the changes. */
  let written = Promise.resolve()
  const inOrder = (act: () => Promise<void>): Promise<void> => {
    const done = written.then(act)
    written = done.catch(() => undefined)
    return done
  }
  const save = (kind: 'upload' | 'job', value: Upload | Job): Promise<void> =>
    inOrder(() => replaceFile(folder, place(kind, value.id), JSON.stringify(value)))
  const openOf = (jobs: Entries['jobs'], account: number): number =>
    [...jobs.values()].filter(job => job.owner.id === account && !isOver(job)).length
  const bytesOf = async (jobs: Entries['jobs'], account: number): Promise<number> => {
    let bytes = 0
    for (const { id, owner } of jobs.values()) if (owner.id === account) bytes += await files.sizeOfJob(id)
    return bytes
  }
  const removeUpload = async (id: number): Promise<void> => {
    ;(await entries()).uploads.delete(id)
    writings.delete(id)
    await inOrder(async () => {
      await files.removeUpload(id)
      await rm(place('upload', id), { force: true })
    })
  }
  return {
    files: files.ofJobs,
    addUpload: async (draft, check) => {
      const { uploads } = await entries()
      check([...uploads.values()].filter(({ owner }) => owner.id === draft.owner.id))
      const upload = { ...draft, id: ++last }
      uploads.set(upload.id, upload)
      await save('upload', upload)
      return upload
    },
    findUpload: async id => (await entries()).uploads.get(id) ?? null,
    beginWriting: async (id, at) => {
      const { uploads } = await entries()
      let writing: number | null = null
      await inOrder(async () => {
        if (uploads.get(id)?.received !== at) return
        writing = (writings.get(id) ?? 0) + 1
        writings.set(id, writing)
      })
      return writing
    },
    extend: async (id, writing, at, bytes, now) => {
      const { uploads } = await entries()
      let isOurs = false
      await inOrder(async () => {
        const upload = uploads.get(id)
        isOurs = upload !== undefined && writings.get(id) === writing
        if (!upload || !isOurs) return
        await files.extendUpload(id, at, bytes)
        uploads.set(id, { ...upload, received: at + bytes.length, touchedAt: now })
      })
      return isOurs
    },
    removeUpload,
    forgottenUploads: async before => {
      const { uploads, jobs } = await entries()
      const used = usedIn(jobs)
      return [...uploads.values()]
        .filter(({ id, touchedAt }) => touchedAt < before && !used.has(id))
        .map(({ id }) => id)
    },
    addJob: async (draft, check) => {
      const { jobs } = await entries()
      const bytes = await bytesOf(jobs, draft.owner.id)
      check({ open: openOf(jobs, draft.owner.id), bytes })
      const job = { ...draft, id: ++last }
      jobs.set(job.id, job)
      await save('job', job)
      return job
    },
    findJob: async id => (await entries()).jobs.get(id) ?? null,
    listJobs: async tenantId =>
      [...(await entries()).jobs.values()]
        .filter(({ owner }) => tenantId === null || owner.tenantId === tenantId)
        .sort((a, b) => b.id - a.id),
    openJobs: async () => [...(await entries()).jobs.values()].filter(job => !isOver(job)),
    changeJob: async (id, change, check) => {
      const { jobs } = await entries()
      const job = jobs.get(id)
      if (!job) return null
      check?.(openOf(jobs, job.owner.id))
      const changed = change(job)
      if (!changed) return null
      jobs.set(id, changed)
      await save('job', changed)
      return changed
    },
    noteProgress: async ({ id, run }, progress) => {
      const { jobs } = await entries()
      const job = jobs.get(id)
      if (job?.run === run && job.state === 'running') jobs.set(id, { ...job, progress })
    },
    removeJob: async id => {
      const { jobs } = await entries()
      const job = jobs.get(id)
      if (!job) return true
      if (!isOver(job)) return false
      jobs.delete(id)
      await inOrder(async () => {
        await files.removeOfJob(id)
        await rm(place('job', id), { force: true })
      })
      if (job.kind === 'import' && !usedIn(jobs).has(job.upload)) await removeUpload(job.upload)
      return true
    },
  }
}

const usedIn = (jobs: Entries['jobs']): ReadonlySet<number | null> =>
  new Set([...jobs.values()].map(job => (job.kind === 'import' ? job.upload : null)))

/** What jobs of earlier versions lack. */
const FIRST_RUN = { run: 0, continues: false, isStopping: false }

/** Loads what was kept, except what can no longer be read. The size of an upload is that of its file. */
async function load(folder: string, sizeOf: (upload: number) => Promise<number>): Promise<Entries> {
  const [uploads, jobs] = [new Map<number, Upload>(), new Map<number, Job>()]
  for (const name of await readdir(folder).catch(() => [])) {
    const [, kind, id] = METADATA.exec(name) ?? []
    const value = kind === undefined ? null : await parsed(join(folder, name))
    if (value === null) continue
    // This program wrote it, to a folder that nobody else can write to.
    if (kind === 'job') jobs.set(Number(id), { ...FIRST_RUN, ...(value as Job) })
    else uploads.set(Number(id), { ...(value as Upload), received: await sizeOf(Number(id)) })
  }
  return { uploads, jobs }
}

async function parsed(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch {
    return null
  }
}
