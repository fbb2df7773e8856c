import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Storage } from '../adapters/sqlite/storage.ts'
import { threadedRemovals } from '../adapters/threads/removals.ts'
import { type ThreadedBulk, threadedBulk } from '../adapters/threads/threaded-bulk.ts'
import type { Actor } from '../core/audit.ts'
import type { Records } from '../core/ports/records.ts'

export interface ThreadData {
  readonly serves: 'bulk' | 'removals'
  readonly path: string
  readonly actor?: Actor | undefined
}

function start(workerData: ThreadData): Worker {
  const program = new URL(`./storage-thread${extname(import.meta.url)}`, import.meta.url)
  return new Worker(program, { workerData })
}

/** The storage's port for many records, on a thread of its own as soon as there are many. */
export const bulkOnThread = ({ bulk, connection: { path } }: Storage, actor?: Actor): ThreadedBulk =>
  threadedBulk(bulk, () => start({ serves: 'bulk', path, actor }))

/** The storage's port for records, with what may delete very many of them on a thread of its own. */
export const removalsOnThread = ({
  records,
  connection: { path },
}: Storage): { records: Records; close(): Promise<void> } =>
  threadedRemovals(records, () => start({ serves: 'removals', path }))
