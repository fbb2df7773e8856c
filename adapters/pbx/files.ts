import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { SourceFormat } from '../../core/calls/completed-call.ts'
import { AppError } from '../../core/errors.ts'
import type { SwitchRecord } from '../../core/ports/calls.ts'
import { formatOf, readRecord } from './records.ts'

/** Bytes read at a time. */
export const CHUNK = 256 * 1024
/** Bytes read to recognise the format. */
export const HEAD = 64 * 1024
/** The most files of a folder that are stored together, and about the most characters. */
const AT_ONCE = 500
const LARGEST_BATCH = 8 * 1024 * 1024
/** The largest file, in bytes, that counts as one record. */
export const LARGEST_OBJECT = 4 * 1024 * 1024

/**
 * Opens a file for reading. Refuses anything but a plain file: a FIFO would block a thread that everything else needs,
 * waiting for its writer.
 */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new AppError('malformed', `${path} is no file.`)
}

/** Throws for a link out of the folder: whoever may write there must not choose what else is read. */
export async function assertWithin(folder: string, path: string): Promise<void> {
  const [root, target] = await Promise.all([realpath(folder), realpath(path)])
  if (!target.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new AppError('forbidden', `${path} is a link that leads out of its folder.`)
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** True for an error of the file system rather than of ours. */
export const isUnreadable = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

/** True if enough records of a folder, or enough characters, are waiting to be stored. */
export function areEnough(records: readonly SwitchRecord[]): boolean {
  const length = records.reduce((sum, record) => sum + ('call' in record ? record.call.raw : record.raw).length, 0)
  return records.length >= AT_ONCE || length >= LARGEST_BATCH
}

const headOf = async (file: FileHandle): Promise<string> => {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD), position: 0 })
  return buffer.toString('utf8', 0, bytesRead)
}

/** Returns the format of a file's first lines; null if it is not clear. */
export const formatIn = async (file: FileHandle): Promise<SourceFormat | null> => formatOf(await headOf(file))

/** The format of files in a followed folder. */
export const FOLDER_FORMAT: SourceFormat = 'freeswitch-json'

/** Lists the records that mod_json_cdr leaves, one file each, sorted by name. */
export async function recordFiles(folder: string): Promise<string[]> {
  return (await readdir(folder))
    .filter(name => name.endsWith('.json'))
    .sort()
    .map(name => join(folder, name))
}

/**
 * Returns the contents of such a file, or the beginning if it is too large to be a record. Throws if it cannot be
 * read.
 */
export async function readRecordFile(path: string): Promise<SwitchRecord> {
  const file = await openFile(path)
  try {
    if ((await file.stat()).size <= LARGEST_OBJECT) return readRecord(FOLDER_FORMAT, await file.readFile('utf8'))
    const reason = `is the beginning of ${path}, which is larger than 4 MiB`
    return { format: FOLDER_FORMAT, raw: await headOf(file), reason }
  } finally {
    await file.close()
  }
}
