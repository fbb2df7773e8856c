import { createReadStream } from 'node:fs'
import { files } from '../adapters/files/files.ts'
import { system } from '../adapters/system/system.ts'
import { runJob } from '../core/jobs/run-job.ts'
import type { JobRunner } from '../core/ports/jobs.ts'
import type { Storage } from '../core/ports/storage.ts'
import type { Clock } from '../core/ports/system.ts'

/** Runs jobs on this storage, which nobody else uses, with the files in a folder. */
export function jobWork({ records, bulk, close }: Storage, folder: string, clock: Clock) {
  const run: JobRunner['run'] = (job, isResumed, watcher, signal) =>
    runJob(job, isResumed, {
      ports: {
        ...{ records, bulk, clock, digestOf: system.digestOf },
        openUpload: ({ upload, file }) =>
          files.openText(file, createReadStream(files.uploadPath(folder, upload)), signal),
        openRejects: ({ id }, resumeAt) => files.rejectSink(files.jobPath(folder, id, 'rejects'), resumeAt),
        openErrors: ({ id }, resumeLine) => files.errorSink(files.jobPath(folder, id, 'errors'), resumeLine),
        openOutput: ({ id }) => files.outputSink(files.jobPath(folder, id, 'output')),
      },
      watcher,
      signal,
    })
  return { run, close }
}
