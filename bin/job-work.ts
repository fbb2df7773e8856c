import { Readable } from 'node:stream'
import { files } from '../adapters/files/files.ts'
import { system } from '../adapters/system/system.ts'
import { runJob } from '../core/jobs/run-job.ts'
import type { JobRunner } from '../core/ports/jobs.ts'
import type { Storage } from '../core/ports/storage.ts'
import type { Clock } from '../core/ports/system.ts'

/** Runs jobs on this storage, which nobody else uses, with the files in a folder if it keeps none. */
export function jobWork({ records, bulk, jobs, close }: Storage, folder: string, clock: Clock) {
  const store = jobs ?? files.jobFolder(folder)
  const run: JobRunner['run'] = (job, watcher, signal) =>
    runJob(job, {
      ports: {
        ...{ records, bulk, clock, digestOf: system.digestOf, files: store.files },
        openText: (name, pieces) => files.openText(name, Readable.from(pieces, { objectMode: false }), signal),
      },
      watcher,
      signal,
    })
  return { run, close }
}
