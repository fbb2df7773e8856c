import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError } from '../../core/errors.ts'
import type { Calls, Feed, IngestCounts } from '../../core/ports/calls.ts'
import type { SourceFormat } from '../../core/rating/completed-call.ts'
import { AT_ONCE, CHUNK, formatIn, HEAD, readRecordFile, recordFiles } from './files.ts'
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
  /** Called with each entry of a folder that is no file whose records can be told to be in the format. */
  readonly onPassedOver?: (path: string) => void
}

/** Stores every call of a file, a folder of files or a stream, once. Throws AppError. */
export async function ingest(source: string | Readable, ingesting: Ingest, calls: Calls): Promise<IngestCounts> {
  if (typeof source !== 'string') return ingestStream(source, ingesting, calls)
  const found = await stat(source).catch(() => null)
  if (!found) throw new AppError('not_found', `There is no file ${source}.`)
  if (found.isDirectory()) return ingestFolder(source, ingesting, calls)
  if (found.isFile() && found.size === 0) return noCounts
  const isTold = ingesting.format === 'auto' || (ingesting.format === 'freeswitch-json' && found.isFile())
  const told = isTold ? await formatOfFile(source) : null
  const format = ingesting.format === 'auto' ? (told ?? formatByName(source)) : ingesting.format
  if (!format) throw untold(source)
  if (format === 'freeswitch-json' && isTold && told !== format) {
    const whole = await readRecordFile(source)
    if ('call' in whole || formatByName(source))
      return storeAll([{ records: [whole], position: found.size }], ingesting, calls)
  }
  return ingestFile(source, format, ingesting, calls)
}

/** A file of that name is one record, on however many lines, unless its first lines are records themselves. */
const formatByName = (path: string): SourceFormat | null => (path.endsWith('.json') ? 'freeswitch-json' : null)

const ingestFile = (path: string, format: SourceFormat, ingesting: Ingest, calls: Calls): Promise<IngestCounts> =>
  storeAll(readBatches(createReadStream(path, { highWaterMark: CHUNK }), format, alone(calls)), ingesting, calls)

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

async function formatOfFile(path: string): Promise<SourceFormat | null> {
  const file = await open(path)
  try {
    return await formatIn(file)
  } finally {
    await file.close()
  }
}

/** Files of one JSON record each first, then the others, each by its first lines. */
async function ingestFolder(folder: string, ingesting: Ingest, calls: Calls): Promise<IngestCounts> {
  const { format, onProgress, onPassedOver } = ingesting
  const records = format === 'auto' || format === 'freeswitch-json' ? await recordFiles(folder) : []
  async function* batches(): AsyncIterable<Batch> {
    for (let start = 0; start < records.length; start += AT_ONCE) {
      yield { records: await Promise.all(records.slice(start, start + AT_ONCE).map(readRecordFile)), position: 0 }
    }
  }
  let counts = await storeAll(batches(), ingesting, calls)
  const taken = new Set(records)
  const others = (await readdir(folder)).map(name => join(folder, name)).filter(path => !taken.has(path))
  for (const path of others.sort()) {
    const found = await stat(path).catch(() => null)
    if (found?.isFile() && found.size === 0) continue
    const told = found?.isFile() ? await formatOfFile(path) : null
    if (!told || (format !== 'auto' && told !== format)) onPassedOver?.(path)
    else {
      const before = counts
      const shown: Ingest = { ...ingesting, onProgress: (sum, bytes) => onProgress?.(added(before, sum), bytes) }
      counts = added(before, await ingestFile(path, told, shown, calls))
    }
  }
  return counts
}
