import type { Actor } from '../audit.ts'
import type { Timestamp } from '../dates.ts'
import type { BulkCounts } from '../ports/bulk.ts'
import type { Selection } from '../ports/records.ts'
import type { ExportForm } from '../transfer/export.ts'
import type { ImportOptions } from '../transfer/options.ts'
import type { ImportOutcome } from '../transfer/summary.ts'

/** The owner of an upload or a job. */
export interface Owner {
  /** The account. */
  readonly id: number
  readonly actor: Actor
  /** The tenant that the account is limited to; null for all. */
  readonly tenantId: number | null
}

/** A file being uploaded. */
export interface Upload {
  readonly id: number
  readonly owner: Owner
  readonly name: string
  /** Its final length, and how much of it has arrived. */
  readonly bytes: number
  readonly received: number
  /** When bytes last arrived. */
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
  /** How many times it was started: whoever runs it writes to it and its files only while this stays the same. */
  readonly run: number
  /** True if its next run continues where the last one ended. */
  readonly continues: boolean
  /** True once somebody has asked to stop it. */
  readonly isStopping: boolean
}

export interface ImportJob extends AnyJob {
  readonly kind: 'import'
  readonly upload: number
  /** The name and length of the file. */
  readonly file: string
  readonly bytes: number
  readonly options: ImportOptions
  /** The tenant that all records must belong to. */
  readonly tenant: { readonly id: number; readonly slug: string } | null
  /** The approved outcome if a deck is replaced: what a dry run counted. */
  readonly agreed: BulkCounts | null
  /** The highest id when it began, which identifies its place; null before. */
  readonly began: number | null
  readonly outcome: JobOutcome | null
  /** The number of its records that are stored although it did not end. */
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
  /** The length of the file. */
  readonly bytes: number
}

export type Job = ImportJob | ExportJob

/** A job or an upload before it has an id. */
export type Draft<T extends Job | Upload> = T extends unknown ? Omit<T, 'id'> : never

/** True if it will not continue by itself. */
export const isOver = ({ state }: Pick<Job, 'state'>): boolean => state !== 'waiting' && state !== 'running'

/** True if it can be resumed. A dry run, like an export, starts over. */
export const isResumable = (job: Job): boolean =>
  job.kind === 'import' &&
  (job.state === 'stopped' || job.state === 'interrupted' || (job.state === 'failed' && job.stored > 0))
