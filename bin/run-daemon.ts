import { writeLines } from '../adapters/cli/streams.ts'
import type { Settings } from '../config/settings.ts'
import { startDaemon } from './daemon.ts'

/** Runs the daemon until SIGTERM or SIGINT; a second one ends it at once. Throws AppError when it cannot start. */
export async function runDaemon(settings: Settings, { force }: { readonly force: boolean }): Promise<void> {
  // Who reads that it listens may tell it to stop at once.
  const stopped = new Promise<void>(resolve => {
    process.once('SIGTERM', resolve)
    process.once('SIGINT', resolve)
  })
  const { TRUNKLINE_ADMIN_EMAIL: email, TRUNKLINE_ADMIN_PASSWORD: password } = process.env
  const print = (line: string): void => void writeLines(process, [line])
  const daemon = await startDaemon(settings, { first: { email, password }, force, print })
  await stopped
  const giveUp = (): void => process.exit(1)
  process.once('SIGTERM', giveUp)
  process.once('SIGINT', giveUp)
  await daemon.stop()
}
