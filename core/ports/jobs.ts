import type { Job, JobOutcome, JobProgress, Upload } from '../jobs/job.ts'

/** Files of a job: rejected rows as read, every error as a line of JSON, or the output of an export. */
export type JobFile = 'rejects' | 'errors' | 'output'

/** Keeps uploads and jobs, which outlive the process. */
export interface JobStore {
  /** Returns everything that is kept. */
  load(): Promise<{ readonly uploads: readonly Upload[]; readonly jobs: readonly Job[] }>
  saveUpload(upload: Upload): Promise<void>
  /** Appends at that offset; calls `onWritten` after each piece. Throws `storage_full`. */
  append(
    upload: number,
    at: number,
    pieces: AsyncIterable<Uint8Array>,
    onWritten: (bytes: number) => void,
  ): Promise<void>
  removeUpload(id: number): Promise<void>
  saveJob(job: Job): Promise<void>
  removeJob(id: number): Promise<void>
  /** Returns the bytes of a file from an offset, and its length; null if there is none. */
  read(
    job: number,
    file: JobFile,
    from?: number,
  ): Promise<{ readonly bytes: number; readonly pieces: AsyncIterable<Uint8Array> } | null>
}

/** How a job ended. */
export type JobEnd =
  | { readonly state: 'done'; readonly outcome: JobOutcome | null; readonly progress: JobProgress }
  | { readonly state: 'failed' | 'stopped'; readonly failure: string; readonly stored: number }

export interface JobWatcher {
  at(progress: JobProgress): void
  /** Called when an import begins, or starts over; see `ImportJob.began`. Its promise is awaited. */
  began(before: number): Promise<void>
}

/** Runs jobs without delaying others. */
export interface JobRunner {
  /** Never rejects. `isResumed`: it continues where it stopped. */
  run(job: Job, isResumed: boolean, watcher: JobWatcher, signal: AbortSignal): Promise<JobEnd>
}
