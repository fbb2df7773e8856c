import type { Actor } from '../audit.ts'
import type { Timestamp } from '../dates.ts'
import type { BulkCounts } from '../ports/bulk.ts'
import type { Selection } from '../ports/records.ts'
import type { ExportForm } from '../transfer/export.ts'
import type { ImportOptions } from '../transfer/options.ts'
import type { ImportOutcome } from '../transfer/summary.ts'

/** Whose an upload or a job is. */
export interface Owner {
  /** The account. */
  readonly id: number
  readonly actor: Actor
  /** The tenant that the account keeps to; null for all. */
  readonly tenantId: number | null
}

/** A file on its way in. */
export interface Upload {
  readonly id: number
  readonly owner: Owner
  readonly name: string
  /** How long it will be, and how much of it is there. */
  readonly bytes: number
  readonly received: number
  /** When bytes came last. */
  readonly touchedAt: Timestamp
}

/** interrupted: the service ended while it ran. */
export const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'stopped', 'interrupted'] as const
export type JobState = (typeof JOB_STATES)[number]

export interface JobProgress {
  readonly bytes: number
  readonly rows: number
  readonly rejected: number
}

interface AnyJob {
  readonly id: number
  readonly owner: Owner
  /** The name of the resource. */
  readonly resource: string
  readonly state: JobState
  readonly createdAt: Timestamp
  readonly startedAt: Timestamp | null
  readonly endedAt: Timestamp | null
  readonly progress: JobProgress
  /** Why it failed or stopped, as a sentence. */
  readonly failure: string | null
}

export interface ImportJob extends AnyJob {
  readonly kind: 'import'
  readonly upload: number
  /** What the file is called, and how long it is. */
  readonly file: string
  readonly bytes: number
  readonly options: ImportOptions
  /** The tenant that all records must be of. */
  readonly tenant: { readonly id: number; readonly slug: string } | null
  /** What was agreed to when a deck is replaced: what a dry run said that would come of it. */
  readonly agreed: BulkCounts | null
  /** The highest id there was when it began, by which its place is known again; null before. */
  readonly began: number | null
  readonly outcome: JobOutcome | null
  /** How many of its records are stored although it did not end. */
  readonly stored: number
}

export interface JobOutcome extends ImportOutcome {
  readonly seconds: number
}

export interface ExportJob extends AnyJob {
  readonly kind: 'export'
  readonly form: ExportForm
  readonly selection: Selection
  readonly search: string | null
  /** How long the file is. */
  readonly bytes: number
}

export type Job = ImportJob | ExportJob

/** Does nothing more come of it by itself? */
export const isOver = ({ state }: Pick<Job, 'state'>): boolean => state !== 'waiting' && state !== 'running'

/** Can it go on? A dry run, like an export, begins again. */
export const isResumable = (job: Job): boolean =>
  job.kind === 'import' &&
  (job.state === 'stopped' || job.state === 'interrupted' || (job.state === 'failed' && job.stored > 0))
