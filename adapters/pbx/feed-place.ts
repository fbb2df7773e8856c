import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { type FileHandle, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FeedPlace } from '../../core/ports/calls.ts'
import { isMissing, openFile } from './files.ts'

/**
 * An open file of a feed, and how far its records are stored. It stays the same file when its path is given to
 * another.
 */
export interface Reading {
  readonly file: FileHandle
  readonly inode: string
  readonly born: bigint
  position: number
}

interface Generation {
  readonly path: string
  readonly inode: string
  /**
   * When the file was created, which no late line changes; when it was last written, if the file system does not tell.
   */
  readonly born: bigint
  readonly modified: bigint
}

const bornOf = ({ birthtimeNs, mtimeNs }: BigIntStats): bigint => birthtimeNs || mtimeNs

/** Identifies a file, even among later ones with the same inode. */
export const identityOf = ({ inode, born }: Pick<Generation, 'inode' | 'born'>): string => `${inode}:${born}`

const HEAD = 256
const COMPRESSED = /\.(gz|bz2|xz|zst)$/

/** Returns the offset, and what identifies the file: its inode, and the length and hash of its known beginning. */
export const placeOf = async ({ file, inode, position }: Reading): Promise<FeedPlace> => {
  const length = Math.min(position, HEAD)
  return { mark: `${inode}:${length}:${await headOf(file, length)}`, position }
}

function partsOf({ mark }: FeedPlace): { readonly inode: string; readonly length: number; readonly head: string } {
  const [inode = '', length = '0', head = ''] = mark.split(':')
  return { inode, length: Number(length), head }
}

/** True if the place is in the file with this inode; see {@link stillHolds}. */
export const isIn = (place: FeedPlace, { inode }: Pick<Generation, 'inode'>): boolean => partsOf(place).inode === inode

/**
 * True if the file still begins as it did when the place was stored. The inode alone is not enough: a new file may get
 * the inode of a deleted one, and a truncated file keeps its own.
 */
export async function stillHolds({ file }: Reading, place: FeedPlace): Promise<boolean> {
  const { length, head } = partsOf(place)
  const { size } = await file.stat()
  return size >= place.position && (await headOf(file, length)) === head
}

async function headOf(file: FileHandle, length: number): Promise<string> {
  if (length === 0) return ''
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position: 0 })
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex').slice(0, 32)
}

/** Returns null if there is no such file. Throws if it cannot be opened for another reason. */
async function openAt(path: string, position: number): Promise<Reading | null> {
  const file = await openFile(path).catch(nullIfMissing)
  if (!file) return null
  return closedUnless(file, async () => {
    const stats = await file.stat({ bigint: true })
    return { file, inode: String(stats.ino), born: bornOf(stats), position }
  })
}

/** Returns null if another file has its path by now. */
async function openGeneration({ path, inode }: Generation, position: number): Promise<Reading | null> {
  const reading = await openAt(path, position)
  if (reading?.inode === inode) return reading
  await reading?.file.close()
  return null
}

async function closedUnless<T>(file: FileHandle, goesWell: () => Promise<T>): Promise<T> {
  try {
    return await goesWell()
  } catch (error) {
    await file.close()
    throw error
  }
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null
  throw error
}

/**
 * Lists the files that were renamed from the path, oldest first, and the one at the path last. Files renamed during a
 * look may appear twice or not at all, so it repeats until two looks agree.
 */
async function generations(path: string): Promise<Generation[]> {
  for (let before = await look(path); ; ) {
    const now = await look(path)
    if (isSame(before, now)) return now.sort((a, b) => order(a, b, path))
    before = now
  }
}

const isSame = (a: readonly Generation[], b: readonly Generation[]): boolean => {
  const seen = new Map(a.map(each => [each.path, each.inode]))
  return a.length === b.length && b.every(each => seen.get(each.path) === each.inode)
}

function order(a: Generation, b: Generation, path: string): number {
  if (a.path === path || b.path === path) return a.path === path ? 1 : -1
  return Number(a.born - b.born || a.modified - b.modified)
}

async function look(path: string): Promise<Generation[]> {
  const name = basename(path)
  const isOne = (entry: string): boolean =>
    entry === name || ((entry.startsWith(`${name}.`) || entry.startsWith(`${name}-`)) && !COMPRESSED.test(entry))
  const entries = (await readdir(dirname(path)).catch(nullIfMissing)) ?? []
  const found = await Promise.all(
    entries.filter(isOne).map(async entry => {
      const there = entry === name ? path : join(dirname(path), entry)
      const stats = await stat(there, { bigint: true }).catch(nullIfMissing)
      return stats?.isFile()
        ? [{ path: there, inode: String(stats.ino), born: bornOf(stats), modified: stats.mtimeNs }]
        : []
    }),
  )
  return found.flat()
}

/**
 * Finds where to continue: in the file that was being read, whatever its name is now. If that is gone, reads every
 * remaining file from its beginning, since nothing tells which came later; known records are not stored again. A feed
 * without a place begins with the file at the path. Returns null if there is none, or it was just renamed.
 */
export async function resume(path: string, place: FeedPlace | null, onGone: () => void): Promise<Reading | null> {
  if (!place) return openAt(path, 0)
  const all = await generations(path)
  const former = all.find(file => isIn(place, file))
  if (former) {
    const reading = await openGeneration(former, place.position)
    if (!reading || (await closedUnless(reading.file, () => stillHolds(reading, place)))) return reading
    await reading.file.close()
  }
  const oldest = all[0] ? await openGeneration(all[0], 0) : null
  if (oldest) onGone()
  return oldest
}

/**
 * Returns the file that came after the one being read, once that has lost the path; null while it has it. Several
 * files may be created in one tick of the file system's clock: `taken` identifies those already read.
 */
export async function successor(path: string, reading: Reading, taken: ReadonlySet<string>): Promise<Reading | null> {
  const all = await generations(path)
  const current = all.find(each => each.path === path)
  if (current?.inode === reading.inode) return null
  const next = all.find(
    each =>
      each === current || (each.inode !== reading.inode && each.born >= reading.born && !taken.has(identityOf(each))),
  )
  return next ? openGeneration(next, 0) : null
}
