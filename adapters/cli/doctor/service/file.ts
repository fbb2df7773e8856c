import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { quoted } from '../../command-line.ts'
import { megabytes } from '../../commands/service/service-commands.ts'
import type { Check } from '../check.ts'

const ROOM = 64e6

/** Checks who may read and write the database, and whether the disk has room. */
export const file: Check = {
  about: 'the database file',
  async *examine({ path }) {
    if (!existsSync(path)) return
    const folder = dirname(path)
    const { uid, size } = statSync(path)
    const open = withLog(path).filter(name => (statSync(name).mode & 0o077) !== 0)
    if (open.length > 0)
      yield {
        kind: 'file_readable',
        finding: `${open.join(' and ')} can be read by others`,
        fix: `chmod 600 ${open.map(quoted).join(' ')}`,
      }
    if (uid !== statSync(folder).uid)
      yield {
        kind: 'file_owner',
        finding: `${path} does not belong to the owner of its folder, so the daemon may be unable to write to it`,
        fix: `chown --reference=${quoted(folder)} ${withLog(path).map(quoted).join(' ')}`,
      }
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    if (free < size + ROOM)
      yield {
        kind: 'disk_full',
        finding: `${folder} has only ${megabytes(free)} left`,
        fix: `du -xh ${quoted(folder)}`,
      }
  },
}

/** Returns the file and those that SQLite keeps beside it, if they exist. */
const withLog = (path: string): string[] => [path, ...[`${path}-wal`, `${path}-shm`].filter(name => existsSync(name))]
