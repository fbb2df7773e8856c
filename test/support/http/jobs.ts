import { readdirSync } from 'node:fs'
import { isServerAddress } from '../../../core/database-address.ts'
import { readerOf } from '../data/reader.ts'
import type { Answer } from './app.ts'

type Ask = (method: string, path: string, json?: unknown) => Promise<Answer>

/** Waits until a job has ended, and returns it. */
export async function ended(ask: Ask, id: number) {
  for (;;) {
    const { data } = (await ask('GET', `/api/console/jobs/${id}`)).json
    if (data.state !== 'waiting' && data.state !== 'running') return data
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/** What is kept of uploads and jobs, as upload-3 or job-4: files, or rows of a server. */
export async function keptOf(db: string): Promise<readonly string[]> {
  if (!isServerAddress(db)) return [...new Set(readdirSync(`${db}-jobs`).map(name => name.replace(/\..*/, '')))]
  const reader = await readerOf(db)
  const rows = await reader.rows(`SELECT 'upload-' || id FROM uploads UNION SELECT 'job-' || id FROM jobs UNION
    SELECT CASE name WHEN 'upload' THEN name ELSE 'job' END || '-' || id FROM job_chunks`)
  await reader.close()
  return rows.map(String)
}

/** The ids of an upload of that name and of a finished export of the account; undefined if refused. */
export async function withJobs(ask: Ask, name = 'mine.csv'): Promise<{ uploads: number; jobs: number }> {
  const upload = await ask('POST', '/api/console/uploads', { name, bytes: 10 })
  const { json } = await ask('POST', '/api/console/exports/extensions', {})
  await ended(ask, json.data.id)
  return { uploads: upload.json.data?.id, jobs: json.data.id }
}
