/**
 * Measures the built daemon beside baselines on the same data and prints one table.
 *
 *   npm run bench -- [ROW …] [--rounds 5] [--seconds 2] [--cdrs 1000000] [--program FILE] [--write]
 *   npm run bench -- --storage postgres [ROW …]
 *   npm run bench -- --storage postgres --daemons 3 [ROW …]
 *   npm run bench -- --growth [ROW …] [--rounds 2] [--seconds 2] [--program FILE] [--write]
 *
 * The second measures the daemon on PostgreSQL beside the daemon on SQLite, with the same options; the third several
 * daemons on one PostgreSQL database beside one; the fourth the daemon alone, with a hundredth, the usual number and
 * ten times as many CDRs.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrations } from '../../adapters/sqlite/database/migrate.ts'
import { FULL_SIZE, makeDataset } from './dataset.ts'
import { whole } from './figures.ts'
import { generator } from './load.ts'
import { webConsole } from './rows/console.ts'
import { crowd } from './rows/crowd.ts'
import { listAll } from './rows/list-all.ts'
import { login } from './rows/login.ts'
import { partitions } from './rows/partitions.ts'
import { profile } from './rows/profile.ts'
import { commandLine, start } from './rows/programs.ts'
import { receipts } from './rows/receipts.ts'
import { getCdr, listPage, postCdr, search } from './rows/requests.ts'
import type { Bench, Beside, Row } from './rows/row.ts'
import { storages } from './rows/storages.ts'
import { telephoneSwitch } from './rows/switch.ts'
import { importCalls, ingestCalls } from './rows/transfers.ts'
import { copiedToPostgres } from './storages/kept-copy.ts'
import { growthTable, type Line, table, writeBetween } from './table.ts'

/** Rows that write come last, so that the index does not follow new records during other rows. */
const ROWS: readonly Row[] = [
  getCdr,
  listPage,
  listAll,
  crowd,
  webConsole,
  search,
  login,
  commandLine,
  start,
  receipts,
  postCdr,
  profile,
  telephoneSwitch,
  storages,
  partitions,
]

/** The rows that compare the storages. */
const BESIDE_SQLITE: readonly Row[] = [
  getCdr,
  listPage,
  listAll,
  search,
  commandLine,
  start,
  postCdr,
  ingestCalls,
  importCalls,
]

/** The rows that compare several daemons with one. */
const BESIDE_ONE: readonly Row[] = [getCdr, listPage, postCdr]

/** The rows that a growing number of CDRs could slow down. */
const GROWING: readonly Row[] = [getCdr, listPage, listAll, crowd, search, start, receipts, postCdr]
const SIZES = [10_000, FULL_SIZE.cdrs, 10_000_000]

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string', default: '2' },
      cdrs: { type: 'string', default: String(FULL_SIZE.cdrs) },
      program: { type: 'string', default: 'dist/bin/trunklined.js' },
      storage: { type: 'string', default: 'sqlite' },
      daemons: { type: 'string', default: '1' },
      growth: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  })
  if (!['sqlite', 'postgres'].includes(values.storage)) throw new Error('--storage takes sqlite or postgres.')
  const isOnPostgres = values.storage === 'postgres'
  const daemons = Number(values.daemons)
  if (!(Number.isInteger(daemons) && daemons > 0)) throw new Error('--daemons takes a number.')
  if (daemons > 1 && !isOnPostgres) throw new Error('--daemons needs --storage postgres.')
  if (isOnPostgres && (values.growth || values.write)) throw new Error('--growth and --write are for SQLite.')
  const all = values.growth ? GROWING : daemons > 1 ? BESIDE_ONE : isOnPostgres ? BESIDE_SQLITE : ROWS
  const unknown = positionals.filter(name => !all.some(row => row.name === name))
  if (unknown.length > 0)
    throw new Error(`There is no row ${unknown.join()}; there are ${all.map(({ name }) => name).join(', ')}.`)
  if (values.write && positionals.length > 0) throw new Error('--write takes the whole table: name no rows with it.')
  const [cdrs, rounds, seconds] = [values.cdrs, values.rounds ?? (values.growth ? 2 : 5), values.seconds].map(Number)
  if (!cdrs || !rounds || !seconds) throw new Error('--cdrs, --rounds and --seconds take numbers.')
  const rows = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const beside: Beside = daemons > 1 ? 'one daemon' : isOnPostgres ? 'sqlite' : 'bare program'
  return { ...values, isOnPostgres, daemons, beside, cdrs, rounds, seconds, rows }
}

/** The data is created once for each schema and kept. */
async function dataset(cdrs: number): Promise<string> {
  const folder = join(tmpdir(), 'trunkline-bench')
  const path = join(folder, `${cdrs}-schema-${migrations.length}.db`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  console.error(`making ${whole(cdrs)} CDRs …`)
  const draft = `${path}.${process.pid}`
  await makeDataset(draft, { ...FULL_SIZE, cdrs })
  renameSync(draft, path)
  return path
}

/** Runs the rows on copies of a dataset of that size. */
async function measure(cdrs: number, isCompared: boolean): Promise<Line[]> {
  const source = await dataset(cdrs)
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-bench-'))
  const { program, rounds, seconds, isOnPostgres, daemons } = given
  const commandLine = program.replace('trunklined', 'trunkline')
  const postgres = isOnPostgres ? await copiedToPostgres(source, commandLine) : null
  try {
    const file = join(folder, 'ours.db')
    const ours = postgres?.address ?? file
    const baseline = daemons > 1 ? ours : isCompared ? join(folder, 'baseline.db') : file
    for (const copy of new Set([file, baseline])) if (copy !== postgres?.address) copyFileSync(source, copy)
    const bench: Bench = {
      ...{ program, commandLine, cdrs, isCompared, rounds, seconds, folder, daemons },
      databases: { ours, baseline },
      beside: given.beside,
    }
    const lines: Line[] = []
    for (const row of given.rows) {
      console.error(`${row.name} …`)
      const found = await row.run(bench)
      console.error(isCompared ? shown(found) : growthTable([whole(cdrs)], [found]))
      lines.push(...found)
    }
    return lines
  } finally {
    await postgres?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const given = readArguments()

const HEADS: Readonly<Record<Beside, readonly [string, string]>> = {
  'bare program': ['baseline', 'Trunkline'],
  sqlite: ['SQLite', 'PostgreSQL'],
  'one daemon': ['one daemon', `${given.daemons} daemons`],
}

const shown = (lines: readonly Line[]): string => table(lines, HEADS[given.beside])

const data = '100 tenants, 20,000 extensions, 171,135 rates'
const how = `50 connections by ${generator}, medians of ${given.rounds} rounds.`

async function once(): Promise<string> {
  const lines = await measure(given.cdrs, true)
  return `${whole(given.cdrs)} CDRs, ${data}; ${how}\n\n${shown(lines)}`
}

async function growing(): Promise<string> {
  const found: Line[][] = []
  for (const size of SIZES) found.push(await measure(size, false))
  return `Beside the CDRs ${data}; ${how}\n\n${growthTable(SIZES.map(whole), found)}`
}

const text = given.growth ? await growing() : await once()
console.log(text)
if (given.write) writeBetween('BENCHMARKS.md', given.growth ? 'growth' : 'bench', text)
