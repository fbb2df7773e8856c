import { AppError } from '../../../core/errors.ts'
import type { JobFiles, KeptFile } from '../../../core/ports/jobs.ts'
import type { Database } from '../database/database.ts'
import { translate, translating } from '../database/errors.ts'
import type { Queries } from '../database/queries.ts'
import { type Sql, sql } from '../database/sql.ts'

/** Chunks read at once; each has some hundred KiB. */
const PAGE = 4

const of = ({ id, name }: KeptFile): Sql => sql`id = ${id} AND name = ${name}`

interface Chunk {
  readonly at: number
  readonly bytes: Uint8Array
}

/** The files of uploads and jobs, in chunks that every daemon can read. */
export function jobFiles(database: Database): JobFiles {
  return translating<JobFiles>({
    read: async (file, from = 0) => {
      const bytes = await database.value<number>(
        sql`SELECT at + octet_length(bytes) FROM job_chunks WHERE ${of(file)} ORDER BY at DESC LIMIT 1`,
      )
      return bytes === undefined ? null : { bytes, pieces: pieces(database, file, from) }
    },
    append: async ({ id, run }, name, at, bytes) => {
      const added = await database.repeatable(within =>
        within.run(sql`INSERT INTO job_chunks (id, name, at, bytes)
          SELECT id, ${name}, ${at}::bigint, ${bytes}::bytea FROM (
            SELECT id FROM jobs WHERE id = ${id} AND run = ${run} AND state = 'running' FOR KEY SHARE) j
          ON CONFLICT (id, name, at) DO UPDATE SET bytes = excluded.bytes`),
      )
      if (added === 0) throw new AppError('conflict', 'The job has ended meanwhile.')
    },
    truncate: ({ id }, name, bytes) => database.repeatable(within => truncate(within, { id, name }, bytes)),
  })
}

/** Deletes a file in the transaction in which its upload or job was deleted before, so that nobody writes to it again. */
export const removeFiles = (within: Queries, ids: Sql): Promise<number> =>
  within.run(sql`DELETE FROM job_chunks WHERE ${ids}`)

/** Returns how many bytes the files of an account's jobs have, uploads aside. */
export async function bytesOf(within: Queries, account: number): Promise<number> {
  const bytes = await within.value<number>(sql`SELECT coalesce(sum(octet_length(bytes)), 0)::bigint FROM job_chunks
    WHERE name <> 'upload' AND id IN (SELECT id FROM jobs WHERE account_id = ${account})`)
  return bytes ?? 0
}

async function truncate(within: Queries, file: KeptFile, bytes: number): Promise<void> {
  await within.run(sql`DELETE FROM job_chunks WHERE ${of(file)} AND at >= ${bytes}`)
  await within.run(sql`UPDATE job_chunks SET bytes = substring(bytes FROM 1 FOR (${bytes}::bigint - at)::int)
    WHERE ${of(file)} AND at = (SELECT max(at) FROM job_chunks WHERE ${of(file)})
      AND at + octet_length(bytes) > ${bytes}`)
}

async function* pieces(database: Database, file: KeptFile, from: number): AsyncGenerator<Uint8Array> {
  for (let next = from; ; ) {
    const page = await chunksFrom(database, file, next)
    for (const { at, bytes } of page) {
      yield bytes.subarray(next - at)
      next = at + bytes.length
    }
    if (page.length < PAGE) return
  }
}

/** The chunks with the byte at that place and after it. */
const chunksFrom = (database: Database, file: KeptFile, place: number): Promise<Chunk[]> =>
  database.long
    .rows<Chunk>(
      sql`SELECT at, bytes FROM job_chunks WHERE ${of(file)}
        AND at >= (SELECT coalesce(max(at), 0) FROM job_chunks WHERE ${of(file)} AND at <= ${place})
        AND at + octet_length(bytes) > ${place} ORDER BY at LIMIT ${PAGE}`,
    )
    .catch(error => {
      throw translate(error)
    })
