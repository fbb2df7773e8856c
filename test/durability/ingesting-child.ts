import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { follow } from '../../adapters/pbx/follow.ts'
import { ingest } from '../../adapters/pbx/ingest.ts'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import type { Calls, Feed } from '../../core/ports/calls.ts'

/**
 * Ingests a file's calls, or follows it until all are stored, and prints a line before and after each stored batch.
 * Ends with 0 when done.
 */
const [mode = '', database = '', path = ''] = process.argv.slice(2)
const storage = openStorage(database, { clock: systemClock() })
const feed: Feed = { name: path, rules: { timezone: 'UTC', contexts: {}, tenant: null } }
const calls: Calls = {
  ...storage.calls,
  store: async (...batch) => {
    process.stdout.write('begun\n')
    const counts = await storage.calls.store(...batch)
    process.stdout.write('stored\n')
    return counts
  },
}

async function followToTheEnd(): Promise<void> {
  const stopping = new AbortController()
  const onTrouble = (error: unknown): void => void process.stderr.write(`${String(error)}\n`)
  const following = { feed, path, format: 'asterisk-csv', every: 0.002, onTrouble } as const
  const { done } = follow(following, calls, stopping.signal)
  const isAtEnd = async (): Promise<boolean> => {
    const { ino, size } = statSync(path)
    const place = await storage.calls.place(path)
    return place?.position === size && place.mark.startsWith(`${ino}:`)
  }
  while (!(await isAtEnd())) await pause(2)
  stopping.abort()
  await done
}

if (mode === 'follow') await followToTheEnd()
else await ingest(path, { feed, format: 'asterisk-csv' }, calls)
await storage.close()
