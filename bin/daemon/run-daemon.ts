import { fstatSync } from 'node:fs'
import { cli } from '../../adapters/cli/cli.ts'
import type { Settings } from '../../config/settings.ts'
import { startDaemon } from './daemon.ts'

/** True if the system's journal stores what is written to this descriptor. systemd names it by device and inode. */
function isJournal(descriptor: number): boolean {
  const { dev, ino } = fstatSync(descriptor)
  return process.env.JOURNAL_STREAM === `${dev}:${ino}`
}

/** Runs the daemon until SIGTERM or SIGINT; a second signal ends it at once. Throws AppError if it cannot start. */
export async function runDaemon(settings: Settings, { force }: { readonly force: boolean }): Promise<void> {
  // Whoever reads that it listens may stop it at once.
  const stopped = new Promise<void>(resolve => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  const { TRUNKLINE_ADMIN_EMAIL: email, TRUNKLINE_ADMIN_PASSWORD: password } = process.env
  // Neither child processes nor anyone inspecting this one need the password.
  delete process.env.TRUNKLINE_ADMIN_PASSWORD
  const print = (line: string): void => void cli.writeLines(process, [line])
  const first = { email, password, isPrintKept: isJournal(1) }
  const daemon = await startDaemon(settings, { first, force, print })
  await stopped
  const giveUp = (): void => process.exit(1)
  process.once('SIGTERM', giveUp)
  process.once('SIGINT', giveUp)
  await daemon.stop()
}
