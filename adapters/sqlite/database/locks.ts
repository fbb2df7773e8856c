import { existsSync, readFileSync, statSync } from 'node:fs'

const TABLE = '/proc/locks'
/** `1: POSIX  ADVISORY  WRITE 4711 08:01:131 1073741824 1073742335` */
const LINE = / (-?\d+) [\da-f]+:[\da-f]+:(\d+) /g

/** The processes that hold locks on a file, where the system says. */
function holders(path: string): number[] {
  const inode = statSync(path, { throwIfNoEntry: false })?.ino
  if (inode === undefined || !existsSync(TABLE)) return []
  const locks = readFileSync(TABLE, 'utf8').matchAll(LINE)
  return [...locks].flatMap(([, pid, locked]) => (Number(locked) === inode ? [Number(pid)] : []))
}

/** Whether any process holds a lock on the database or its shared memory; where the system cannot say, none does. */
export const isLocked = (path: string): boolean => [path, `${path}-shm`].some(file => holders(file).length > 0)

/** The process that holds a lock on a file; null where the system does not say. */
export const holderOf = (path: string): number | null => holders(path).find(pid => pid > 0) ?? null
