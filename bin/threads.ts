import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Storage } from '../adapters/sqlite/storage.ts'
import { type ThreadedBulk, threadedBulk } from '../adapters/threads/threaded-bulk.ts'
import type { Actor } from '../core/audit.ts'

export interface ThreadData {
  readonly path: string
  readonly actor: Actor | undefined
}

/** The storage's ports for many records, on a thread of their own as soon as there are many. */
export function onThread(storage: Storage, actor?: Actor): ThreadedBulk {
  const program = new URL(`./storage-thread${extname(import.meta.url)}`, import.meta.url)
  const workerData: ThreadData = { path: storage.connection.path, actor }
  // Batches come and go: with room for several, hardly any is copied by the garbage collector.
  const resourceLimits = { maxYoungGenerationSizeMb: 96 }
  return threadedBulk(storage.bulk, () => new Worker(program, { workerData, resourceLimits }))
}
