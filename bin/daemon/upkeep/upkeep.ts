import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Settings } from '../../../config/settings.ts'
import { addSeconds, type Timestamp } from '../../../core/dates.ts'
import type { Dated } from '../../../core/ports/upkeep.ts'
import type { Trunkline } from '../../compose.ts'
import { keepBackups } from '../backups.ts'
import { followDecks } from './decks.ts'
import { noteSuspects } from './suspects.ts'
import { findUnread } from './unread-log.ts'

const SWEEP_MS = 10_000
const JOBS_MS = 1_000
const RETENTION_MS = 3_600_000
const SUSPECT_MS = 30_000
const UNREAD_MS = 3_600_000

/** The duty of `upkeep`. */
export const UPKEEP = 'upkeep'

const failureOf = (log: Logger, name: string) => (error: unknown) => log.error({ err: error }, `the ${name} failed`)

/** Returns what repeats an act until the signal aborts. */
const repeating =
  (log: Logger, signal: AbortSignal) =>
  async (everyMs: number, name: string, act: () => Promise<unknown>): Promise<void> => {
    while (!signal.aborted) {
      await act().catch(failureOf(log, name))
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

/** What every daemon does for itself until the signal aborts. */
export async function ownUpkeep({ signIn, tools }: Trunkline, log: Logger, signal: AbortSignal): Promise<void> {
  const repeat = repeating(log, signal)
  await Promise.all([
    repeat(SWEEP_MS, 'sweep of sessions', () => signIn.forgetExpired()),
    repeat(JOBS_MS, 'look for imports and exports', () => tools.jobs.look()),
  ])
}

/** Prepares for the calls of the coming months, or says why the setting cannot. */
async function prepareMonths({ storage, clock }: Trunkline, settings: Settings, log: Logger): Promise<void> {
  await storage.retention.prepareMonths(clock.now())
  if (settings.cdr_partitions !== 'month' || !storage.isShared) return
  if ((await storage.maintenance.callMonths(clock.now())) === null)
    log.warn(
      { command: 'trunkline db copy --to postgres://…' },
      'cdr_partitions has no effect, since the database was created without partitions; the command copies it to a new one',
    )
}

/** What one of the daemons of a database does until the signal aborts: search, sweeping, retention, backups, decks. */
export async function upkeep(
  trunkline: Trunkline,
  settings: Settings,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { storage, clock, onUnread, messaging, tools } = trunkline
  const repeat = repeating(log, signal)
  await Promise.all([
    storage.indexing.followWrites(signal, failureOf(log, 'search index')),
    repeat(SWEEP_MS, 'sweep of messages', () => messaging.sweep()),
    repeat(SWEEP_MS, 'sweep of failed logins', () => storage.loginCounts.forgetExpired()),
    repeat(RETENTION_MS, 'sweep of imports and exports', () => tools.jobs.sweep()),
    repeat(RETENTION_MS, 'preparation of months', () => prepareMonths(trunkline, settings, log)),
    repeat(RETENTION_MS, 'retention', () => forget(trunkline, settings, log, signal)),
    repeat(UNREAD_MS, 'look for values that no rule can read', () => findUnread(storage.records, onUnread, signal)),
    repeat(SUSPECT_MS, 'check the SMS gateways', noteSuspects(trunkline, log)),
    keepBackups(settings, { clock, log }, signal),
    followDecks({ decks: trunkline.decks, clock, log }, signal),
  ])
}

/** Deletes what has outlived its retention setting; 0 days means never. */
async function forget(
  { storage: { retention, decks }, clock }: Trunkline,
  { audit_days, response_days, cdr_days, deck_days }: Settings,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const after = async (days: number, what: string, act: (moment: Timestamp) => Promise<number>): Promise<void> => {
    if (days === 0) return
    const count = await act(addSeconds(clock.now(), -days * 86_400))
    if (count > 0) log.info({ count, days }, `forgot old ${what}`)
  }
  const deleting = (what: Dated) => (moment: Timestamp) => retention.deleteBefore(what, moment, signal)
  await after(audit_days, 'audit rows', deleting('audit'))
  await after(response_days, 'responses', moment => retention.clearResponsesBefore(moment, signal))
  await after(cdr_days, 'call records', deleting('cdrs'))
  await after(deck_days, 'decks', moment => decks.forget(moment, signal))
}

/** Tells systemd, if it waits for that, that the service is ready. */
export function tellReady(log: Logger): void {
  if (!process.env.NOTIFY_SOCKET) return
  const child = spawn('systemd-notify', ['--ready'], { stdio: 'ignore' })
  child.once('error', error => log.warn({ err: error }, 'systemd was not notified that the service is ready'))
}
