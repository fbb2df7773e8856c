/**
 * Prints what ingesting completed calls costs: calls a second, memory, the effect on others using the database, and
 * the time of the usage report afterwards. `node --import tsx test/bench/ingest.ts [calls]`, a million by default.
 */
import { once } from 'node:events'
import { copyFileSync, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Sqlite } from '../../adapters/sqlite/database/driver.ts'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { USAGE_GROUPS } from '../../core/ports/calls.ts'
import { daysOfMonth } from '../../core/rating/period.ts'
import { startChild } from '../support/child.ts'
import { asteriskRow } from '../support/data/switch.ts'
import { startService, temporaryFolder } from '../support/http/app.ts'
import { makeDataset, prefixes, seeded } from './dataset.ts'

const CALLS = Number(process.argv[2] ?? 1_000_000)
const RATES = 171_135
const EXTENSIONS = 200
const BARE = Math.min(CALLS, 200_000)
const BATCH = 2_000
const MONTH = 30 * 86_400
const CHILD = fileURLToPath(new URL('ingest-child.ts', import.meta.url))

const { path: folder, remove } = temporaryFolder()
const database = join(folder, 'bench.db')
const file = join(folder, 'Master.csv')

async function writeCalls(): Promise<void> {
  const random = seeded(7)
  const deck = prefixes(RATES)
  const out = createWriteStream(file)
  for (let n = 0; n < CALLS; n++) {
    const start = new Date(Date.UTC(2026, 9, 1) + Math.floor((n * MONTH) / CALLS) * 1000)
    const row = asteriskRow({
      id: `${1_760_000_000 + n}.${n}`,
      accountcode: 'tenant-0',
      from: String(1000 + random(EXTENSIONS)),
      to: `00${deck[random(deck.length)]?.[0] ?? '380'}${1_000_000 + random(9_000_000)}`,
      start: start.toISOString().slice(0, 19).replace('T', ' '),
      seconds: random(5) < 3 ? 1 + random(600) : 0,
    })
    if (!out.write(row)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}

/** The same columns inserted into the same two tables and nothing else, one statement a row, equally durable. */
function bareInserts(): number {
  const path = join(folder, 'bare.db')
  copyFileSync(database, path)
  const db = new Sqlite(path)
  db.pragma('synchronous = FULL')
  db.pragma('foreign_keys = ON')
  const call = db.prepare(
    `INSERT INTO cdrs (tenant_id, extension_id, caller_number, destination_number, direction, disposition,
       duration_seconds, bill_seconds, cost, started_at, ended_at, created_at, updated_at)
     VALUES (1, ?, '1000', ?, 'outbound', 'ANSWERED', 61, 66, 246, ?, ?, ?, ?)`,
  )
  const rating = db.prepare(`INSERT INTO cdr_ratings VALUES (?, 'asterisk', ?, 'rated', 1, '380', 246, 6, NULL)`)
  const random = seeded(7)
  const started = performance.now()
  for (let n = 0; n < BARE; n += BATCH)
    db.transaction(() => {
      for (let i = n; i < Math.min(BARE, n + BATCH); i++) {
        const at = new Date(Date.UTC(2026, 9, 1) + i * 2600).toISOString()
        const moment = `${at.slice(0, 19)}.000000Z`
        const number = `00380${1_000_000 + random(9_000_000)}`
        const { lastInsertRowid } = call.run(1 + random(EXTENSIONS), number, moment, moment, moment, moment)
        rating.run(lastInsertRowid, `${1_760_000_000 + i}.${i}/7`)
      }
    }).immediate()
  const rate = BARE / ((performance.now() - started) / 1000)
  db.close()
  return rate
}

/** Repeats some work with pauses until stopped; returns the times in milliseconds. */
function repeatedly(work: () => Promise<unknown>, everyMs: number, signal: AbortSignal): Promise<number[]> {
  const run = async (): Promise<number[]> => {
    const times: number[] = []
    while (!signal.aborted) {
      const started = performance.now()
      await work()
      times.push(performance.now() - started)
      await pause(everyMs)
    }
    return times
  }
  return run()
}

const spread = (times: readonly number[]): string => {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1)
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms (${times.length})`
}

/** The times of small writes and of requests, from a daemon on the same database, until the signal. */
async function others(signal: AbortSignal) {
  const service = await startService({ db: database })
  const session = await service.login()
  const [writes, reads] = await Promise.all([
    repeatedly(() => service.trunkline.storage.heartbeat.beat(), 10, signal),
    repeatedly(() => service.request('GET', '/api/rates/77', { session }), 5, signal),
  ])
  await service.close()
  return { writes, reads }
}

async function takeIn() {
  const child = startChild(CHILD, [database, file])
  await child.printed(1)
  const over = new AbortController()
  const measured = others(over.signal)
  await child.ended()
  over.abort()
  const figures: { stored: number; seconds: number; cpu: number; memory: number[]; peak: number } = JSON.parse(
    child.lines[1] ?? '{}',
  )
  return { ...figures, ...(await measured) }
}

async function reportTimes(): Promise<string[]> {
  const storage = openStorage(database, { clock: systemClock() })
  const days = daysOfMonth('2026-10', 'Europe/Kyiv')
  const lines: string[] = []
  for (const by of [null, ...USAGE_GROUPS]) {
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const started = performance.now()
      await storage.calls.usage(1, days, by)
      times.push(performance.now() - started)
    }
    lines.push(`  by ${by ?? 'nothing'}: ${times.map(time => time.toFixed(0)).join(', ')} ms`)
  }
  await storage.close()
  return lines
}

try {
  await makeDataset(database, { tenants: 1, extensions: EXTENSIONS, rates: RATES, cdrs: 0 })
  await writeCalls()
  const bare = bareInserts()
  const { stored, seconds, cpu, memory, peak, writes, reads } = await takeIn()
  const rate = stored / seconds
  console.log(`calls: ${stored}, rates: ${RATES}`)
  console.log(`bare inserts of such rows: ${Math.round(bare)}/s`)
  console.log(
    `ingest: ${Math.round(rate)} calls/s (${(rate / bare).toFixed(2)} of the bare inserts; ${cpu.toFixed(1)} s of processor time)`,
  )
  console.log(`memory: peak ${peak} MiB; at each 100,000 calls: ${memory.join(', ')} MiB`)
  console.log(`small writes of another process meanwhile: ${spread(writes)}`)
  console.log(`requests to a daemon meanwhile: ${spread(reads)}`)
  console.log(['usage report of these calls:', ...(await reportTimes())].join('\n'))
} finally {
  remove()
}
