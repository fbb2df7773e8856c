import { resourceOf } from '../../../core/resources/all.ts'
import { lowered } from '../../../core/resources/resource.ts'
import { get, request } from '../state/api.ts'
import { objectOf, objectsOf } from '../state/load.ts'

type Data = Readonly<Record<string, unknown>>

/** A job as the service shows it. */
export interface JobShown {
  readonly id: number
  readonly isImport: boolean
  readonly collection: string
  readonly state: string
  /** The file of an import; the format of an export. */
  readonly about: string
  readonly by: string
  readonly isOwn: boolean
  readonly isCheck: boolean
  readonly canResume: boolean
  readonly hasFile: boolean
  readonly hasSecrets: boolean
  readonly rows: number
  readonly rejected: number
  /** From 0 to 1; null if unknown. */
  readonly share: number | null
  readonly failure: string | null
  readonly stored: number
  readonly outcome: Data | null
  /** The first warnings about rows that were accepted, and how many more there are. */
  readonly warnings: readonly Finding[]
  readonly moreWarnings: number
  readonly createdAt: string
  readonly isOpen: boolean
}

export function jobIn(data: unknown): JobShown {
  const job = objectOf(data)
  const progress = objectOf(job['progress'])
  const state = String(job['state'])
  const bytes = Number(job['bytes'])
  const isImport = job['kind'] === 'import'
  const outcome = job['outcome'] ? objectOf(job['outcome']) : null
  return {
    id: Number(job['id']),
    isImport,
    collection: String(job['collection']),
    state,
    about: String(isImport ? job['file'] : job['format']),
    by: String(job['by']),
    isOwn: job['is_own'] === true,
    isCheck: job['dry_run'] === true,
    canResume: job['can_resume'] === true,
    hasFile: job['has_file'] === true,
    hasSecrets: job['has_secrets'] === true,
    rows: Number(progress['rows']),
    rejected: Number(progress['rejected']),
    share: isImport && bytes > 0 ? Math.min(1, Number(progress['bytes']) / bytes) : null,
    failure: typeof job['failure'] === 'string' ? job['failure'] : null,
    stored: Number(job['stored'] ?? 0),
    outcome,
    warnings: objectsOf(outcome?.['warnings']).map(findingIn),
    moreWarnings: Number(outcome?.['more_warnings'] ?? 0),
    createdAt: String(job['created_at']),
    isOpen: state === 'waiting' || state === 'running',
  }
}

export const jobsIn = (data: unknown): JobShown[] => objectsOf(data).map(jobIn)

/** Stops or resumes a job, and returns its new state. */
export const act = async (id: number, what: 'stop' | 'resume'): Promise<JobShown> =>
  jobIn((await request('POST', `/api/console/jobs/${id}/${what}`)).data)

/** An error or a warning, and where in the file it is. */
export interface Finding {
  readonly line: number
  readonly element: number | null
  readonly field: string
  readonly message: string
}

const findingIn = ({ line, element, field, message }: Data): Finding => ({
  line: Number(line),
  element: element === undefined ? null : Number(element),
  field: String(field),
  message: String(message),
})

/** Returns a page of a job's errors, and where the next page begins. */
export async function errorsFrom(id: number, from: number) {
  const data = objectOf(await get(`/api/console/jobs/${id}/errors?from=${from}`))
  return {
    errors: objectsOf(data['errors']).map(findingIn),
    next: data['next'] === null ? null : Number(data['next']),
  }
}

/** Formats a title: “Check of rates”, “Export of calls”. */
export function titleOfJob({ isImport, isCheck, collection }: JobShown): string {
  const kind = isCheck ? 'Check' : isImport ? 'Import' : 'Export'
  return `${kind} of ${lowered(resourceOf(collection)?.plural ?? collection)}`
}

export const STATES: Readonly<Record<string, string>> = {
  waiting: 'Waiting',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  stopped: 'Stopped',
  interrupted: 'Interrupted',
}
