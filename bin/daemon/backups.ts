import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { databaseFile } from '../../adapters/sqlite/storage.ts'
import type { Settings } from '../../config/settings.ts'
import { isServerAddress } from '../../core/database-address.ts'
import { addSeconds, type Timestamp } from '../../core/dates.ts'
import type { Clock } from '../../core/ports/system.ts'
import type { Located } from '../storage/database-place.ts'

const BETWEEN_LOOKS_MS = 30_000
/** A failed backup is retried after this time, or sooner if backups are more frequent. */
const RETRY_HOURS = 1

/** A copy of a database file, or a dump of a server's database. */
const NAME = /^trunkline-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.(?:db|dump)$/

/** Sorting by name sorts by time. */
const nameAt = (moment: Timestamp, ending = 'db'): string =>
  `trunkline-${moment.slice(0, 19).replaceAll(':', '-')}Z.${ending}`

const agoBy = (hours: number, now: Timestamp): Timestamp => addSeconds(now, -hours * 3600)

export type BackupPlan = Located & Pick<Settings, 'backup_dir' | 'backup_every' | 'backup_keep'>

/** The command line that belongs to the running program, compiled or not. */
function ownCommandLine(): readonly string[] {
  const running = realpathSync(process.argv[1] ?? '')
  return [process.execPath, ...process.execArgv, join(dirname(running), `trunkline${extname(running)}`)]
}

/** Lists the daemon's own backups in the folder, oldest first. */
export const backupsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter(name => NAME.test(name))
    .sort()

/** Returns when the newest one was begun, in seconds since 1970; 0 if there is none. */
export function lastBackupAt(folder: string): number {
  const newest = existsSync(folder) ? backupsIn(folder).at(-1) : undefined
  if (newest === undefined) return 0
  const [day, time = ''] = newest.replace(/^trunkline-|\.\w+$/g, '').split('T')
  return Date.parse(`${day}T${time.replaceAll('-', ':')}`) / 1000
}

interface Surroundings {
  readonly clock: Clock
  readonly log: Logger
  readonly commandLine?: () => readonly string[]
}

/** Makes a backup whenever the newest is too old, until the signal aborts. */
export async function keepBackups(plan: BackupPlan, around: Surroundings, signal: AbortSignal): Promise<void> {
  if (plan.backup_every === 0) return
  const retryMs = Math.min(RETRY_HOURS, plan.backup_every) * 3_600_000
  while (!signal.aborted) {
    const outcome = await backUpIfDue(plan, around, signal)
    const delay = outcome === 'failed' ? retryMs : BETWEEN_LOOKS_MS
    await pause(delay, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/**
 * Makes a backup with the command line, as its own process, and deletes the daemon's oldest ones beyond the number to
 * keep. Logs a failure, which leaves nothing behind.
 */
export async function backUpIfDue(
  plan: BackupPlan,
  { clock, log, commandLine = ownCommandLine }: Surroundings,
  signal: AbortSignal,
): Promise<'made' | 'not due' | 'failed'> {
  try {
    const now = clock.now()
    if (!isDue(plan, now)) return 'not due'
    const file = await backUp(plan, now, commandLine(), signal)
    log.info({ file, removed: removeOldest(plan) }, 'a backup was made')
    return 'made'
  } catch (error) {
    if (!signal.aborted) log.error({ err: error, folder: plan.backup_dir }, 'a backup failed')
    return 'failed'
  }
}

function isDue({ backup_dir: folder, backup_every: hours }: BackupPlan, now: Timestamp): boolean {
  databaseFile.makeFolder(folder)
  return (backupsIn(folder).at(-1) ?? '') <= nameAt(agoBy(hours, now))
}

async function backUp(
  { db, db_password_file: passwordFile, backup_dir: folder }: BackupPlan,
  now: Timestamp,
  [program = '', ...first]: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const file = join(folder, nameAt(now, isServerAddress(db) ? 'dump' : 'db'))
  const tidy = (): void => databaseFile.removeDrafts(folder, name => NAME.test(name))
  tidy()
  // Others can read arguments, and the address may contain a password.
  const password = passwordFile === null ? {} : { TRUNKLINE_DB_PASSWORD_FILE: passwordFile }
  const env = { ...process.env, TRUNKLINE_DB: db, ...password }
  const child = spawn(program, [...first, 'db', 'backup', file], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill, { once: true })
  try {
    const [[code], said] = await Promise.all([once(child, 'close'), text(child.stderr)])
    if (code !== 0) throw new Error(said.trim() || `The backup's process was killed.`)
    return file
  } finally {
    signal.removeEventListener('abort', kill)
    tidy()
  }
}

function removeOldest({ backup_dir: folder, backup_keep: keep }: BackupPlan): string[] {
  const surplus = backupsIn(folder).slice(0, -keep)
  for (const name of surplus) rmSync(join(folder, name), { force: true })
  return surplus
}
