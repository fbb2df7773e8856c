import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Calls, Feed, IngestCounts } from '../../core/ports.ts'
import type { SourceFormat } from '../../core/rating/completed-call.ts'
import { added, noCounts, recordFiles } from './ingest.ts'
import { formatOf, readBatches, readRecord } from './records.ts'

export interface Following {
  readonly feed: Feed
  readonly path: string
  readonly format: SourceFormat | 'auto'
  /** Seconds between looks at a file that has no more. */
  readonly every: number
  /** Called when something keeps the feed from going on; it is tried again. */
  readonly onTrouble: (error: unknown) => void
}

export interface FeedState {
  readonly name: string
  readonly counts: IngestCounts
  /** Bytes that are there and not stored yet. */
  readonly lag: number
}

export interface Follower {
  state(): FeedState
  /** Resolves when the feed has stopped, after the signal that it was given. */
  readonly done: Promise<void>
}

const CHUNK = 256 * 1024
const AFTER_TROUBLE_MS = 5_000

/** An open file, and how far its records are stored. It stays the same file when its path is given to another. */
interface Reading {
  readonly file: FileHandle
  readonly inode: string
  position: number
}

/**
 * Follows a file that a switch appends to, or a folder that it leaves records in, until told to stop. The place is
 * stored with the records, so that a restart goes on where it was; rotation by renaming is followed through: what is
 * left in the old file is read before the new one.
 */
export function follow(following: Following, calls: Calls, signal: AbortSignal): Follower {
  const { feed, path, every, onTrouble } = following
  let counts = noCounts
  let lag = 0
  const rest = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined)

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const found = await stat(path).catch(() => null)
        if (found?.isDirectory()) await followFolder()
        else await followFile()
      } catch (error) {
        onTrouble(error)
        await rest(AFTER_TROUBLE_MS)
      }
    }
  }

  const followFolder = async (): Promise<void> => {
    const seen = new Set<string>()
    while (!signal.aborted) {
      for (const file of await recordFiles(path)) {
        if (seen.has(file)) continue
        const { size, mtimeMs } = await stat(file)
        // A record that is being written right now is whole at the next look.
        if (size === 0 || Date.now() - mtimeMs < 1_000) continue
        counts = added(
          counts,
          await calls.store(feed, [readRecord('freeswitch-json', await readFile(file, 'utf8'))], null),
        )
        seen.add(file)
      }
      await rest(every * 1_000)
    }
  }

  const followFile = async (): Promise<void> => {
    let reading = await resume(path, await calls.place(feed.name))
    if (!reading) return void (await rest(every * 1_000))
    try {
      while (!signal.aborted) {
        await drain(reading, false)
        const next = await successor(path, reading)
        if (next) {
          await drain(reading, true)
          await reading.file.close()
          reading = next
          continue
        }
        const { size } = await reading.file.stat()
        if (size < reading.position) reading.position = 0
        await rest(every * 1_000)
      }
    } finally {
      await reading.file.close()
    }
  }

  /** Stores what is there; with `final`, a last line without its end too. */
  const drain = async (reading: Reading, final: boolean): Promise<void> => {
    const format = following.format === 'auto' ? await formatIn(reading) : following.format
    if (!format) return
    const chunks = chunksFrom(reading, signal)
    for await (const { records, position } of readBatches(chunks, format, { position: reading.position, final })) {
      counts = added(counts, await calls.store(feed, records, { inode: reading.inode, position }))
      reading.position = position
      lag = Math.max(0, (await reading.file.stat()).size - position)
    }
  }

  return { state: () => ({ name: feed.name, counts, lag }), done: run() }
}

async function* chunksFrom({ file, position }: Reading, signal: AbortSignal): AsyncIterable<Uint8Array> {
  for (let at = position; !signal.aborted; ) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.allocUnsafe(CHUNK), position: at })
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function formatIn({ file }: Reading): Promise<SourceFormat | null> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64 * 1024), position: 0 })
  return formatOf(buffer.toString('utf8', 0, bytesRead))
}

async function openReading(path: string, position: number): Promise<Reading | null> {
  const file = await open(path).catch(() => null)
  if (!file) return null
  const { ino } = await file.stat({ bigint: true })
  return { file, inode: String(ino), position }
}

/** The file at the path and those that were renamed from it, the oldest first. */
async function generations(path: string): Promise<{ path: string; inode: string; mtime: bigint }[]> {
  const name = basename(path)
  const siblings = (await readdir(dirname(path)).catch(() => [])).filter(
    entry =>
      (entry === name || entry.startsWith(`${name}.`) || entry.startsWith(`${name}-`)) &&
      !/\.(gz|bz2|xz|zst)$/.test(entry),
  )
  const found = await Promise.all(
    siblings.map(async entry => {
      const there = await stat(join(dirname(path), entry), { bigint: true }).catch(() => null)
      return there?.isFile()
        ? [{ path: join(dirname(path), entry), inode: String(there.ino), mtime: there.mtimeMs }]
        : []
    }),
  )
  return found.flat().sort((a, b) => (a.path === path ? 1 : b.path === path ? -1 : Number(a.mtime - b.mtime)))
}

/** Where to go on: in the file that was being read, under whatever name it has now; else at the path's beginning. */
async function resume(path: string, place: { inode: string; position: number } | null): Promise<Reading | null> {
  if (!place) return openReading(path, 0)
  const former = (await generations(path)).find(({ inode }) => inode === place.inode)
  if (!former) return openReading(path, 0)
  const reading = await openReading(former.path, place.position)
  if (reading && (await reading.file.stat()).size < place.position) reading.position = 0
  return reading
}

/** The file that came after the one that is read, once that one has lost the path; null while it has it. */
async function successor(path: string, { inode }: Reading): Promise<Reading | null> {
  const all = await generations(path)
  const at = all.findIndex(file => file.inode === inode)
  const next = at === -1 ? all.at(-1) : all[at + 1]
  return next && next.inode !== inode ? openReading(next.path, 0) : null
}
