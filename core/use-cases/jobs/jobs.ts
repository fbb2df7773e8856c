import { confinedSelection } from '../../access/confined-records.ts'
import type { Viewer } from '../../access/policy.ts'
import { assertInSight, assertMayExport, assertMayImport, unseenFields } from '../../access/transfers.ts'
import { PAGE } from '../../console/import-guide.ts'
import { addSeconds } from '../../dates.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import { isOver, isResumable, type Job, type Owner } from '../../jobs/job.ts'
import type { Audit } from '../../ports/audit.ts'
import type { JobFile } from '../../ports/jobs.ts'
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
import { UPLOAD_LIMITS, type UploadLimits, Uploads } from './uploads.ts'

/** The most jobs of one account that wait or run. */
const OF_ACCOUNT = 5
const LABEL = 'Job'

export interface JobsPorts extends SchedulePorts {
  readonly records: Pick<Records, 'find'>
  readonly audit: Pick<Audit, 'note'>
  readonly limits?: UploadLimits
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
  readonly #limits: UploadLimits
  #last = 0

  constructor(ports: JobsPorts) {
    this.#ports = ports
    this.#limits = ports.limits ?? UPLOAD_LIMITS
    this.#schedule = new Schedule(ports, async job => {
      // An imported file is no longer needed.
      if (job.kind === 'import' && job.state === 'done' && !job.options.dryRun) await this.uploads.forget(job.upload)
    })
    this.uploads = new Uploads({ ...ports, limits: this.#limits, nextId: () => ++this.#last })
  }

  /**
   * Takes over from an earlier process: uploads can continue, waiting jobs wait again, running ones count as interrupted.
   */
  async takeUp(): Promise<void> {
    const { uploads, jobs } = await this.#ports.store.load()
    this.#last = Math.max(this.#last, ...uploads.map(({ id }) => id), ...jobs.map(({ id }) => id))
    this.uploads.takeUp(uploads)
    await this.#schedule.takeUp(jobs)
  }

  /** Throws `invalid`, `forbidden`, `not_found`, and `conflict` if the upload is incomplete or too many jobs wait. */
  async import({ viewer, owner }: By, resource: Resource, body: unknown): Promise<Job> {
    const { upload: id, tenantId, options, agreed } = askedImport(resource, body)
    assertMayImport(viewer, resource, options.mode)
    const { received, bytes, name: file } = this.uploads.own({ viewer, owner }, id)
    if (received < bytes) throw new AppError('conflict', `${received} of ${bytes} bytes of the file are there.`)
    this.#assertFew(owner)
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
    this.#assertFew(owner)
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
  list(viewer: Pick<Viewer, 'tenantId'>): readonly Job[] {
    return this.#schedule.all
      .filter(({ owner }) => viewer.tenantId === null || owner.tenantId === viewer.tenantId)
      .sort((a, b) => b.id - a.id)
  }

  /** Throws `not_found`. */
  find(viewer: Viewer, id: number): Job {
    const job = this.#schedule.find(id)
    if (!job) throw notFound(LABEL)
    assertInSight(viewer, job.owner, LABEL)
    return job
  }

  /** Stops a job; an import in batches keeps what is stored. Throws `not_found`. */
  async stop(viewer: Viewer, id: number): Promise<Job> {
    await this.#schedule.stop(this.find(viewer, id))
    return this.find(viewer, id)
  }

  /** Resumes an import that stopped. Throws `not_found`, `forbidden`, and `conflict` if it cannot be resumed. */
  async resume({ viewer, owner }: By, id: number): Promise<Job> {
    const job = this.find(viewer, id)
    if (job.owner.id !== owner.id) throw new AppError('forbidden', 'The job is of another account.')
    if (job.kind !== 'import' || !isResumable(job))
      throw new AppError('conflict', 'There is nothing of this job to go on with.')
    assertMayImport(viewer, resourceNamed(job.resource), job.options.mode)
    this.#assertFew(owner)
    await this.#schedule.add(job, true)
    return this.find(viewer, id)
  }

  /** Deletes a job that has ended, and its files. Throws `not_found`, `conflict`. */
  async forget(viewer: Viewer, id: number): Promise<void> {
    const job = this.find(viewer, id)
    if (!isOver(job)) throw new AppError('conflict', 'The job has not ended: stop it first.')
    await this.#forget(job)
  }

  /** Reads a file of the job, for the account that owns it. Throws `not_found`. */
  async read({ viewer, owner }: By, id: number, file: JobFile, from = 0) {
    const job = this.find(viewer, id)
    const isThere = job.owner.id === owner.id && (file !== 'output' || job.state === 'done')
    const found = isThere ? await this.#ports.store.read(id, file, from) : null
    if (!found) throw notFound('File')
    return { ...found, job }
  }

  /** Deletes what has not been used for a day. */
  async sweep(): Promise<void> {
    const before = addSeconds(this.#ports.clock.now(), -this.#limits.keptFor)
    for (const job of this.#schedule.all)
      if (isOver(job) && (job.endedAt ?? job.createdAt) < before) await this.#forget(job)
    await this.uploads.sweep(id => this.#isUsed(id))
  }

  /** Stops running jobs, which can be resumed, and starts no more. */
  close(): Promise<void> {
    return this.#schedule.close()
  }

  #isUsed(upload: number): boolean {
    return this.#schedule.all.some(job => job.kind === 'import' && job.upload === upload)
  }

  async #forget(job: Job): Promise<void> {
    await this.#schedule.forget(job.id)
    if (job.kind === 'import' && !this.#isUsed(job.upload)) await this.uploads.forget(job.upload)
  }

  async #add(job: Job): Promise<Job> {
    await this.#schedule.add(job)
    return this.#schedule.find(job.id) ?? job
  }

  #begun(owner: Owner, { name }: Resource) {
    const progress = { bytes: 0, rows: 0, rejected: 0 }
    const createdAt = this.#ports.clock.now()
    const times = { createdAt, startedAt: null, endedAt: null }
    return { id: ++this.#last, owner, resource: name, state: 'waiting' as const, ...times, progress, failure: null }
  }

  #assertFew(owner: Owner): void {
    const open = this.#schedule.all.filter(job => job.owner.id === owner.id && !isOver(job)).length
    if (open >= OF_ACCOUNT)
      throw new AppError('conflict', `${open} jobs of yours wait or run already: wait until one has ended.`)
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
