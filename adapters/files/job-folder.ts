import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isServerAddress } from '../../core/database-address.ts'
import { AppError } from '../../core/errors.ts'
import type { Job, Upload } from '../../core/jobs/job.ts'
import type { JobFile, JobStore } from '../../core/ports/jobs.ts'

const JOBS = 'data/jobs'

/** Returns the folder of uploads and jobs, readable only by its user: beside the database, if that is a file. */
export function jobFolderOf(database: string): string {
  if (isServerAddress(database)) return JOBS
  return database === ':memory:' ? join(tmpdir(), `trunkline-jobs-${process.pid}`) : `${database}-jobs`
}

/** Returns the path of an upload's file. */
export const uploadPath = (folder: string, id: number): string => join(folder, `upload-${id}.data`)
/** Returns the path of a job's file. */
export const jobPath = (folder: string, id: number, file: JobFile): string => join(folder, `job-${id}.${file}`)

const FILES: readonly JobFile[] = ['rejects', 'errors', 'output']
const METADATA = /^(upload|job)-(\d+)\.json$/
const OWNER_ALONE = 0o600

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Gives a full disk its own code; leaves any other error. */
function translated(error: unknown): unknown {
  const isFull = isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT') || isCode(error, 'EFBIG')
  return isFull ? new AppError('storage_full', 'The disk is full: the file was not kept.', { cause: error }) : error
}

/** Keeps uploads and jobs as files in a folder, which is created with the first of them. */
export function jobFolder(folder: string): JobStore {
  const place = (kind: 'upload' | 'job', id: number): string => join(folder, `${kind}-${id}.json`)
  const write = async (path: string, value: unknown): Promise<void> => {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(`${path}.new`, JSON.stringify(value), { mode: OWNER_ALONE })
      await rename(`${path}.new`, path)
    } catch (error) {
      throw translated(error)
    }
  }
  /** Writes a job's file one change at a time; the last one wins. */
  let saving = Promise.resolve()
  return {
    load: () => load(folder),
    saveUpload: async upload => {
      await write(place('upload', upload.id), upload)
      await writeFile(uploadPath(folder, upload.id), '', { mode: OWNER_ALONE })
    },
    append: async (id, at, pieces, onWritten) => {
      const file = await open(uploadPath(folder, id), 'r+', OWNER_ALONE)
      try {
        let end = at
        for await (const piece of pieces) {
          for (let done = 0; done < piece.length; )
            done += (await file.write(piece, done, piece.length - done, end + done)).bytesWritten
          end += piece.length
          onWritten(end)
        }
      } catch (error) {
        throw translated(error)
      } finally {
        await file.close()
      }
    },
    removeUpload: async id => {
      await rm(uploadPath(folder, id), { force: true })
      await rm(place('upload', id), { force: true })
    },
    saveJob: job => {
      const saved = saving.then(() => write(place('job', job.id), job))
      saving = saved.catch(() => undefined)
      return saved
    },
    removeJob: async id => {
      await saving
      for (const file of FILES) await rm(jobPath(folder, id, file), { force: true })
      await rm(place('job', id), { force: true })
    },
    read: async (id, name, from = 0) => {
      const path = jobPath(folder, id, name)
      const found = await stat(path).catch(() => null)
      return found && { bytes: found.size, pieces: createReadStream(path, { start: from }) }
    },
  }
}

/** Loads what was kept, except what can no longer be read. The size of an upload is that of its file. */
async function load(folder: string): Promise<{ uploads: Upload[]; jobs: Job[] }> {
  const uploads: Upload[] = []
  const jobs: Job[] = []
  for (const name of await readdir(folder).catch(() => [])) {
    const [, kind, id] = METADATA.exec(name) ?? []
    const value = kind === undefined ? null : await parsed(join(folder, name))
    if (value === null) continue
    // This program wrote it, to a folder that nobody else can write to.
    if (kind === 'job') jobs.push(value as Job)
    else {
      const received = (await stat(uploadPath(folder, Number(id))).catch(() => null))?.size ?? 0
      uploads.push({ ...(value as Upload), received })
    }
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
