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

/** The ids of an upload of that name and of a finished export of the account; undefined if refused. */
export async function withJobs(ask: Ask, name = 'mine.csv'): Promise<{ uploads: number; jobs: number }> {
  const upload = await ask('POST', '/api/console/uploads', { name, bytes: 10 })
  const { json } = await ask('POST', '/api/console/exports/extensions', {})
  await ended(ask, json.data.id)
  return { uploads: upload.json.data?.id, jobs: json.data.id }
}
