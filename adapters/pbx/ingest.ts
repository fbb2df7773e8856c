import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { AppError } from '../../core/errors.ts'
import type { Calls, Feed, IngestCounts, SwitchRecord } from '../../core/ports/calls.ts'
import type { SourceFormat } from '../../core/rating/completed-call.ts'
import { AT_ONCE, CHUNK, formatIn, HEAD, LARGEST_OBJECT, readRecordFile, recordFiles } from './files.ts'
import { type Batch, formatOf, readBatches } from './records.ts'

export const noCounts: IngestCounts = { stored: 0, known: 0, quarantined: 0, legs: 0, unrated: 0 }

export const added = (a: IngestCounts, b: IngestCounts): IngestCounts => ({
  stored: a.stored + b.stored,
  known: a.known + b.known,
  quarantined: a.quarantined + b.quarantined,
  legs: a.legs + b.legs,
  unrated: a.unrated + b.unrated,
})

export interface Ingest {
  readonly feed: Feed
  readonly format: SourceFormat | 'auto'
  /** Called after each batch with the sum so far and the bytes read. */
  readonly onProgress?: (counts: IngestCounts, bytes: number) => void
}

/** Stores every call of a file, a folder of `*.json` records or a stream, once. Throws AppError. */
export async function ingest(source: string | Readable, ingesting: Ingest, calls: Calls): Promise<IngestCounts> {
  if (typeof source !== 'string') return ingestStream(source, ingesting, calls)
  const found = await stat(source).catch(() => null)
  if (!found) throw new AppError('not_found', `There is no file ${source}.`)
  if (found.isDirectory()) return ingestFolder(source, ingesting, calls)
  if (found.isFile() && found.size === 0) return noCounts
  const format = ingesting.format === 'auto' ? await formatOfFile(source) : ingesting.format
  if (format === 'freeswitch-json' && found.size <= LARGEST_OBJECT) {
    const whole = await wholeObject(source)
    if (whole) return storeAll([{ records: [whole], position: found.size }], ingesting, calls)
  }
  const chunks = createReadStream(source, { highWaterMark: CHUNK })
  return storeAll(readBatches(chunks, format, alone(calls)), ingesting, calls)
}

const alone = (calls: Calls) => ({ size: () => calls.batchSize(), isFinal: () => true })

async function storeAll(
  batches: AsyncIterable<Batch> | Iterable<Batch>,
  { feed, onProgress }: Ingest,
  calls: Calls,
): Promise<IngestCounts> {
  let counts = noCounts
  for await (const { records, position } of batches) {
    counts = added(counts, await calls.store(feed, records, null))
    onProgress?.(counts, position)
  }
  return counts
}

const untold = (name: string): AppError =>
  new AppError('malformed', `The format of ${name} cannot be told from its first lines; name its format.`)

async function ingestStream(stream: Readable, ingesting: Ingest, calls: Calls): Promise<IngestCounts> {
  const chunks = stream[Symbol.asyncIterator]()
  const read = async (): Promise<Buffer | null> => {
    const next = await chunks.next()
    return next.done ? null : Buffer.from(next.value)
  }
  let head = Buffer.alloc(0)
  let format = ingesting.format === 'auto' ? null : ingesting.format
  // A pipe's first piece may be a part of a line.
  while (!format && head.length < HEAD) {
    const more = await read()
    if (!more) break
    head = Buffer.concat([head, more])
    format = formatOf(head.toString('utf8'))
  }
  if (!format && head.toString('utf8').trim() === '') return noCounts
  if (!format) throw untold(ingesting.feed.name === '-' ? 'standard input' : ingesting.feed.name)
  async function* all(): AsyncIterable<Uint8Array> {
    yield head
    for (let next = await read(); next; next = await read()) yield next
  }
  return storeAll(readBatches(all(), format, alone(calls)), ingesting, calls)
}

async function formatOfFile(path: string): Promise<SourceFormat> {
  const file = await open(path)
  try {
    const format = (await formatIn(file)) ?? (path.endsWith('.json') ? 'freeswitch-json' : null)
    if (!format) throw untold(path)
    return format
  } finally {
    await file.close()
  }
}

/** A file that is one record, on however many lines; null when it is not. */
async function wholeObject(path: string): Promise<SwitchRecord | null> {
  const record = await readRecordFile(path)
  return 'call' in record ? record : null
}

async function ingestFolder(folder: string, ingesting: Ingest, calls: Calls): Promise<IngestCounts> {
  const paths = await recordFiles(folder)
  async function* batches(): AsyncIterable<Batch> {
    for (let start = 0; start < paths.length; start += AT_ONCE) {
      yield { records: await Promise.all(paths.slice(start, start + AT_ONCE).map(readRecordFile)), position: 0 }
    }
  }
  return storeAll(batches(), ingesting, calls)
}
