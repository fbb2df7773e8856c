/**
 * The minimum that these files cost in this table, in JavaScript: split lines at their commas, insert twenty per
 * statement, check nothing, look nothing up. `node --import tsx test/bench/bare-import.ts DATABASE rates|cdrs FILE`.
 */
import { readFileSync } from 'node:fs'
import { Sqlite } from '../../adapters/sqlite/database/driver.ts'
import { FULL_SIZE } from './dataset.ts'

type Bound = string | number

const NOW = '2026-01-01T00:00:00.000000Z'
const AT_ONCE = 20
const BATCH = 16_000

const number = (text: string | undefined): number => Number(text)

/** The number of tenant-7 is 8, and its extension 1003 is the 308th of all. */
const call = (cells: readonly string[]): Bound[] => {
  const tenant = number(cells[0]?.slice(7))
  const extension = (number(cells[1]) - 1000) * FULL_SIZE.tenants + tenant + 1
  const [seconds, billed, cost] = [number(cells[6]), number(cells[7]), Math.round(number(cells[8]) * 10_000)]
  return [tenant + 1, extension, ...cells.slice(2, 6), seconds, billed, cost, ...cells.slice(9), NOW, NOW]
}
const rate = ([prefix = '', ...rest]: readonly string[]): Bound[] => [
  ...[1, prefix, rest.slice(0, -1).join(), Math.round(number(rest.at(-1)) * 10_000)],
  ...[60, 'active', NOW, NOW],
]

const started = performance.now()
const [path = '', table = '', file = ''] = process.argv.slice(2)
const valuesOf = table === 'cdrs' ? call : rate
const db = new Sqlite(path)
for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'cache_size = -32768', 'wal_autocheckpoint = 16000'])
  db.pragma(setting)
const columns = db
  .prepare<[], string>(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'id'`)
  .pluck()
  .all()
const tuple = `(${columns.map(() => '?').join()})`
const inserting = (rows: number) =>
  db.prepare<Bound[][]>(
    `INSERT OR ROLLBACK INTO ${table} (${columns.join()}) VALUES ${Array.from({ length: rows }, () => tuple).join()}`,
  )
const [many, one] = [inserting(AT_ONCE), inserting(1)]
db.pragma('foreign_keys = OFF')
const lines = readFileSync(file, 'latin1').split('\n').slice(1, -1)
for (let start = 0; start < lines.length; start += BATCH)
  db.transaction(() => {
    const batch = lines.slice(start, start + BATCH).map(line => valuesOf(line.split(',')))
    for (let i = 0; i + AT_ONCE <= batch.length; i += AT_ONCE) many.run(batch.slice(i, i + AT_ONCE).flat())
    for (const values of batch.slice(batch.length - (batch.length % AT_ONCE))) one.run(values)
  })()
console.log((performance.now() - started) / 1000)
