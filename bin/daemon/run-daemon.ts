import { fstatSync } from 'node:fs'
import { writeLines } from '../../adapters/cli/terminal/streams.ts'
import type { Settings } from '../../config/settings.ts'
import { startDaemon } from './daemon.ts'

/** Is it the journal of the system that keeps what is written to this descriptor? systemd says so, by device and inode. */
function isJournal(descriptor: number): boolean {
  const { dev, ino } = fstatSync(descriptor)
  return process.env.JOURNAL_STREAM === `${dev}:${ino}`
}

/** Runs the daemon until SIGTERM or SIGINT; a second one ends it at once. Throws AppError when it cannot start. */
export async function runDaemon(settings: Settings, { force }: { readonly force: boolean }): Promise<void> {
  // Who reads that it listens may tell it to stop at once.
  const stopped = new Promise<void>(resolve => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  const { TRUNKLINE_ADMIN_EMAIL: email, TRUNKLINE_ADMIN_PASSWORD: password } = process.env
  // What this process starts, and what looks into it later, need not have it.
  delete process.env.TRUNKLINE_ADMIN_PASSWORD
  const print = (line: string): void => void writeLines(process, [line])
  const first = { email, password, isPrintKept: isJournal(1) }
  const daemon = await startDaemon(settings, { first, force, print })
  await stopped
  const giveUp = (): void => process.exit(1)
  process.once('SIGTERM', giveUp)
  process.once('SIGINT', giveUp)
  await daemon.stop()
}
