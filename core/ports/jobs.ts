import type { Job, JobOutcome, JobProgress, Upload } from '../jobs/job.ts'

/** What is kept beside a job: rejected rows as they came, every error as a line of JSON, or what an export wrote. */
export type JobFile = 'rejects' | 'errors' | 'output'

/** Keeps uploads and jobs, which outlive the process. */
export interface JobStore {
  /** Everything that is kept. */
  load(): Promise<{ readonly uploads: readonly Upload[]; readonly jobs: readonly Job[] }>
  saveUpload(upload: Upload): Promise<void>
  /** Writes behind so many bytes; `onWritten` is called with each piece that is there. Throws `storage_full`. */
  append(
    upload: number,
    at: number,
    pieces: AsyncIterable<Uint8Array>,
    onWritten: (bytes: number) => void,
  ): Promise<void>
  removeUpload(id: number): Promise<void>
  saveJob(job: Job): Promise<void>
  removeJob(id: number): Promise<void>
  /** The bytes of a file from there on, and how many the whole has; null where there is none. */
  read(
    job: number,
    file: JobFile,
    from?: number,
  ): Promise<{ readonly bytes: number; readonly pieces: AsyncIterable<Uint8Array> } | null>
}

/** What became of a job that was run. */
export type JobEnd =
  | { readonly state: 'done'; readonly outcome: JobOutcome | null; readonly progress: JobProgress }
  | { readonly state: 'failed' | 'stopped'; readonly failure: string; readonly stored: number }

export interface JobWatcher {
  at(progress: JobProgress): void
  /** An import begins, or begins again; see `ImportJob.began`. What it returns is awaited. */
  began(before: number): Promise<void>
}

/** Runs jobs where they keep nobody waiting. */
export interface JobRunner {
  /** Never rejects. `isResumed`: it goes on where it stopped. */
  run(job: Job, isResumed: boolean, watcher: JobWatcher, signal: AbortSignal): Promise<JobEnd>
}
