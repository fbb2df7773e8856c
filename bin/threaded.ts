import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { threads } from '../adapters/threads/threads.ts'
import type { Actor } from '../core/audit.ts'
import type { Bulk } from '../core/ports/bulk.ts'
import type { JobRunner } from '../core/ports/jobs.ts'
import type { Storage } from '../core/ports/storage.ts'
import type { Clock } from '../core/ports/system.ts'
import type { Located } from './storage/database-place.ts'

export interface ThreadData {
  readonly serves: 'bulk' | 'changes' | 'jobs'
  readonly located: Located
  /** The folder of uploads and jobs. */
  readonly jobFolder?: string
  readonly actor?: Actor | undefined
}

/** Starts the thread of a program beside this one. */
export const startProgram = (name: string, workerData: unknown): Worker =>
  new Worker(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url), { workerData })

const start = (data: ThreadData): Worker => startProgram('storage-thread', data)

export const locationIn = ({ db, db_password_file }: Located): Located => ({ db, db_password_file })

/**
 * Returns the storage's bulk port, which uses its own thread as soon as there are many records, if storing them would
 * hold up this one.
 */
export function bulkOnThread(
  { bulk, holdsThread }: Pick<Storage, 'bulk' | 'holdsThread'>,
  located: Located,
  actor?: Actor,
): { readonly bulk: Bulk; prepare(): void; close(): Promise<void> } {
  if (!holdsThread) return { bulk, prepare: () => undefined, close: async () => undefined }
  return threads.bulk(bulk, () => start({ serves: 'bulk', located: locationIn(located), actor }))
}

/** Returns the storage's ports for records, decks and calls, with potentially long changes on their own thread. */
export const changesOnThread = (
  storage: Pick<Storage, 'records' | 'decks' | 'calls'>,
  located: Located,
  clock: Clock,
): ReturnType<typeof threads.changes> =>
  threads.changes(storage, clock, () => start({ serves: 'changes', located: locationIn(located) }))

/** Runs imports and exports, each on a thread with its own connection. */
export const jobsOnThreads = (located: Located, jobFolder: string): JobRunner =>
  threads.jobs(({ owner }) => start({ serves: 'jobs', located: locationIn(located), jobFolder, actor: owner.actor }))
