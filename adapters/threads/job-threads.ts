import type { Worker } from 'node:worker_threads'
import type { Job, JobProgress } from '../../core/jobs/job.ts'
import type { JobEnd, JobRunner, JobWatcher } from '../../core/ports/jobs.ts'
import { type Channel, peer } from './peer.ts'

/** What the thread of a job offers. */
type JobMethods = {
  run(job: Job): Promise<JobEnd>
  stop(): void
  /** Closes the storage. */
  end(): Promise<void>
}

type WatcherMethods = {
  at(progress: JobProgress): void
  began(before: number): Promise<void>
}

/** How often a thread reports progress. */
const TELL_MS = 200

/** Runs each job on its own thread, started by `start`: others are answered meanwhile. */
export const jobThreads = (start: (job: Job) => Worker): JobRunner => ({
  run: async (job, watcher, signal) => {
    const thread = start(job)
    const ours: WatcherMethods = { at: watcher.at, began: watcher.began }
    const there = peer<JobMethods>(thread, ours)
    thread.once('error', there.end)
    thread.once('exit', code => there.end(new Error(`The thread of a job ended with ${code}.`)))
    const stop = (): void => {
      there.call('stop').catch(() => undefined)
    }
    signal.addEventListener('abort', stop, { once: true })
    try {
      const running = there.call('run', job)
      if (signal.aborted) stop()
      const end = await running
      await there.call('end')
      return end
    } finally {
      signal.removeEventListener('abort', stop)
      await thread.terminate()
    }
  },
})

interface Served {
  run(job: Job, watcher: JobWatcher, signal: AbortSignal): Promise<JobEnd>
  close(): Promise<void>
}

/** Answers calls from the channel, until `end` is called. */
export function serveJobs({ run, close }: Served, channel: Channel): void {
  const abort = new AbortController()
  let sentAt = 0
  const methods: JobMethods = {
    run: job => {
      const watcher: JobWatcher = {
        at: progress => {
          const now = performance.now()
          if (now - sentAt < TELL_MS) return
          sentAt = now
          // The other side may be gone.
          main.call('at', progress).catch(() => undefined)
        },
        began: before => main.call('began', before),
      }
      return run(job, watcher, abort.signal)
    },
    stop: () => abort.abort(),
    end: close,
  }
  const main = peer<WatcherMethods>(channel, methods)
}
