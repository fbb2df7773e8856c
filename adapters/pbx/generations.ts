import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FeedPlace } from '../../core/ports/calls.ts'
import { isMissing } from './files.ts'

/** An open file of a feed, and how far its records are stored. It stays the same file when its path is given to another. */
export interface Reading {
  readonly file: FileHandle
  readonly inode: string
  position: number
}

interface Generation {
  readonly path: string
  readonly inode: string
  readonly modified: bigint
}

const HEAD = 256
const COMPRESSED = /\.(gz|bz2|xz|zst)$/

/** The offset stored with the file's name for it. */
export const placeOf = async ({ file, inode, position }: Reading): Promise<FeedPlace> => {
  const length = Math.min(position, HEAD)
  return { inode: `${inode}:${length}:${await headOf(file, length)}`, position }
}

/**
 * True when the file still begins as it did when the place was stored. An inode alone tells too little: it is given to
 * a new file as soon as the old one is gone, and a file that was emptied keeps its own.
 */
export async function stillHolds({ file }: Reading, { inode, position }: FeedPlace): Promise<boolean> {
  const [, length = '0', head = ''] = inode.split(':')
  const { size } = await file.stat()
  return size >= position && (await headOf(file, Number(length))) === head
}

async function headOf(file: FileHandle, length: number): Promise<string> {
  if (length === 0) return ''
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position: 0 })
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex').slice(0, 32)
}

/** Null when there is no such file. Throws what else keeps it from being opened. */
async function openAt(path: string, position: number): Promise<Reading | null> {
  try {
    const file = await open(path)
    const { ino } = await file.stat({ bigint: true })
    return { file, inode: String(ino), position }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** The files that were renamed from the path, the oldest first, and the one at the path as the last. */
async function generations(path: string): Promise<Generation[]> {
  const name = basename(path)
  const isOne = (entry: string): boolean =>
    entry === name || ((entry.startsWith(`${name}.`) || entry.startsWith(`${name}-`)) && !COMPRESSED.test(entry))
  const entries = (await readdir(dirname(path)).catch(() => [])).filter(isOne)
  const found = await Promise.all(
    entries.map(async entry => {
      const there = join(dirname(path), entry)
      const stats = await stat(there, { bigint: true }).catch(() => null)
      return stats?.isFile()
        ? [{ path: entry === name ? path : there, inode: String(stats.ino), modified: stats.mtimeNs }]
        : []
    }),
  )
  return found.flat().sort((a, b) => {
    if (a.path === path || b.path === path) return a.path === path ? 1 : -1
    return a.modified < b.modified ? -1 : 1
  })
}

/**
 * Where to go on: in the file that was being read, under whatever name it has now. When that one is gone, every file
 * that is left is read from its beginning, since nothing tells which of them came after; what is known is not stored
 * again. A feed without a place begins with the file at the path. Null when there is none.
 */
export async function resume(path: string, place: FeedPlace | null, onGone: () => void): Promise<Reading | null> {
  if (!place) return openAt(path, 0)
  const all = await generations(path)
  const [inode] = place.inode.split(':')
  const former = all.find(file => file.inode === inode)
  const reading = former ? await openAt(former.path, place.position) : null
  if (reading && (await stillHolds(reading, place))) return reading
  await reading?.file.close()
  const [oldest] = all
  if (oldest) onGone()
  return oldest ? openAt(oldest.path, 0) : null
}

/** The file that came after the one that is read, once that one has lost the path; null while it has it. */
export async function successor(path: string, { file, inode }: Reading): Promise<Reading | null> {
  const all = await generations(path)
  const at = all.findIndex(each => each.inode === inode)
  const { mtimeNs } = await file.stat({ bigint: true })
  const next = at === -1 ? all.find(each => each.path === path || each.modified > mtimeNs) : all[at + 1]
  return next ? openAt(next.path, 0) : null
}
