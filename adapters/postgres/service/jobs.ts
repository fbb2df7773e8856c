import type { Job, Upload } from '../../../core/jobs/job.ts'
import type { JobStore } from '../../../core/ports/jobs.ts'
import type { Database } from '../database/database.ts'
import type { Queries } from '../database/queries.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import { bytesOf, jobFiles, removeFiles } from './job-files.ts'

interface UploadRow extends Omit<Upload, 'owner'> {
  readonly owner: string
}

interface JobRow {
  readonly id: number
  readonly job: string
  readonly progress: string
}

const UPLOADS = raw('SELECT id, owner, name, bytes, received, touched_at AS "touchedAt" FROM uploads')
const JOBS = raw('SELECT id, job, progress FROM jobs')
const IS_OPEN = raw(`state IN ('waiting', 'running')`)

const uploadOf = (row: UploadRow): Upload => ({ ...row, owner: JSON.parse(row.owner) })
// This program wrote it.
const jobOf = ({ id, job, progress }: JobRow): Job => ({ ...JSON.parse(job), id, progress: JSON.parse(progress) })

/** A job without what has columns of its own. */
const written = ({ progress: _, ...job }: Omit<Job, 'id'>): string => JSON.stringify({ ...job, id: undefined })
const uploadIdOf = (job: Omit<Job, 'id'>): number | null =>
  'upload' in job && typeof job.upload === 'number' ? job.upload : null

/** The storage port: uploads and jobs of all daemons, with their files. */
export function jobs(database: Database): JobStore {
  return { files: jobFiles(database), ...uploads(database), ...ofJobs(database) }
}

/** What an account begins, it begins one at a time. */
const alone = (within: Queries, account: number): Promise<number> =>
  within.run(sql`SELECT pg_advisory_xact_lock(hashtextextended('jobs of ' || ${String(account)}::text, 0))`)

type OfUploads = 'addUpload' | 'findUpload' | 'beginWriting' | 'extend' | 'removeUpload' | 'forgottenUploads'

const uploads = (database: Database): Pick<JobStore, OfUploads> => ({
  addUpload: (draft, check) =>
    database.write(async within => {
      const { owner, name, bytes, received, touchedAt } = draft
      await alone(within, owner.id)
      const others = await within.rows<UploadRow>(sql`${UPLOADS} WHERE account_id = ${owner.id}`)
      check(others.map(uploadOf))
      const id =
        await within.value<number>(sql`INSERT INTO uploads (account_id, owner, name, bytes, received, touched_at)
        VALUES (${owner.id}, ${JSON.stringify(owner)}, ${name}, ${bytes}, ${received}, ${touchedAt}) RETURNING id`)
      return { ...draft, id: id ?? 0 }
    }),
  findUpload: async id => {
    const row = await database.row<UploadRow>(sql`${UPLOADS} WHERE id = ${id}`)
    return row ? uploadOf(row) : null
  },
  beginWriting: async (id, at) =>
    (await database.single.value<number>(
      sql`UPDATE uploads SET writing = writing + 1 WHERE id = ${id} AND received = ${at} RETURNING writing`,
    )) ?? null,
  extend: async (id, writing, at, bytes, now) => {
    const end = at + bytes.length
    const added = await database.repeatable(within =>
      within.run(sql`WITH u AS (UPDATE uploads SET received = ${end}, touched_at = ${now}
          WHERE id = ${id} AND writing = ${writing} AND received IN (${at}, ${end}) RETURNING id)
        INSERT INTO job_chunks (id, name, at, bytes) SELECT id, 'upload', ${at}::bigint, ${bytes}::bytea FROM u
        ON CONFLICT (id, name, at) DO UPDATE SET bytes = excluded.bytes`),
    )
    return added > 0
  },
  removeUpload: id => database.repeatable(within => removeUpload(within, id)),
  forgottenUploads: before =>
    database.values<number>(sql`SELECT id FROM uploads u WHERE touched_at < ${before}
      AND NOT EXISTS (SELECT 1 FROM jobs WHERE upload_id = u.id)`),
})

async function removeUpload(within: Queries, id: number): Promise<void> {
  await within.run(sql`DELETE FROM uploads WHERE id = ${id}`)
  await removeFiles(within, sql`id = ${id} AND name = 'upload'`)
}

const openOf = async (within: Queries, account: number): Promise<number> => {
  await alone(within, account)
  const open = await within.value<number>(sql`SELECT count(*) FROM jobs WHERE account_id = ${account} AND ${IS_OPEN}`)
  return open ?? 0
}

const ofJobs = (database: Database): Omit<JobStore, OfUploads | 'files'> => {
  const list = async (condition: Sql): Promise<Job[]> =>
    (await database.rows<JobRow>(sql`${JOBS} WHERE ${condition}`)).map(jobOf)
  return {
    addJob: (draft, check) =>
      database.write(async within => {
        const { owner, state, run, progress } = draft
        check({ open: await openOf(within, owner.id), bytes: await bytesOf(within, owner.id) })
        const id = await within.value<number>(sql`INSERT INTO jobs
          (account_id, tenant_id, upload_id, state, run, job, progress)
          VALUES (${owner.id}, ${owner.tenantId}, ${uploadIdOf(draft)}, ${state}, ${run}, ${written(draft)},
            ${JSON.stringify(progress)}) RETURNING id`)
        return { ...draft, id: id ?? 0 }
      }),
    findJob: async id => (await list(sql`id = ${id}`))[0] ?? null,
    listJobs: tenantId => list(sql`${tenantId === null ? raw('true') : sql`tenant_id = ${tenantId}`} ORDER BY id DESC`),
    openJobs: () => list(sql`${IS_OPEN} ORDER BY id`),
    changeJob: (id, change, check) =>
      database.write(async within => {
        const row = await within.row<JobRow>(sql`${JOBS} WHERE id = ${id} FOR NO KEY UPDATE`)
        if (!row) return null
        const job = jobOf(row)
        check?.(await openOf(within, job.owner.id))
        const changed = change(job)
        if (!changed) return null
        await within.run(sql`UPDATE jobs SET state = ${changed.state}, run = ${changed.run}, job = ${written(changed)},
          progress = ${JSON.stringify(changed.progress)} WHERE id = ${id}`)
        return changed
      }),
    noteProgress: async ({ id, run }, progress) => {
      await database.single.run(sql`UPDATE jobs SET progress = ${JSON.stringify(progress)}
        WHERE id = ${id} AND run = ${run} AND state = 'running'`)
    },
    removeJob: id => database.repeatable(within => removeJob(within, id)),
  }
}

async function removeJob(within: Queries, id: number): Promise<boolean> {
  const upload = await within.value<number | null>(
    sql`DELETE FROM jobs WHERE id = ${id} AND NOT (${IS_OPEN}) RETURNING upload_id`,
  )
  if (upload === undefined)
    return (await within.value<boolean>(sql`SELECT NOT EXISTS (SELECT 1 FROM jobs WHERE id = ${id})`)) ?? true
  await removeFiles(within, sql`id = ${id} AND name <> 'upload'`)
  const isUsed = await within.value<boolean>(sql`SELECT EXISTS (SELECT 1 FROM jobs WHERE upload_id = ${upload})`)
  if (upload !== null && isUsed === false) await removeUpload(within, upload)
  return true
}
