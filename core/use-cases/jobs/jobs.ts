import { confinedSelection } from '../../access/confined-records.ts'
import type { Viewer } from '../../access/policy.ts'
import { assertInSight, assertMayExport, assertMayImport, unseenFields } from '../../access/transfers.ts'
import { PAGE } from '../../console/import-guide.ts'
import { addSeconds } from '../../dates.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import { type Draft, isOver, isResumable, type Job, type Owner } from '../../jobs/job.ts'
import { JOB_LIMITS, type JobLimits, sizeText } from '../../jobs/limits.ts'
import type { Audit } from '../../ports/audit.ts'
import type { HeldJobs, JobFile } from '../../ports/jobs.ts'
import type { Records } from '../../ports/records.ts'
import { resourceNamed } from '../../resources/all.ts'
import { Problem } from '../../resources/field.ts'
import { TENANT, tenantSide } from '../../resources/references/within.ts'
import type { Resource } from '../../resources/resource.ts'
import { tenants } from '../../resources/tenants.ts'
import { broken, dangling } from '../../resources/values/field-errors.ts'
import { secretsIn } from '../../transfer/export.ts'
import { sentenceOf, TransferFailure } from '../../transfer/failure.ts'
import { formatOf } from '../../transfer/formats.ts'
import { assertSensible, planImport } from '../../transfer/import.ts'
import type { ImportOptions } from '../../transfer/options.ts'
import { type Parameters, queryOf } from '../records/browsing.ts'
import { askedExport, askedImport } from './requests.ts'
import { Schedule, type SchedulePorts } from './schedule.ts'
import { Uploads } from './uploads.ts'

const LABEL = 'Job'

export interface JobsPorts extends SchedulePorts {
  readonly records: Pick<Records, 'find'>
  readonly audit: Pick<Audit, 'note'>
  readonly limits?: JobLimits
}

/** Who asks, and what they may do. */
export interface By {
  readonly viewer: Viewer
  readonly owner: Owner
}

/** Imports and exports that run in the background. Every method throws AppError. */
export class Jobs {
  readonly uploads: Uploads
  readonly #ports: JobsPorts
  readonly #schedule: Schedule
  readonly #limits: JobLimits

