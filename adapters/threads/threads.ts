import { jobThreads, serveJobs } from './job-threads.ts'
import { serveLongChanges, threadedChanges } from './long-changes.ts'
import { serveLookups, threadedLookups } from './lookups.ts'
import { serveBulk } from './serve-bulk.ts'
import { threadedBulk } from './threaded-bulk.ts'

/** Everything that the programs use of this adapter: ports that work on a thread, and what serves them there. */
export const threads = {
  bulk: threadedBulk,
  changes: threadedChanges,
  jobs: jobThreads,
  lookups: threadedLookups,
  serve: { bulk: serveBulk, changes: serveLongChanges, jobs: serveJobs, lookups: serveLookups },
}
