import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { SourceFormat } from '../../core/calls/completed-call.ts'
import { AppError } from '../../core/errors.ts'
import type { Calls, Ingest, IngestCounts, SwitchRecord } from '../../core/ports/calls.ts'
import { ahead } from '../../core/transfer/input/ahead.ts'
import { areEnough, CHUNK, formatIn, HEAD, isUnreadable, readRecordFile } from './files.ts'
import { type Batch, formatOf, readBatches } from './records.ts'

export const noCounts: IngestCounts = { stored: 0, known: 0, quarantined: 0, legs: 0, unrated: 0 }

export const added = (a: IngestCounts, b: IngestCounts): IngestCounts => ({
  stored: a.stored + b.stored,
  known: a.known + b.known,
  quarantined: a.quarantined + b.quarantined,
  legs: a.legs + b.legs,
  unrated: a.unrated + b.unrated,
})

type Batches = AsyncIterable<Pick<Batch, 'records'>>

/** Stores every call of a file, a folder of files or a stream, once. Throws AppError. */
export async function ingest(source: string | Readable, ingesting: Ingest, calls: Calls): Promise<IngestCounts> {
  let counts = noCounts
  for await (const { records } of ahead(await batchesOf(source, ingesting, calls))) {
    counts = added(counts, await calls.store(ingesting.feed, records, null))
    ingesting.onProgress?.(counts)
  }
  return counts
}

async function batchesOf(source: string | Readable, ingesting: Ingest, calls: Calls): Promise<Batches> {
  if (typeof source !== 'string') return ofStream(source, ingesting, calls)
  const found = await stat(source).catch(() => null)
  if (!found) throw new AppError('not_found', `There is no file ${source}.`)
  if (found.isDirectory()) return ofFolder(source, ingesting, calls)
  return found.isFile() ? ofFile(source, ingesting, calls) : ofStream(createReadStream(source), ingesting, calls)
}

/** A file's contents: the one record that it is, unless empty, or a record per line in a format. */
type Contents = { readonly records: readonly SwitchRecord[] } | { readonly format: SourceFormat }

/**
 * Returns null if the entry is not a file, or not in that format. A file named `.json` is one record, on however many
 * lines, unless its first lines are records themselves.
 */
async function contentsOf(path: string, asked: Ingest['format']): Promise<Contents | null> {
  const found = await stat(path)
  if (!found.isFile()) return null
  if (found.size === 0) return { records: [] }
  const isNamedJson = path.endsWith('.json')
  const mayBeOne = asked === 'freeswitch-json' || (asked === 'auto' && isNamedJson)
  const whole = mayBeOne ? await readRecordFile(path) : null
  if (whole && 'call' in whole) return { records: [whole] }
  const detected = await formatOfFile(path)
  if (!detected) return whole && isNamedJson ? { records: [whole] } : null
  return asked === 'auto' || asked === detected ? { format: detected } : null
}

async function* ofFile(path: string, { format }: Ingest, calls: Calls): Batches {
  const contents = (await contentsOf(path, format)) ?? (format === 'auto' ? null : { format })
  if (!contents) throw untold(path)
  if ('format' in contents) yield* linesOf(path, contents.format, calls)
  else yield contents
}

async function* ofFolder(folder: string, { format, onPassedOver }: Ingest, calls: Calls): Batches {
  let waiting: SwitchRecord[] = []
  for (const name of (await readdir(folder)).sort()) {
    const path = join(folder, name)
    try {
      const contents = await contentsOf(path, format)
      if (!contents) onPassedOver?.(path, null)
      else if ('format' in contents) yield* linesOf(path, contents.format, calls)
      else waiting.push(...contents.records)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      onPassedOver?.(path, error.code ?? error.message)
    }
    if (!areEnough(waiting)) continue
    yield { records: waiting }
    waiting = []
  }
  if (waiting.length > 0) yield { records: waiting }
}

async function* ofStream(stream: Readable, ingesting: Ingest, calls: Calls): Batches {
  const chunks = stream[Symbol.asyncIterator]()
  const read = async (): Promise<Buffer | null> => {
    const next = await chunks.next()
    return next.done ? null : Buffer.from(next.value)
  }
  let head = Buffer.alloc(0)
  let format = ingesting.format === 'auto' ? null : ingesting.format
  // The first piece of a pipe may be part of a line.
  while (!format && head.length < HEAD) {
    const more = await read()
    if (!more) break
    head = Buffer.concat([head, more])
    format = formatOf(head.toString('utf8'))
  }
  if (!format && head.toString('utf8').trim() === '') return
  if (!format) throw untold(ingesting.feed.name === '-' ? 'standard input' : ingesting.feed.name)
  async function* all(): AsyncIterable<Uint8Array> {
    yield head
    for (let next = await read(); next; next = await read()) yield next
  }
  yield* readBatches(all(), format, alone(calls))
}

const linesOf = (path: string, format: SourceFormat, calls: Calls): Batches =>
  readBatches(createReadStream(path, { highWaterMark: CHUNK }), format, alone(calls))

const alone = (calls: Calls) => ({ size: () => calls.batchSize(), isFinal: () => true })

const untold = (name: string): AppError =>
  new AppError('malformed', `The format of ${name} cannot be recognised by its first lines; name the format.`)

async function formatOfFile(path: string): Promise<SourceFormat | null> {
  const file = await open(path)
  try {
    return await formatIn(file)
  } finally {
    await file.close()
  }
}