  constructor(ports: JobsPorts) {
    this.#ports = ports
    this.#limits = ports.limits ?? JOB_LIMITS
    this.#schedule = new Schedule(ports, async job => {
      // An imported file is no longer needed.
      if (job.kind === 'import' && job.state === 'done' && !job.options.dryRun)
        await ports.store.removeUpload(job.upload)
    })
    this.uploads = new Uploads({ ...ports, limits: this.#limits })
  }

  /**
   * Starts jobs that wait, ends those of programs that are gone, and stops what others have asked to; to be called each
   * second.
   */
  look(): Promise<void> {
    return this.#schedule.look()
  }

  /** Throws `invalid`, `forbidden`, `not_found`, and `conflict` if the upload is incomplete or too many jobs wait. */
  async import({ viewer, owner }: By, resource: Resource, body: unknown): Promise<Job> {
    const { upload: id, tenantId, options, agreed } = askedImport(resource, body)
    assertMayImport(viewer, resource, options.mode)
    const { received, bytes, name: file } = await this.uploads.own({ viewer, owner }, id)
    if (received < bytes) throw new AppError('conflict', `${received} of ${bytes} bytes of the file are there.`)
    const tenant = await this.#tenant(resource, viewer.tenantId ?? tenantId)
    const asked = tenant ? { ...options, tenant: tenant.slug } : options
    assertPlanned(resource, asked, file, tenant)
    const nothing = { began: null, outcome: null, stored: 0 }
    return this.#add({
      ...this.#begun(owner, resource),
      ...{ kind: 'import', upload: id, file, bytes, options: asked, tenant, agreed, ...nothing },
    })
  }

  /** Exports everything in the list with these parameters. Throws `invalid`, `forbidden`, `conflict`. */
  async export({ viewer, owner }: By, resource: Resource, parameters: Parameters, body: unknown): Promise<Job> {
    const asked = askedExport(body)
    assertMayExport(viewer, resource, asked.withSecrets)
    const { search = null, sort, limit: _, after: __, ...selection } = queryOf(resource, parameters)
    const chosen = confinedSelection(viewer, resource, { ...selection, ...(sort ? { sort } : {}) })
    if (asked.withSecrets && secretsIn(resource).length > 0)
      await this.#ports.audit.note('export', resource.name, null, { secrets: 'shown' }, owner.actor)
    return this.#add({
      ...this.#begun(owner, resource),
      kind: 'export',
      form: { ...asked, without: unseenFields(viewer, resource, asked.withSecrets) },
      selection: chosen ?? { where: { id: 0 } },
      search,
      bytes: 0,
    })
  }

  /** The latest first. */
  list({ tenantId }: Pick<Viewer, 'tenantId'>): Promise<readonly Job[]> {
    return this.#ports.store.listJobs(tenantId)
  }

  /** Those that wait or run, the latest first. */
  async open({ tenantId }: Pick<Viewer, 'tenantId'>): Promise<readonly Job[]> {
    const open = await this.#ports.store.openJobs()
    return open.filter(({ owner }) => tenantId === null || owner.tenantId === tenantId).toReversed()
  }

  /** Throws `not_found`. */
  async find(viewer: Viewer, id: number): Promise<Job> {
    const job = await this.#ports.store.findJob(id)
    if (!job) throw notFound(LABEL)
    assertInSight(viewer, job.owner, LABEL)
    return job
  }

  /** Stops a job; an import in batches keeps what is stored. Throws `not_found`. */
  async stop(viewer: Viewer, id: number): Promise<Job> {
    await this.#schedule.stop(await this.find(viewer, id))
    return this.find(viewer, id)
  }

  /** Resumes an import that stopped. Throws `not_found`, `forbidden`, and `conflict` if it cannot be resumed. */
  async resume({ viewer, owner }: By, id: number): Promise<Job> {
    const job = await this.find(viewer, id)
    if (job.owner.id !== owner.id) throw new AppError('forbidden', 'The job is of another account.')
    const nothing = new AppError('conflict', 'There is nothing of this job to go on with.')
    if (job.kind !== 'import' || !isResumable(job)) throw nothing
    assertMayImport(viewer, resourceNamed(job.resource), job.options.mode)
    const again = { state: 'waiting' as const, endedAt: null, failure: null, continues: true, isStopping: false }
    const resumed = await this.#ports.store.changeJob(
      id,
      present => (isResumable(present) ? { ...present, ...again } : null),
      open => this.#assertFew(open),
    )
    if (!resumed) throw nothing
    this.#startSoon()
    return resumed
  }

  /** Deletes a job that has ended, and its files. Throws `not_found`, `conflict`. */
  async forget(viewer: Viewer, id: number): Promise<void> {
    await this.#forget(await this.find(viewer, id))
  }

  /** Reads a file of the job, for the account that owns it. Throws `not_found`. */
  async read({ viewer, owner }: By, id: number, name: JobFile, from = 0) {
    const job = await this.find(viewer, id)
    const isThere = job.owner.id === owner.id && (name !== 'output' || job.state === 'done')
    const found = isThere ? await this.#ports.store.files.read({ id, name }, from) : null
    if (found) return { ...found, job }
    if (isThere && name === 'output') return { bytes: 0, pieces: NOTHING, job }
    throw notFound('File')
  }

  /** Deletes what has not been used for a day. */
  async sweep(): Promise<void> {
    const before = addSeconds(this.#ports.clock.now(), -this.#limits.keptFor)
    for (const job of await this.#ports.store.listJobs(null))
      if (isOver(job) && (job.endedAt ?? job.createdAt) < before) await this.#forget(job)
    await this.uploads.sweep()
  }

  /** Stops running jobs, which can be resumed, and starts no more. */
  close(): Promise<void> {
    return this.#schedule.close()
  }

  async #forget(job: Job): Promise<void> {
    if (!(await this.#ports.store.removeJob(job.id)))
      throw new AppError('conflict', 'The job has not ended: stop it first.')
  }

  async #add(draft: Draft<Job>): Promise<Job> {
    const job = await this.#ports.store.addJob(draft, held => this.#assertRoom(held))
    await this.#forgetOldest(draft.owner)
    this.#startSoon()
    return job
  }

  #assertRoom({ open, bytes }: HeldJobs): void {
    this.#assertFew(open)
    const most = this.#limits.resultBytesOfAccount
    if (bytes < most) return
    const taken = `The files of your jobs take ${sizeText(most)} or more`
    throw new AppError('conflict', `${taken}: delete jobs that have ended.`)
  }

  #assertFew(open: number): void {
    if (open >= this.#limits.open)
      throw new AppError('conflict', `${open} jobs of yours wait or run already: wait until one has ended.`)
  }

  /** Whoever starts jobs by a program shall not fill the database with them. */
  async #forgetOldest({ id, tenantId }: Owner): Promise<void> {
    const jobs = await this.#ports.store.listJobs(tenantId)
    const over = jobs.filter(job => job.owner.id === id && isOver(job))
    for (const job of over.slice(this.#limits.ended)) await this.#ports.store.removeJob(job.id)
  }

  #startSoon(): void {
    this.look().catch(this.#ports.onTrouble)
  }

  #begun(owner: Owner, { name }: Resource) {
    const progress = { bytes: 0, rows: 0, rejected: 0 }
    const createdAt = this.#ports.clock.now()
    const times = { createdAt, startedAt: null, endedAt: null }
    const state = { state: 'waiting' as const, failure: null, run: 0, continues: false, isStopping: false }
    return { owner, resource: name, ...state, ...times, progress }
  }

  async #tenant(resource: Resource, id: number | null) {
    if (id === null) return null
    const row = await this.#ports.records.find(tenants, id)
    if (!row) throw invalid([dangling('tenant')])
    if (!tenantSide(resource))
      throw invalid([broken('tenant', new Problem('format', `does not apply: ${resource.plural} belong to no tenant`))])
    return { id, slug: String(row['slug']) }
  }
}

const NOTHING: AsyncIterable<Uint8Array> = (async function* () {})()

type Tenant = { readonly id: number; readonly slug: string }

/** Refuses senseless options before anything runs. Throws `invalid`. */
function assertPlanned(resource: Resource, options: ImportOptions, file: string, tenant: Tenant | null): void {
  const fixed = tenant && { field: TENANT, value: tenant.id, named: tenant.slug, flag: PAGE.name('tenant') }
  try {
    assertSensible(resource, { ...options, resume: false }, PAGE)
    planImport({ resource, options, format: formatOf(options.format, file), tenant: fixed, guide: PAGE })
  } catch (error) {
    if (!(error instanceof TransferFailure)) throw error
    throw invalid([{ rule: 'format', field: 'options', sentence: sentenceOf(error.message) }])
  }
}
