import { parentPort, workerData } from 'node:worker_threads'
import { openStorage } from '../adapters/sqlite/storage.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { serveLongChanges } from '../adapters/threads/long-changes.ts'
import { serveBulk } from '../adapters/threads/serve-bulk.ts'
import type { ThreadData } from './threads.ts'

const { serves, path, actor }: ThreadData = workerData
if (!parentPort) throw new Error('This is a thread, no program.')
const storage = openStorage(path, {
  clock: systemClock(),
  foldsLog: false,
  // A bulk load checks its rows' references itself, since doing so in SQLite row by row doubles their cost.
  storesMany: serves === 'bulk',
  ...(actor ? { actor } : {}),
})
const serve = { bulk: serveBulk, changes: serveLongChanges }[serves]
serve(storage, parentPort)
