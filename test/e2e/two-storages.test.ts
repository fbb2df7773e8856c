import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { prefixes, priceOf } from '../bench/dataset.ts'
import { missing, unbuilt } from '../support/cli/cli.ts'
import { type DaemonProcess, startDaemon } from '../support/daemon.ts'
import { readerOf } from '../support/data/reader.ts'
import { asteriskRow, until } from '../support/data/switch.ts'
import { temporaryFolder } from '../support/http/app.ts'
import { newDatabase } from '../support/postgres/databases.ts'
import { run } from '../support/programs.ts'
import { README_URL, tour } from './tour.ts'

const RATES = 171_135
const { environment, commands, requests } = tour()
const [definition = '', ...lines] = commands

/** Every prefix there is, at a price of its own; 101 calls out, and some numbers are free of charge. */
const deck = (): string =>
  [
    'prefix,destination,cost_per_minute,billing_increment,status',
    ...prefixes(RATES).map(
      ([prefix, destination], n) =>
        `${prefix},"${destination.replaceAll('"', '""')}",${priceOf(prefix) / 10_000},${[1, 6, 60][n % 3]},active`,
    ),
    '',
  ].join('\n')

const CALLS = 3_000
const DIALLED = ['0044201234567', '0012125550123', '00380441234567', '0049301234567', '+33142345678', '112', '0999']

/** A month of calls as a switch writes them, some of nobody, some twice, some torn. */
function* calls(): Iterable<string> {
  for (let n = 0; n < CALLS; n++) {
    const day = String(1 + (n % 31)).padStart(2, '0')
    const start = `2026-10-${day} ${String(n % 24).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00`
    const [to = '', seconds] = [DIALLED[n % DIALLED.length], n % 5 === 0 ? 0 : (n * 37) % 900]
    const call = { id: `1700000000.${n}`, start, seconds, ...(n % 97 === 0 ? { accountcode: 'nobody' } : {}) }
    const row = asteriskRow(n % 11 === 0 ? { ...call, from: '+4930555', to: '101' } : { ...call, to })
    yield n % 301 === 0 ? row.replace('ANSWERED', 'MAYBE') : row
    if (n % 50 === 0) yield row
  }
}

/** What an operator asks for in the end. */
const ASKED = [
  ...['day', 'destination', 'extension', 'direction'].map(by => `report usage acme --month 2026-10 --by ${by}`),
  'report usage --all-tenants --month 2026-10 -o json',
  'report usage acme --month 2026-10 --by destination -o csv',
  'cdr list --no-color',
  'cdr export --format csv',
  'cdr export --format ndjson --tenant acme --since 2026-10-05 --until 2026-10-07',
  'cdr quarantine list -o csv',
  'cdr ratings 7',
  'rate export --format csv',
  'rate list --search Kyiv -o json',
  'rate check acme --month 2026-10 -o json',
  'rate quote acme 00442012345678 --seconds 61',
  'cdr rerate acme --dry-run -o json',
  'audit list -o json',
].map(line => `trunkline ${line}`)
const PATHS = ['cdrs', 'cdrs?search=0044201234567', 'rates?limit=1000', 'extensions', 'tenants']

interface Place {
  readonly name: string
  readonly db: string
  readonly folder: string
  readonly daemon: DaemonProcess
}

const folder = temporaryFolder()
after(folder.remove)

/** A daemon of the tour that follows a feed. */
async function placeOf(name: string, db: string): Promise<Place> {
  const own = join(folder.path, name)
  mkdirSync(own)
  for (const shared of ['dist', 'node_modules']) symlinkSync(resolve(shared), join(own, shared))
  const feeds = JSON.stringify([{ format: 'asterisk-csv', path: join(own, 'Master.csv'), every: 0.1 }])
  const daemon = await startDaemon({ ...environment, TRUNKLINE_DB: db, TRUNKLINE_FEEDS: feeds })
  return { name, db, folder: own, daemon }
}

/** What a line of a shell prints, in a folder that looks like the project's. */
async function shell({ db, folder: cwd, daemon }: Place, line: string): Promise<string> {
  const env = { TRUNKLINE_DB: db, TRUNKLINE_PORT: new URL(daemon.url).port }
  const text = `shopt -s expand_aliases\n${definition}\n${line.replaceAll(README_URL, daemon.url)}`
  const { code, stdout, stderr } = await run('bash', ['-c', text], { cwd, env })
  // Findings of a check end with 1.
  assert.ok(code <= 1, `${line} ended with ${code}: ${stderr}`)
  return `${code}\n${stdout}${stderr}`
}

const MOMENT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{6})?Z?/g
const SECRET = /^(secret +|.*"secret":")[\w-]{24}/m
/** What `status` says of the storage itself. */
const STORAGE = /^database .*\n(?:server .*\n)?/m

const BEGUN = new Date().toISOString().slice(0, 19)

/** A text without what differs from one run to the next on the same storage. */
const settled = (text: string, { db, folder: own, daemon }: Place): string =>
  text
    .replaceAll(daemon.url, '<url>')
    .replaceAll(db, '<db>')
    .replaceAll(own, '<folder>')
    .replaceAll(MOMENT, moment => (moment.replace(' ', 'T') >= BEGUN ? '<now>' : moment))
    .replace(SECRET, '$1<secret>')
    .replace(STORAGE, '')

/** Does all of it, and returns what was printed and answered, each under what was asked. */
async function story(place: Place): Promise<Map<string, string>> {
  const told = new Map<string, string>()
  const tell = async (line: string, asked = line): Promise<void> =>
    void told.set(asked, settled(await shell(place, line), place))
  for (const line of [...lines, ...requests]) await tell(line)
  await tell('trunkline rate delete 1 --yes')
  writeFileSync(join(place.folder, 'deck.csv'), deck())
  await tell('trunkline rate import deck.csv --tenant acme --quiet')
  let rows = ''
  for (const row of calls()) {
    rows += row
    if (rows.length < 20_000) continue
    appendFileSync(join(place.folder, 'Master.csv'), rows.slice(0, 15_001))
    rows = rows.slice(15_001)
  }
  appendFileSync(join(place.folder, 'Master.csv'), rows)
  const reader = await readerOf(place.db)
  const seen = async (): Promise<number> =>
    Number((await reader.rows('SELECT (SELECT count(*) FROM cdrs) + (SELECT count(*) FROM quarantine)'))[0]?.[0])
  await until('every call is stored or in quarantine', async () => (await seen()) === CALLS)
  await reader.close()
  for (const line of ASKED) await tell(line)
  for (const path of PATHS) await tell(`curl -s -b cookies ${README_URL}/api/${path}`)
  return told
}

describe('the tour of the README, a real deck, a followed feed and the report of its month', () => {
  const skip = unbuilt || missing('curl')
  it('give the same answers, byte for byte, on both storages', { skip, timeout: 400_000 }, async t => {
    const places = [
      await placeOf('sqlite', join(folder.path, 'trunkline.db')),
      await placeOf('postgres', await newDatabase()),
    ]
    t.after(() => Promise.all(places.map(({ daemon }) => daemon.stop('SIGKILL'))))
    const [onSqlite, onPostgres] = await Promise.all(places.map(story))
    assert.ok(onSqlite && onPostgres && onSqlite.size > 25)
    for (const [asked, answer] of onSqlite) assert.equal(onPostgres.get(asked), answer, asked)
  })
})
