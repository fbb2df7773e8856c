import { PAGE } from '../console/import-guide.ts'
import { AppError } from '../errors.ts'
import { counted } from '../format-count.ts'
import { objects } from '../json.ts'
import type { Bulk } from '../ports/bulk.ts'
import type { JobEnd, JobWatcher } from '../ports/jobs.ts'
import type { Records } from '../ports/records.ts'
import type { Clock } from '../ports/system.ts'
import type { RejectSink, TextInput } from '../ports/transfer.ts'
import { resourceNamed } from '../resources/all.ts'
import { TENANT } from '../resources/references/within.ts'
import type { Resource } from '../resources/resource.ts'
import { exported } from '../transfer/export.ts'
import { EndedEarly, sentenceOf, TransferFailure } from '../transfer/failure.ts'
import { formatOf } from '../transfer/formats.ts'
import type { ImportError } from '../transfer/found.ts'
import { assertSensible, importText, planImport } from '../transfer/import.ts'
import type { ImportWatcher } from '../transfer/import-types.ts'
import { keepsPlace } from '../transfer/imported-resource.ts'
import type { ExportJob, ImportJob, Job } from './job.ts'

/** The ports of a job. */
export interface JobPorts {
  readonly records: Records
  readonly bulk: Bulk
  readonly clock: Clock
  digestOf(text: string): string
  openUpload(job: ImportJob, signal: AbortSignal): Promise<TextInput>
  openRejects(job: ImportJob, resumeAt: number | null): RejectSink
  /** Opens the sink for every error. `resumeLine`: errors before that line exist already; null starts over. */
  openErrors(job: ImportJob, resumeLine: number | null): { add(error: ImportError): void; close(): void }
  /** Opens the output of an export: kept when it ends, deleted if discarded. */
  openOutput(job: ExportJob): { write(text: string): void; end(): number; discard(): void }
}

/** What a job works with, and whom it tells. */
export interface JobWork {
  readonly ports: JobPorts
  readonly watcher: JobWatcher
  readonly signal: AbortSignal
}

/** Runs a job to its end. Never rejects for an expected reason. */
export async function runJob(job: Job, isResumed: boolean, work: JobWork): Promise<JobEnd> {
  try {
    return await (job.kind === 'import' ? runImportJob(job, isResumed, work) : runExportJob(job, work))
  } catch (error) {
    return endOf(error, job)
  }
}

function endOf(error: unknown, job: Job): JobEnd {
  const stored = error instanceof EndedEarly ? error.stored : 0
  const cause = error instanceof EndedEarly ? error.cause : error
  const kept = stored === 0 ? 'nothing was stored' : `${counted(stored, 'record')} of it are stored`
  const isStopped = cause instanceof TransferFailure && cause.kind === 'stopped'
  if (isStopped) return { state: 'stopped', failure: job.kind === 'import' ? `Stopped: ${kept}.` : 'Stopped.', stored }
  if (!(cause instanceof TransferFailure || cause instanceof AppError)) throw error
  const sentence = sentenceOf(cause.message)
  return { state: 'failed', failure: stored > 0 ? `${sentence} ${sentenceOf(kept)}` : sentence, stored }
}

async function runImportJob(job: ImportJob, isResumed: boolean, { ports, watcher, signal }: JobWork): Promise<JobEnd> {
  const resource = resourceNamed(job.resource)
  const started = ports.clock.monotonic()
  const options = optionsOf(job, resource, isResumed)
  assertSensible(resource, options, PAGE)
  const { tenant } = job
  const fixed = tenant && { field: TENANT, value: tenant.id, named: tenant.slug, flag: '“Tenant”' }
  const planned = planImport({
    resource,
    options,
    format: formatOf(options.format, job.file),
    tenant: fixed,
    guide: PAGE,
  })
  const input = await ports.openUpload(job, signal)
  const following = follow(job, ports, watcher)
  try {
    const { outcome } = await importText({ ...planned, input, ports, watcher: following.watcher, signal })
    const seconds = ports.clock.monotonic() - started
    const { rows, rejected } = outcome
    return { state: 'done', outcome: { ...outcome, seconds }, progress: { bytes: job.bytes, rows, rejected } }
  } finally {
    input.stop()
    following.close()
  }
}

function optionsOf({ options, began }: ImportJob, resource: Resource, isResumed: boolean): ImportJob['options'] {
  if (!isResumed || !keepsPlace(resource)) return options
  return { ...options, resume: began === null ? false : { before: began } }
}

function follow(job: ImportJob, ports: JobPorts, { at, began }: JobWatcher) {
  let errors: ReturnType<JobPorts['openErrors']> | null = null
  const errorsFrom = (resumeLine: number | null) => {
    errors ??= ports.openErrors(job, resumeLine)
    return errors
  }
  const watcher: ImportWatcher = {
    at,
    began,
    storing: () => {},
    continuing: ({ line }) => void errorsFrom(line),
    error: error => errorsFrom(null).add(error),
    warning: () => {},
    keepsRejects: true,
    openRejects: (_, resumeAt) => ports.openRejects(job, resumeAt),
    approve: async (_replacing, _load, rows) => {
      if (rows === 0 && !job.options.allowEmpty)
        throw new TransferFailure('data', `there are no rows; ${PAGE.name('allowEmpty')} deletes all rates`)
      // The storage compares it with the outcome.
      if (job.agreed) return job.agreed
      throw new TransferFailure('usage', 'a deck is replaced only after a check: check it first')
    },
  }
  return { watcher, close: () => errors?.close() }
}

async function runExportJob(job: ExportJob, { ports, watcher, signal }: JobWork): Promise<JobEnd> {
  const resource = resourceNamed(job.resource)
  const output = ports.openOutput(job)
  let rows = 0
  let bytes = 0
  try {
    await ports.bulk.asOfNow(async bulk => {
      const dump = chosen(job, resource, { ...ports, bulk })
      for await (const { text, count } of exported(dump, resource, job.selection, job.form)) {
        if (signal.aborted) throw new TransferFailure('stopped', 'stopped')
        output.write(text)
        rows += count
        bytes += text.length
        watcher.at({ bytes, rows, rejected: 0 })
      }
    })
    return { state: 'done', outcome: null, progress: { bytes: output.end(), rows, rejected: 0 } }
  } catch (error) {
    output.discard()
    throw error
  }
}

interface Dumping extends Pick<JobPorts, 'records'> {
  readonly bulk: Pick<Bulk, 'dump'>
}

/** A search finds its records through the list, some hundred at a time; they are then written from the storage. */
function chosen({ search }: ExportJob, resource: Resource, { bulk, records }: Dumping): Pick<Bulk, 'dump'> {
  if (search === null) return bulk
  return {
    dump: async function* (_, fields, selection) {
      for await (const { json } of records.list(resource, { view: 'plain', search, ...selection })) {
        const ids = objects(`[${json}]`).map(({ id }) => Number(id))
        if (ids.length > 0) yield* bulk.dump(resource, fields, { where: { id: ids } })
      }
    },
  }
}
