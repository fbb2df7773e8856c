import { PAGE } from '../console/import-guide.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { counted } from '../format-count.ts'
import { objects } from '../json.ts'
import type { Bulk } from '../ports/bulk.ts'
import type { JobEnd, JobFiles, JobWatcher } from '../ports/jobs.ts'
import type { Records } from '../ports/records.ts'
import type { Clock } from '../ports/system.ts'
import type { TextInput } from '../ports/transfer.ts'
import { resourceNamed } from '../resources/all.ts'
import { TENANT } from '../resources/references/within.ts'
import type { Resource } from '../resources/resource.ts'
import { exported } from '../transfer/export.ts'
import { EndedEarly, sentenceOf, TransferFailure } from '../transfer/failure.ts'
import { formatOf } from '../transfer/formats.ts'
import { assertSensible, importText, planImport } from '../transfer/import.ts'
import type { ImportWatcher } from '../transfer/import-types.ts'
import { keepsPlace } from '../transfer/imported-resource.ts'
import type { ExportJob, ImportJob, Job } from './job.ts'
import { boundedFiles, type ErrorSink, errorSink, outputSink, rejectSink } from './job-sinks.ts'
import { JOB_LIMITS } from './limits.ts'

/** The ports of a job. */
export interface JobPorts {
  readonly records: Records
  readonly bulk: Bulk
  readonly clock: Clock
  digestOf(text: string): string
  readonly files: JobFiles
  /** The longest file that is kept of a job, in bytes; that of the service by default. */
  readonly mostBytes?: number
  /** Opens the text of these bytes, with a name for messages. */
  openText(name: string, pieces: AsyncIterable<Uint8Array>): Promise<TextInput>
}

/** What a job works with, and whom it tells. */
export interface JobWork {
  readonly ports: JobPorts
  readonly watcher: JobWatcher
  readonly signal: AbortSignal
}

/** Runs a job to its end. Never rejects for an expected reason. */
export async function runJob(job: Job, work: JobWork): Promise<JobEnd> {
  const { files, mostBytes = JOB_LIMITS.resultBytes } = work.ports
  const bounded = { ...work, ports: { ...work.ports, files: boundedFiles(files, mostBytes) } }
  try {
    return await (job.kind === 'import' ? runImportJob(job, bounded) : runExportJob(job, bounded))
  } catch (error) {
    return endOf(error, job)
  }
}

/** What ends a job through no fault of its own. */
const CUT_OFF: readonly ErrorCode[] = ['unavailable', 'outcome_unknown']

function endOf(error: unknown, job: Job): JobEnd {
  const stored = error instanceof EndedEarly ? error.stored : 0
  const cause = error instanceof EndedEarly ? error.cause : error
  const kept = stored === 0 ? 'nothing was stored' : `${counted(stored, 'record')} of it are stored`
  const isStopped = cause instanceof TransferFailure && cause.kind === 'stopped'
  if (isStopped) return { state: 'stopped', failure: job.kind === 'import' ? `Stopped: ${kept}.` : 'Stopped.', stored }
  if (!(cause instanceof TransferFailure || cause instanceof AppError)) throw error
  const sentence = sentenceOf(cause.message)
  const isCutOff = cause instanceof AppError && CUT_OFF.includes(cause.code)
  return {
    state: isCutOff ? 'interrupted' : 'failed',
    failure: stored > 0 ? `${sentence} ${sentenceOf(kept)}` : sentence,
    stored,
  }
}

async function runImportJob(job: ImportJob, { ports, watcher, signal }: JobWork): Promise<JobEnd> {
  const resource = resourceNamed(job.resource)
  const started = ports.clock.monotonic()
  const options = optionsOf(job, resource)
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
  const input = await openUpload(job, ports)
  const following = follow(job, ports, watcher)
  try {
    const { outcome } = await importText({ ...planned, input, ports, watcher: following.watcher, signal })
    await following.kept()
    const seconds = ports.clock.monotonic() - started
    const { rows, rejected } = outcome
    return { state: 'done', outcome: { ...outcome, seconds }, progress: { bytes: job.bytes, rows, rejected } }
  } finally {
    input.stop()
    await following.kept().catch(() => undefined)
  }
}

async function openUpload({ upload, file, bytes }: ImportJob, { files, openText }: JobPorts): Promise<TextInput> {
  const found = await files.read({ id: upload, name: 'upload' })
  if (found?.bytes !== bytes)
    throw new TransferFailure('data', `${file} is no longer here: upload it again, and import that`)
  return openText(file, found.pieces)
}

function optionsOf({ options, began, continues }: ImportJob, resource: Resource): ImportJob['options'] {
  if (!continues || !keepsPlace(resource)) return options
  return { ...options, resume: began === null ? false : { before: began } }
}

function follow(job: ImportJob, { files }: JobPorts, { at, began }: JobWatcher) {
  let errors: ErrorSink | null = null
  const errorsFrom = (resumeLine: number | null) => {
    errors ??= errorSink(files, job, resumeLine)
    return errors
  }
  const kept = async (): Promise<void> => errors?.kept()
  const watcher: ImportWatcher = {
    kept,
    at,
    began,
    storing: () => {},
    continuing: ({ line }) => void errorsFrom(line),
    error: error => errorsFrom(null).add(error),
    warning: () => {},
    keepsRejects: true,
    openRejects: (_, resumeAt) => rejectSink(files, job, resumeAt),
    approve: async (_replacing, _load, rows) => {
      if (rows === 0 && !job.options.allowEmpty)
        throw new TransferFailure('data', `there are no rows; ${PAGE.name('allowEmpty')} deletes all rates`)
      // The storage compares it with the outcome.
      if (job.agreed) return job.agreed
      throw new TransferFailure('usage', 'a deck is replaced only after a check: check it first')
    },
  }
  return { watcher, kept }
}

async function runExportJob(job: ExportJob, { ports, watcher, signal }: JobWork): Promise<JobEnd> {
  const resource = resourceNamed(job.resource)
  const output = outputSink(ports.files, job)
  let rows = 0
  let bytes = 0
  try {
    await ports.bulk.asOfNow(async bulk => {
      const dump = chosen(job, resource, { ...ports, bulk, signal })
      for await (const { text, count } of exported(dump, resource, job.selection, job.form)) {
        signal.throwIfAborted()
        await output.write(text)
        rows += count
        bytes += text.length
        watcher.at({ bytes, rows, rejected: 0 })
      }
    }, signal)
    return { state: 'done', outcome: null, progress: { bytes: await output.end(), rows, rejected: 0 } }
  } catch (error) {
    await output.discard().catch(() => undefined)
    throw signal.aborted ? new TransferFailure('stopped', 'stopped') : error
  }
}

interface Dumping extends Pick<JobPorts, 'records'>, Pick<JobWork, 'signal'> {
  readonly bulk: Pick<Bulk, 'dump'>
}

/** A search finds its records through the list, some hundred at a time; they are then written from the storage. */
function chosen({ search }: ExportJob, resource: Resource, { bulk, records, signal }: Dumping): Pick<Bulk, 'dump'> {
  if (search === null) return bulk
  return {
    dump: async function* (_, fields, selection) {
      for await (const { json } of records.list(resource, { view: 'plain', search, signal, ...selection })) {
        const ids = objects(`[${json}]`).map(({ id }) => Number(id))
        if (ids.length > 0) yield* bulk.dump(resource, fields, { where: { id: ids } })
      }
    },
  }
}
