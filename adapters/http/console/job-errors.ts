import { AppError } from '../../../core/errors.ts'
import type { By, Jobs } from '../../../core/use-cases/jobs/jobs.ts'

/** Errors on one page. */
const PAGE = 200

/**
 * Returns a page of a job's errors as JSON: those from a byte offset in their file, and where the next page begins.
 * Throws `not_found` if there is no such job.
 */
export async function errorsOfJob(jobs: Jobs, asking: By, jobId: number, from: number): Promise<string> {
  const { id } = await jobs.find(asking.viewer, jobId)
  const file = await jobs.read(asking, id, 'errors', from).catch(nullIfMissing)
  const lines = file ? await firstLines(file.pieces) : []
  const end = from + lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  const next = file && end < file.bytes ? end : null
  return `{"errors":[${lines.join()}],"next":${next}}`
}

/** A job without such a file has no errors. */
function nullIfMissing(error: unknown): null {
  if (error instanceof AppError && error.code === 'not_found') return null
  throw error
}

/** Reads at most a page of whole lines. */
async function firstLines(pieces: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  let bytes = Buffer.alloc(0)
  for await (const piece of pieces) {
    bytes = Buffer.concat([bytes, piece])
    if (linesIn(bytes) > PAGE) break
  }
  return bytes.toString('utf8').split('\n').slice(0, -1).slice(0, PAGE)
}

function linesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++
  return lines
}
