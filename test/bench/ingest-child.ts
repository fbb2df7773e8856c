import { ingest } from '../../adapters/pbx/ingest.ts'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'

/** Ingests a file and prints, as JSON, how many calls it stored in what time, and its memory on the way. */
const [database = '', file = ''] = process.argv.slice(2)
const storage = openStorage(database, { clock: systemClock() })
const feed = { name: file, rules: { timezone: 'UTC', contexts: {}, tenant: null } }
const MIB = 1024 * 1024
const EVERY_CALLS = 100_000
const memory: number[] = []
const onProgress = ({ stored }: { stored: number }): void => {
  if (stored >= (memory.length + 1) * EVERY_CALLS) memory.push(Math.round(process.memoryUsage().rss / MIB))
}
process.stdout.write('ready\n')
const started = performance.now()
const { stored, unrated } = await ingest(file, { feed, format: 'auto', onProgress }, storage.calls)
const seconds = (performance.now() - started) / 1000
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
const peak = Math.round(maxRSS / 1024)
console.log(JSON.stringify({ stored, unrated, seconds, cpu: (userCPUTime + systemCPUTime) / 1e6, memory, peak }))
await storage.close()
