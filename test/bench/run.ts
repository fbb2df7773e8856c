/**
 * Measures the built daemon beside baselines on the same data and prints one table.
 *
 *   npm run bench -- [ROW …] [--rounds 5] [--seconds 2] [--cdrs 1000000] [--program FILE] [--write]
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FULL_SIZE, makeDataset } from './dataset.ts'
import { whole } from './figures.ts'
import { generator } from './load.ts'
import { listAll } from './rows/list-all.ts'
import { login } from './rows/login.ts'
import { profile } from './rows/profile.ts'
import { commandLine, start } from './rows/programs.ts'
import { receipts } from './rows/receipts.ts'
import { getCdr, listPage, postCdr, search } from './rows/requests.ts'
import type { Bench, Row } from './rows/row.ts'
import { type Line, table, writeBetween } from './table.ts'

/** Those that write come last, so that the index does not follow new records while others are measured. */
const ROWS: readonly Row[] = [getCdr, listPage, listAll, search, login, commandLine, start, receipts, postCdr, profile]

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      cdrs: { type: 'string', default: String(FULL_SIZE.cdrs) },
      program: { type: 'string', default: 'dist/bin/trunklined.js' },
      write: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.filter(name => !ROWS.some(row => row.name === name))
  if (unknown.length > 0)
    throw new Error(`There is no row ${unknown.join()}; there are ${ROWS.map(({ name }) => name).join(', ')}.`)
  if (values.write && positionals.length > 0) throw new Error('--write takes the whole table: name no rows with it.')
  return { ...values, rows: ROWS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)) }
}

/** The data are made once and kept. */
async function dataset(cdrs: number): Promise<string> {
  const folder = join(tmpdir(), 'trunkline-bench')
  const path = join(folder, `${cdrs}.db`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  console.error(`making ${whole(cdrs)} CDRs …`)
  const draft = `${path}.${process.pid}`
  await makeDataset(draft, { ...FULL_SIZE, cdrs })
  renameSync(draft, path)
  return path
}

async function measure(rows: readonly Row[], bench: Bench): Promise<Line[]> {
  const lines: Line[] = []
  for (const row of rows) {
    console.error(`${row.name} …`)
    const found = await row.run(bench)
    console.error(table(found))
    lines.push(...found)
  }
  return lines
}

const given = readArguments()
const [cdrs, rounds, seconds] = [given.cdrs, given.rounds, given.seconds].map(Number)
if (!cdrs || !rounds || !seconds) throw new Error('--cdrs, --rounds and --seconds take numbers.')
const source = await dataset(cdrs)
const folder = mkdtempSync(join(tmpdir(), 'trunkline-bench-'))
try {
  const databases = { ours: join(folder, 'ours.db'), baseline: join(folder, 'baseline.db') }
  copyFileSync(source, databases.ours)
  copyFileSync(source, databases.baseline)
  const { program } = given
  const command = program.replace('trunklined', 'trunkline')
  const lines = await measure(given.rows, { program, commandLine: command, databases, cdrs, rounds, seconds, folder })
  const about = `${whole(cdrs)} CDRs, 100 tenants, 20,000 extensions, 171,135 rates; 50 connections by ${generator}, medians of ${rounds} rounds.`
  const text = `${about}\n\n${table(lines)}`
  console.log(text)
  if (given.write) writeBetween('BENCHMARKS.md', text)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
