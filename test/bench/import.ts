/**
 * Prints what imports cost beside `sqlite3 .import` of the same file into a plain table, and beside a loop that puts it
 * into our table unchecked, in one run:
 * `node --import tsx test/bench/import.ts [CALLS]`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStorage } from '../../adapters/sqlite/storage.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import { formatAmount } from '../../core/amounts.ts'
import { dids } from '../../core/resources/dids.ts'
import { buildImportProgram } from '../support/cli/import-program.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { writeImportedCalls } from './call-files.ts'
import { FULL_SIZE, makeDataset, prefixes, priceOf } from './dataset.ts'

const CALLS = Number(process.argv[2] ?? 1_000_000)
const ROUNDS = 3
const { tenants: TENANTS, extensions: EXTENSIONS } = FULL_SIZE
const WRITE_EVERY_MS = 10

const folder = temporaryFolder()
const at = (name: string): string => join(folder.path, name)
const program = buildImportProgram(folder.path)
const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

interface Run {
  readonly seconds: number
  readonly peakMiB: number
}

function writeDeck(): number {
  const deck = prefixes(171_135)
  const rows = deck.map(([prefix, name]) => `${prefix},${quoted(name)},${formatAmount(priceOf(prefix))}\n`)
  writeFileSync(at('deck.csv'), `prefix,destination,cost_per_minute\n${rows.join('')}`)
  return deck.length
}

function byShell(file: string, columns: number): number {
  rmSync(at('plain.db'), { force: true })
  const names = Array.from({ length: columns }, (_, i) => `c${i}`).join()
  const start = performance.now()
  const args = [at('plain.db'), `CREATE TABLE t (${names})`, '.mode csv', `.import --skip 1 ${at(file)} t`]
  const { status, error } = spawnSync('sqlite3', args)
  if (status !== 0) throw error ?? new Error('sqlite3 failed')
  return (performance.now() - start) / 1000
}

/** See bare-import.ts; the seconds are its own, without its start. */
function byLoop(resource: string, file: string): number {
  freshDatabase()
  const script = 'test/bench/bare-import.ts'
  const args = ['--import', 'tsx', script, at('run.db'), resource, at(file)]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}

async function byImport(resource: string, file: string, ...flags: string[]): Promise<Run> {
  const start = performance.now()
  const child = spawn(process.execPath, [program, at('run.db'), resource, at(file), '0', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', chunk => {
    output += String(chunk)
  })
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`the import ended with ${child.exitCode}: ${output}`)
  return { seconds: (performance.now() - start) / 1000, peakMiB: Number(/peak (\d+)/.exec(output)?.[1]) / 1024 }
}

function freshDatabase(): void {
  for (const end of ['', '-wal', '-shm']) rmSync(at(`run.db${end}`), { force: true })
  copyFileSync(at('base.db'), at('run.db'))
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

async function compare(
  resource: string,
  name: string,
  rows: number,
  columns: number,
  ...flags: string[]
): Promise<void> {
  const [shell, loop, ours, peaks]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let round = 0; round < ROUNDS; round++) {
    shell.push(byShell(name, columns))
    loop.push(byLoop(resource, name))
    freshDatabase()
    const { seconds, peakMiB } = await byImport(resource, name, ...flags)
    ours.push(seconds)
    peaks.push(peakMiB)
  }
  const each = ours.map((seconds, i) => (seconds / (shell[i] ?? 1)).toFixed(1)).join(', ')
  console.log(`${name}: ${rows} rows, medians of ${ROUNDS} rounds`)
  console.log(`  sqlite3 .import ${median(shell).toFixed(2)} s, import ${median(ours).toFixed(2)} s`)
  console.log(`  a loop that checks nothing, into our table: ${median(loop).toFixed(2)} s`)
  console.log(
    `  ratio ${(median(ours) / median(shell)).toFixed(1)} (rounds: ${each}), peak ${Math.max(...peaks).toFixed(0)} MiB`,
  )
}

/** How long writes of another process take during an import of call records. */
async function besideWrites(): Promise<void> {
  freshDatabase()
  const storage = openStorage(at('run.db'), { clock: systemClock() })
  const following = new AbortController()
  const upkeep = storage.indexing.followWrites(following.signal, console.error)
  const waits: number[] = []
  let isOver = false
  const importing = byImport('cdrs', 'calls.csv').finally(() => {
    isOver = true
  })
  for (let i = 0; !isOver; i++) {
    const start = performance.now()
    await storage.records.insert(dids, {
      tenant_id: 1,
      number: `+${i}`,
      provider: 'p',
      description: null,
      status: 'active',
    })
    waits.push(performance.now() - start)
    await pause(WRITE_EVERY_MS)
  }
  const { seconds } = await importing
  following.abort()
  await upkeep
  await storage.close()
  const sorted = waits.sort((a, b) => a - b)
  const quantile = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  console.log(
    `beside ${sorted.length} writes of a process that also follows with its search index: ${seconds.toFixed(1)} s`,
  )
  console.log(`  its writes: median ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, longest ${quantile(0.9999)} ms`)
}

await makeDataset(at('base.db'), { tenants: TENANTS, extensions: EXTENSIONS, rates: 0, cdrs: 0 })
const rates = writeDeck()
await writeImportedCalls(at('calls.csv'), CALLS)
const constants = ['--tenant', 'tenant-1', '--set', 'billing_increment=60', '--set', 'status=active']
await compare('rates', 'deck.csv', rates, 3, ...constants)
await compare('cdrs', 'calls.csv', CALLS, 11)
await besideWrites()
folder.remove()
