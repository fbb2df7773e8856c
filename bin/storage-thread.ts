import { parentPort, workerData } from 'node:worker_threads'
import { system } from '../adapters/system/system.ts'
import { threads } from '../adapters/threads/threads.ts'
import { jobWork } from './job-work.ts'
import { databasePlace } from './storage/database-place.ts'
import type { ThreadData } from './threaded.ts'

const { serves, located, jobFolder = '', actor }: ThreadData = workerData
if (!parentPort) throw new Error('This file is a worker thread, not a program.')
const clock = system.clock()
const place = await databasePlace(located)
const storage = await place.open({
  clock,
  foldsLog: false,
  // A bulk load checks its rows' references itself, since doing so in SQLite row by row doubles their cost.
  storesMany: serves !== 'changes',
  ...(actor ? { actor } : {}),
})
if (serves === 'jobs') threads.serve.jobs(jobWork(storage, jobFolder, clock), parentPort)
else threads.serve[serves](storage, parentPort)
