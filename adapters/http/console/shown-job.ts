import { isResumable, type Job } from '../../../core/jobs/job.ts'
import { resourceNamed } from '../../../core/resources/all.ts'
import { collectionOf } from '../../../core/resources/resource.ts'
import type { By } from '../../../core/use-cases/jobs/jobs.ts'

/** Returns a job as the API shows it. */
export function shownJob(job: Job, { owner }: By) {
  const { id, kind, resource, state, createdAt, startedAt, endedAt, progress, failure } = job
  const all = {
    ...{ id, kind, state, progress, failure },
    collection: collectionOf(resourceNamed(resource)),
    created_at: createdAt,
    started_at: startedAt,
    ended_at: endedAt,
    by: job.owner.actor.name,
    is_own: job.owner.id === owner.id,
    bytes: job.bytes,
  }
  if (job.kind === 'export')
    return { ...all, format: job.form.format, has_secrets: job.form.withSecrets, has_file: state === 'done' }
  const { map, set, mode, onError, dryRun, decimalComma, force, allowEmpty, format, delimiter, effective } = job.options
  return {
    ...all,
    upload: job.upload,
    file: job.file,
    tenant: job.tenant?.id ?? null,
    options: {
      ...{ mode, format, delimiter, effective, force },
      map: Object.fromEntries(map),
      set: Object.fromEntries(set),
      on_error: onError,
      decimal_comma: decimalComma,
      allow_empty: allowEmpty,
    },
    dry_run: dryRun,
    stored: job.stored,
    outcome: job.outcome,
    can_resume: isResumable(job),
    has_file: (job.outcome?.rejected ?? progress.rejected) > 0,
  }
}
