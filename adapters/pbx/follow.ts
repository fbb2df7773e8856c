import { stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { SOURCE_FORMATS, type SourceFormat } from '../../core/calls/completed-call.ts'
import { AppError } from '../../core/errors.ts'
import type { Calls, Feed, FeedPlace, IngestCounts } from '../../core/ports/calls.ts'
import { identityOf, isIn, placeOf, type Reading, resume, stillHolds, successor } from './feed-place.ts'
import { CHUNK, FOLDER_FORMAT, formatIn } from './files.ts'
import { followFolder } from './follow-folder.ts'
import type { FollowTools } from './follow-tools.ts'
import { added, noCounts } from './ingest.ts'
import { readBatches } from './records.ts'

export interface Following {
  readonly feed: Feed
  readonly path: string
  readonly format: SourceFormat | 'auto'
  /** Seconds between checks of a file that has no more. */
  readonly every: number
  /** Called when the feed, or a file of its folder, cannot be read or stored; it is tried again. */
  readonly onTrouble: (error: unknown) => void
  /** True if files of a folder are removed once their records are stored. */
  readonly removes?: boolean
}

export interface FeedState {
  readonly name: string
  readonly counts: IngestCounts
  /** Bytes that exist but are not stored yet. */
  readonly lag: number
  /** True while it can be neither read nor stored; false while nothing is there yet. */
  readonly isFailing: boolean
}

export interface Follower {
  state(): FeedState
  /** Resolves when the feed has stopped after its signal. */
  readonly done: Promise<void>
}

const AFTER_TROUBLE_MS = 5_000

/**
 * Follows a file that a switch appends to, or a folder that it writes records to, until the signal aborts. Stores the
 * place with the records, so that a restart continues there. When a file is rotated by renaming, reads the rest of the
 * old one before the new one.
 */
export function follow(following: Following, calls: Calls, signal: AbortSignal): Follower {
  const { feed, path, format, every, onTrouble, removes = false } = following
  let counts = noCounts
  let lag = 0
  let wasMissing = false
  let isFailing = false
  const wait = (ms: number): Promise<void> => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const tools: FollowTools = {
    path,
    signal,
    onTrouble,
    removes,
    setMissing: isMissing => {
      if (isMissing && !wasMissing) onTrouble(new AppError('not_found', `There is nothing at ${path} yet.`))
      wasMissing = isMissing
      if (isMissing) isFailing = false
    },
    store: async (records, place) => {
      counts = added(counts, await calls.store(feed, records, place))
    },
    setLag: bytes => {
      lag = bytes
      isFailing = false
    },
    rest: () => wait(every * 1_000),
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const found = await stat(path).catch(() => null)
        if (found?.isDirectory() && format !== 'auto' && format !== FOLDER_FORMAT) throw isFolder(path, format)
        if (found?.isDirectory()) await followFolder(tools)
        else await followFile(tools, format, await calls.place(feed.name))
      } catch (error) {
        isFailing = true
        onTrouble(error)
        await wait(AFTER_TROUBLE_MS)
      }
    }
  }
  return { state: () => ({ name: feed.name, counts, lag, isFailing }), done: run() }
}

/** Continues from the place until the signal; returns if nothing is at the path yet. */
async function followFile(tools: FollowTools, format: Following['format'], start: FeedPlace | null): Promise<void> {
  const { path, signal, rest, onTrouble } = tools
  let reading = await resume(path, start, () => onTrouble(isGone(path, start)))
  tools.setMissing(reading === null)
  if (!reading) return rest()
  const drain = drainer(tools, format)
  const taken = new Set<string>()
  try {
    // Stores where to continue, in case the file is renamed before anything of it is stored.
    if (!start) await tools.store([], await placeOf(reading))
    while (!signal.aborted) {
      await drain(reading, false)
      let next = await successor(path, reading, taken)
      try {
        await rest()
        if (!next || signal.aborted) continue
        // A writer that opened the old file before the rename has now had time to end its line.
        await drain(reading, true)
        if (signal.aborted) continue
        taken.add(identityOf(reading))
        ;[reading, next] = [next, reading]
      } finally {
        await next?.file.close()
      }
    }
  } finally {
    await reading.file.close()
  }
}

const isFolder = (path: string, format: SourceFormat): AppError =>
  new AppError(
    'configuration',
    `${path} is a folder, but only ${FOLDER_FORMAT} can be read from a folder; name the file of ${format}.`,
  )

const isGone = (path: string, place: FeedPlace | null): AppError =>
  new AppError(
    'not_found',
    `The file of ${path} that was read up to byte ${place?.position} is gone; if it was moved before all of it was read, take it in with trunkline cdr ingest.`,
  )

/** Stores what is there; with `final`, also a last line without its end. */
function drainer({ signal, store, setLag }: FollowTools, configured: Following['format']) {
  let place: FeedPlace | null = null
  let lastFormat: SourceFormat | null = null

  return async (reading: Reading, final: boolean): Promise<void> => {
    if (!place || !isIn(place, reading)) place = reading.position > 0 ? await placeOf(reading) : null
    else if (!(await stillHolds(reading, place))) reading.position = 0
    const format =
      configured === 'auto'
        ? ((await formatIn(reading.file)) ?? (final ? (lastFormat ?? SOURCE_FORMATS[0]) : null))
        : configured
    lastFormat = format ?? lastFormat
    if (format) {
      const { position } = reading
      const isFinal = (): boolean => final && !signal.aborted
      for await (const batch of readBatches(chunksFrom(reading, signal), format, { position, isFinal })) {
        place = await placeOf({ ...reading, position: batch.position })
        await store(batch.records, place)
        reading.position = batch.position
        setLag(await behind(reading))
      }
    }
    setLag(await behind(reading))
  }
}

const behind = async ({ file, position }: Reading): Promise<number> => Math.max(0, (await file.stat()).size - position)

async function* chunksFrom({ file, position }: Reading, signal: AbortSignal): AsyncIterable<Uint8Array> {
  for (let at = position; !signal.aborted; ) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(CHUNK), position: at })
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
