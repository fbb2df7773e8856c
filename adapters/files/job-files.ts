import { constants, createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { JobFile, JobFiles, KeptFile } from '../../core/ports/jobs.ts'

const OWNER_ALONE = 0o600
const OWNERS_FOLDER = 0o700
const NAMES: readonly JobFile[] = ['rejects', 'errors', 'output']

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Gives a full disk its own code; leaves any other error. */
function translated(error: unknown): unknown {
  const isFull = isCode(error, 'ENOSPC') || isCode(error, 'EDQUOT') || isCode(error, 'EFBIG')
  return isFull ? new AppError('storage_full', 'The disk is full: the file was not kept.', { cause: error }) : error
}

const pathOf = (folder: string, { id, name }: KeptFile): string =>
  join(folder, name === 'upload' ? `upload-${id}.data` : `job-${id}.${name}`)

/** Writes bytes to a file at that place; creates it, readable only by its user, and its folder. */
async function writeAt(folder: string, path: string, at: number, bytes: Uint8Array): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: OWNERS_FOLDER })
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT, OWNER_ALONE)
    try {
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
    } finally {
      await file.close()
    }
  } catch (error) {
    throw translated(error)
  }
}

/** Replaces a file by a text, at once. */
export async function replaceFile(folder: string, path: string, text: string): Promise<void> {
  const draft = `${path}.new`
  await rm(draft, { force: true })
  await writeAt(folder, draft, 0, new TextEncoder().encode(text))
  await rename(draft, path)
}

/** The files of uploads and jobs in a folder, which is created with the first of them. */
export function folderFiles(folder: string) {
  const ofJobs: JobFiles = {
    read: async (kept, from = 0) => {
      const path = pathOf(folder, kept)
      const size = await sizeOf(path)
      return size === 0 ? null : { bytes: size, pieces: createReadStream(path, { start: from }) }
    },
    append: ({ id }, name, at, bytes) => writeAt(folder, pathOf(folder, { id, name }), at, bytes),
    truncate: async ({ id }, name, bytes) => {
      const path = pathOf(folder, { id, name })
      if ((await sizeOf(path)) > bytes) await truncate(path, bytes)
    },
  }
  const remove = (kept: KeptFile): Promise<void> => rm(pathOf(folder, kept), { force: true })
  return {
    ofJobs,
    uploadSize: (id: number) => sizeOf(pathOf(folder, { id, name: 'upload' })),
    extendUpload: (id: number, at: number, bytes: Uint8Array) =>
      writeAt(folder, pathOf(folder, { id, name: 'upload' }), at, bytes),
    removeUpload: (id: number) => remove({ id, name: 'upload' }),
    sizeOfJob: async (id: number) => {
      let bytes = 0
      for (const name of NAMES) bytes += await sizeOf(pathOf(folder, { id, name }))
      return bytes
    },
    removeOfJob: async (id: number) => {
      for (const name of NAMES) await remove({ id, name })
    },
  }
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0
