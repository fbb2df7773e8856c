import type { Timestamp } from '../dates.ts'
import type { Draft, Job, JobOutcome, JobProgress, Upload } from '../jobs/job.ts'

/** Files of a job: rejected rows as read, every error as a line of JSON, or the output of an export. */
export type JobFile = 'rejects' | 'errors' | 'output'

/** An upload's file by its id, or one of a job. */
export interface KeptFile {
  readonly id: number
  readonly name: JobFile | 'upload'
}

/** Reads and writes files by pieces of at most some hundred KiB. */
export interface JobFiles {
  /** Returns the bytes from an offset, and the whole length; null if there are none. */
  read(
    file: KeptFile,
    from?: number,
  ): Promise<{ readonly bytes: number; readonly pieces: AsyncIterable<Uint8Array> } | null>
  /**
   * Appends to a file of a job after its first `at` bytes. Throws `conflict` if the run is over, and `storage_full`.
   */
  append(job: Pick<Job, 'id' | 'run'>, file: JobFile, at: number, bytes: Uint8Array): Promise<void>
  /** Cuts a file of a job off after that many bytes. */
  truncate(job: Pick<Job, 'id'>, file: JobFile, bytes: number): Promise<void>
}

/** What the jobs of an account take. */
export interface HeldJobs {
  /** Those that wait or run. */
  readonly open: number
  /** The bytes of the files of all of them, uploads aside. */
  readonly bytes: number
}

/** Keeps uploads and jobs, which outlive the process, for all programs that serve the database. */
export interface JobStore {
  readonly files: JobFiles
  /** Adds an upload, one at a time for each account. `check` sees the account's other uploads, and may throw. */
  addUpload(draft: Draft<Upload>, check: (others: readonly Upload[]) => void): Promise<Upload>
  findUpload(id: number): Promise<Upload | null>
  /**
   * Begins to write after the first `at` bytes, which ends what others write to it. Returns the number of the writing;
   * null if a different number of bytes is there.
   */
  beginWriting(id: number, at: number): Promise<number | null>
  /** Appends bytes and notes the moment. Returns false if another writing has begun. Throws `storage_full`. */
  extend(id: number, writing: number, at: number, bytes: Uint8Array, now: Timestamp): Promise<boolean>
  removeUpload(id: number): Promise<void>
  /** Returns the uploads that no bytes have come for since, and no job has. */
  forgottenUploads(before: Timestamp): Promise<readonly number[]>

  /** Adds a job, one at a time for each account. `check` gets what the account's jobs take, and may throw. */
  addJob(draft: Draft<Job>, check: (held: HeldJobs) => void): Promise<Job>
  findJob(id: number): Promise<Job | null>
  /** Returns the jobs of accounts of that tenant, or all for null; the latest first. */
  listJobs(tenantId: number | null): Promise<readonly Job[]>
  /** Returns the jobs that wait or run; the oldest first. */
  openJobs(): Promise<readonly Job[]>
  /**
   * Changes a job in one step. Returns the changed job; null if there is none, or if `change` returns null. `check`
   * gets the number of the account's open jobs, and may throw.
   */
  changeJob(id: number, change: (job: Job) => Job | null, check?: (open: number) => void): Promise<Job | null>
  /** Notes the progress of a run, unless it is over. */
  noteProgress(job: Pick<Job, 'id' | 'run'>, progress: JobProgress): Promise<void>
  /** Removes a job that has ended, its files, and its upload unless another job has that. Returns false if it has not. */
  removeJob(id: number): Promise<boolean>
}

/** How a job ended. */
export type JobEnd =
  | { readonly state: 'done'; readonly outcome: JobOutcome | null; readonly progress: JobProgress }
  | { readonly state: 'failed' | 'stopped' | 'interrupted'; readonly failure: string; readonly stored: number }

export interface JobWatcher {
  at(progress: JobProgress): void
  /** Called when an import begins, or starts over; see `ImportJob.began`. Its promise is awaited. */
  began(before: number): Promise<void>
}

/** Runs jobs without delaying others. */
export interface JobRunner {
  /** Never rejects. */
  run(job: Job, watcher: JobWatcher, signal: AbortSignal): Promise<JobEnd>
}
