import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Storage } from '../adapters/sqlite/storage.ts'
import { type ThreadedStorage, threadedStorage } from '../adapters/threads/threaded-storage.ts'
import type { Actor } from '../core/audit.ts'

export interface ThreadData {
  readonly path: string
  readonly actor: Actor | undefined
}

/** The storage's ports for many records, on a thread of their own as soon as there are many. */
export function onThread(storage: Storage, actor?: Actor): ThreadedStorage {
  const program = new URL(`./storage-thread${extname(import.meta.url)}`, import.meta.url)
  const workerData: ThreadData = { path: storage.connection.path, actor }
  return threadedStorage(storage, () => new Worker(program, { workerData }))
}
