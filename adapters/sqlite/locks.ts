import { existsSync, readFileSync, statSync } from 'node:fs'

const TABLE = '/proc/locks'

/** Whether any process holds a lock on the database or its shared memory; where the system cannot say, none does. */
export function isLocked(path: string): boolean {
  if (!existsSync(TABLE)) return false
  const inodes = [path, `${path}-shm`].map(file => statSync(file, { throwIfNoEntry: false })?.ino)
  const locked = readFileSync(TABLE, 'utf8').matchAll(/ [\da-f]+:[\da-f]+:(\d+) /g)
  return [...locked].some(([, inode]) => inodes.includes(Number(inode)))
}
