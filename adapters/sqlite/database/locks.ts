import { existsSync, readFileSync, statSync } from 'node:fs'

const TABLE = '/proc/locks'
/** `1: POSIX  ADVISORY  WRITE 4711 08:01:131 1073741824 1073742335` */
const LINE = / (-?\d+) [\da-f]+:[\da-f]+:(\d+) /g

/** Returns the processes that hold locks on a file, if the system tells. */
function holders(path: string): number[] {
  const inode = statSync(path, { throwIfNoEntry: false })?.ino
  if (inode === undefined || !existsSync(TABLE)) return []
  const locks = readFileSync(TABLE, 'utf8').matchAll(LINE)
  return [...locks].flatMap(([, pid, locked]) => (Number(locked) === inode ? [Number(pid)] : []))
}

/** Returns whether any process holds a lock on the database or its shared memory; false if the system cannot tell. */
export const isLocked = (path: string): boolean => [path, `${path}-shm`].some(file => holders(file).length > 0)

/** Returns the process that holds a lock on a file; null if the system does not tell. */
export const holderOf = (path: string): number | null => holders(path).find(pid => pid > 0) ?? null
