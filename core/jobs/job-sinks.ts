import { AppError } from '../errors.ts'
import type { JobFile, JobFiles } from '../ports/jobs.ts'
import type { RejectSink } from '../ports/transfer.ts'
import type { ImportError } from '../transfer/found.ts'
import type { Job } from './job.ts'
import { sizeText } from './limits.ts'

/** Characters gathered before they are kept, and how many such blocks may wait for that. */
const BLOCK = 128 * 1024
const MOST_WAITING = 4

const encoder = new TextEncoder()

/** Files that refuse to grow longer than so many bytes: `append` throws `too_large`. */
export const boundedFiles = (files: JobFiles, most: number): JobFiles => ({
  ...files,
  append: async (job, file, at, bytes) => {
    if (at + bytes.length > most)
      throw new AppError('too_large', `More than ${sizeText(most)} of results are not kept: use the command line.`)
    return files.append(job, file, at, bytes)
  },
})

/** A file of a job that is written to its end, in blocks. `ready` resolves with its length so far. */
class GrowingFile {
  readonly #append: (at: number, bytes: Uint8Array) => Promise<void>
  #appended: Promise<number>
  #gathered: string[] = []
  #length = 0
  #waiting = 0

  constructor(files: JobFiles, job: Job, file: JobFile, ready: Promise<number>) {
    this.#append = (at, bytes) => files.append(job, file, at, bytes)
    this.#appended = ready
    // Whoever waits for it next gets the error.
    ready.catch(() => undefined)
  }

  write(text: string): void {
    this.#gathered.push(text)
    this.#length += text.length
    if (this.#length >= BLOCK) this.#send()
  }

  /** Resolves once little of what was written waits to be kept. */
  async room(): Promise<void> {
    if (this.#waiting >= MOST_WAITING) await this.#appended
  }

  /** Resolves with the length once everything is kept. */
  kept(): Promise<number> {
    if (this.#length > 0) this.#send()
    return this.#appended
  }

  #send(): void {
    const text = this.#gathered.join('')
    this.#gathered = []
    this.#length = 0
    this.#waiting++
    this.#appended = this.#appended.then(async at => {
      const bytes = encoder.encode(text)
      await this.#append(at, bytes)
      this.#waiting--
      return at + bytes.length
    })
    this.#appended.catch(() => undefined)
  }
}

/** Opens the sink of a job's rejected rows, after the first `resumeAt` bytes; null empties it. */
export async function rejectSink(files: JobFiles, job: Job, resumeAt: number | null): Promise<RejectSink> {
  const there = resumeAt === null ? null : await files.read({ id: job.id, name: 'rejects' })
  let bytes = Math.min(resumeAt ?? 0, there?.bytes ?? 0)
  await files.truncate(job, 'rejects', bytes)
  const file = new GrowingFile(files, job, 'rejects', Promise.resolve(bytes))
  return {
    get bytes() {
      return bytes
    },
    write: text => {
      bytes += encoder.encode(text).length
      file.write(text)
    },
    kept: async () => void (await file.kept()),
    close: async () => void (await file.kept()),
  }
}

export interface ErrorSink {
  add(error: ImportError): void
  /** Resolves once everything added so far is kept. */
  kept(): Promise<void>
}

/** Opens the sink for every error of a job, as lines of JSON. Keeps those before a line of the input; null keeps none. */
export function errorSink(files: JobFiles, job: Job, resumeLine: number | null): ErrorSink {
  const begin = async (): Promise<number> => {
    const end = resumeLine === null ? 0 : await endOfErrors(files, job, resumeLine)
    await files.truncate(job, 'errors', end)
    return end
  }
  const file = new GrowingFile(files, job, 'errors', begin())
  return {
    add: error => file.write(`${JSON.stringify(error)}\n`),
    kept: async () => void (await file.kept()),
  }
}

async function endOfErrors(files: JobFiles, { id }: Job, line: number): Promise<number> {
  const found = await files.read({ id, name: 'errors' })
  const decoder = new TextDecoder()
  let end = 0
  let rest = ''
  for await (const piece of found?.pieces ?? []) {
    const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) {
      if (Number(JSON.parse(text).line) >= line) return end
      end += encoder.encode(text).length + 1
    }
  }
  return end
}

/** The output of an export, which is shown once the job is done. */
export interface OutputSink {
  /** Resolves as soon as more can be written. */
  write(text: string): Promise<void>
  /** Resolves with its length once everything is kept. */
  end(): Promise<number>
  discard(): Promise<void>
}

/** Opens the output of an export, which begins empty. */
export function outputSink(files: JobFiles, job: Job): OutputSink {
  const empty = (): Promise<void> => files.truncate(job, 'output', 0)
  const file = new GrowingFile(
    files,
    job,
    'output',
    empty().then(() => 0),
  )
  return {
    write: text => {
      file.write(text)
      return file.room()
    },
    end: () => file.kept(),
    discard: async () => {
      await file.kept().catch(() => undefined)
      await empty()
    },
  }
}
