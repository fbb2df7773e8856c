import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Storage } from '../adapters/sqlite/storage.ts'
import { threads } from '../adapters/threads/threads.ts'
import type { Actor } from '../core/audit.ts'
import type { JobRunner } from '../core/ports/jobs.ts'
import type { Clock } from '../core/ports/system.ts'

export interface ThreadData {
  readonly serves: 'bulk' | 'changes' | 'jobs'
  readonly path: string
  readonly actor?: Actor | undefined
}

function start(workerData: ThreadData): Worker {
  const program = new URL(`./storage-thread${extname(import.meta.url)}`, import.meta.url)
  return new Worker(program, { workerData })
}

/** Returns the storage's bulk port, which uses its own thread as soon as there are many records. */
export const bulkOnThread = ({ bulk, connection: { path } }: Storage, actor?: Actor): ReturnType<typeof threads.bulk> =>
  threads.bulk(bulk, () => start({ serves: 'bulk', path, actor }))

/** Returns the storage's ports for records and decks, with potentially long changes on their own thread. */
export const changesOnThread = (storage: Storage, clock: Clock): ReturnType<typeof threads.changes> =>
  threads.changes(storage, clock, () => start({ serves: 'changes', path: storage.connection.path }))

/** Runs imports and exports, each on a thread with its own connection. */
export const jobsOnThreads = ({ connection: { path } }: Storage): JobRunner =>
  threads.jobs(({ owner }) => start({ serves: 'jobs', path, actor: owner.actor }))
