import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import Sqlite from 'better-sqlite3'
import type { Command } from 'commander'
import { resources } from '../../../core/resources/all.ts'
import { furnish, type Ran, type RunOptions, type Workplace, workplace } from '../../support/cli/cli.ts'
import { allCommands, examplesOf } from '../../support/cli/commands.ts'
import { aCall, aPhone, heldSwitch } from '../../support/cli/switches.ts'
import { type Refill, snapshotOf } from '../../support/data/content.ts'
import { asteriskRow } from '../../support/data/switch.ts'
import { type FakeGateway, startGateway } from '../../support/messaging/gateway.ts'
import { onCitus, onPostgres } from '../../support/storages.ts'

/** Clears the screen, sets its title, hides what follows, starts a new line and reverses the reading order. */
const HOSTILE = 'evil\x1b[2J\x1b]0;title\x07\x1b[8m\x9b31m\x08\x7f\x85\r\nforged\u202eabc\u2066'

const OWN_STYLES = /\x1b\[(?:1|2|22|31|32|33|36|39|40|49|97)m|\r\x1b\[K/g
const ACTS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/
const FORGED = /^forged/m

const all = await allCommands()

let place: Workplace
let gateway: FakeGateway
let refill: Refill
const here = process.cwd()
/** What the programs write themselves, and base decisions on. */
const OURS =
  /_at$|^(?:timezone|target_type|role|format|rules|fingerprint|mark|origin|action|resource|code|state|status_class|outcome|gateways|trunks|\w+_hash)$/
const JSON_TEXT = new Set([
  ...resources.flatMap(({ fields, kept }) =>
    Object.entries({ ...fields, ...kept }).flatMap(([name, { kind }]) => (kind === 'json' ? name : [])),
  ),
  'changes',
  'payload',
])
/** The texts by which the examples find records. */
const KEYS = /^(?:slug|extension_number|number|queue_number|prefix|mac|email|status|feed|input|inode)$|^(?:name)$/
const TABLES = /^(?:sqlite_|search_|server_keys|\w+_search)/

/** Appends the hostile text to stored data, in copies and in place, as a client of an API that accepts any text can. */
function poison(file: string): void {
  const db = new Sqlite(file)
  db.function('hostile', { deterministic: true }, (name, text) =>
    JSON_TEXT.has(String(name))
      ? JSON.stringify({ [HOSTILE]: { before: HOSTILE, after: HOSTILE } })
      : text === null
        ? HOSTILE
        : `${text}${HOSTILE}`,
  )
  const tables = db.prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables.filter(table => !TABLES.test(table.name))) {
    const columns = db
      .prepare<[string], { name: string; type: string; pk: number }>('SELECT name, type, pk FROM pragma_table_info(?)')
      .all(name)
    const free = columns.filter(column => column.type === 'TEXT' && !OURS.test(column.name)).map(column => column.name)
    if (free.length === 0) continue
    const copied = columns.filter(({ type, pk }) => !(pk === 1 && type === 'INTEGER')).map(column => column.name)
    const values = copied.map(column => (free.includes(column) ? `hostile('${column}', "${column}")` : `"${column}"`))
    const sets = free
      .filter(column => !KEYS.test(column))
      .map(column => `"${column}" = hostile('${column}', "${column}")`)
    db.exec(
      `INSERT OR IGNORE INTO ${name} (${copied.map(column => `"${column}"`).join()}) SELECT ${values} FROM ${name}`,
    )
    if (sets.length > 0) db.exec(`UPDATE OR IGNORE ${name} SET ${sets}`)
  }
  db.exec("INSERT INTO agents SELECT 2, 2, 2, 0; INSERT INTO routes SELECT 2, 2, 'queue', 2")
  db.close()
}

/** Whether the database is as prepared: what only reads leaves it so. */
let isFresh = false
async function renew(): Promise<void> {
  if (!isFresh) await refill(place.db)
  isFresh = true
}
const READS = / (?:list|show|export|check|doctor|status|explain|test)\b/

const SCREEN: RunOptions = { columns: 100, showsErrors: true }
/** A switch that got the same text from telephones and carriers. */
const SWITCH = heldSwitch({
  phones: [{ ...aPhone, agent: HOSTILE, address: HOSTILE }],
  calls: [{ ...aCall, from: HOSTILE, to: HOSTILE, trunk: HOSTILE }],
  findings: [{ code: 'odd', severity: 'warning', finding: HOSTILE, fix: HOSTILE }],
}).held
const STAYS: RunOptions = {
  wiring: given => ({ ...given, serve: async () => {}, switches: async () => [SWITCH] }),
}

/** Runs a command line and fails if its output acts on a terminal or imitates one of our lines. */
async function harmless(line: string, options: RunOptions): Promise<Ran> {
  isFresh &&= READS.test(line)
  const ran = await place.run(line, { ...STAYS, ...options })
  const isCsv = / --(?:output|format) csv\b| export\b/.test(line)
  for (const stream of ['stdout', 'stderr'] as const) {
    const printed = options.columns === undefined ? ran[stream] : ran[stream].replaceAll(OWN_STYLES, '')
    // CSV for programs is exact, and its cells may contain line breaks.
    if (isCsv && stream === 'stdout' && options.columns === undefined) continue
    assert.doesNotMatch(printed, ACTS, `${stream} of ${JSON.stringify(line)}: ${JSON.stringify(printed)}`)
    if (!isCsv || stream === 'stderr') assert.doesNotMatch(printed, FORGED, `${stream} of ${JSON.stringify(line)}`)
  }
  return ran
}

/** Another storage hands the same texts to all forms: one shows what it does with them. */
const FORMS: readonly [string, RunOptions][] = onPostgres
  ? [['', {}]]
  : [
      ['', SCREEN],
      ['', {}],
      ['--output csv', SCREEN],
      ['--output json', SCREEN],
      ['--output ndjson', {}],
    ]
const REJECTING = '--on-error continue --reject-file rejects.csv'
const IMPORTS = onPostgres ? [REJECTING] : ['', '--output json', '--mode upsert', REJECTING]

const given = (command: Command): string[] => [`'${HOSTILE}'`, ...(onPostgres ? [] : otherArguments(command))]
const otherArguments = (command: Command): string[] => [
  `'${HOSTILE}' '${HOSTILE}' '${HOSTILE}'`,
  `'--${HOSTILE}'`,
  ...command.options.flatMap(({ long, required }) => (long && required ? [`${long} '${HOSTILE}'`] : [])),
]

const skip = onCitus && 'a cluster takes no copy of a database'

describe('text from outside cannot control a terminal or forge a line', { skip }, () => {
  before(async () => {
    place = workplace()
    const file = place.path('furnished.db')
    const done: Workplace['done'] = (line, options) => place.done(line, { ...options, env: { TRUNKLINE_DB: file } })
    await furnish({ done })
    gateway = await startGateway()
    await done(`trunkline gateway update Jasmin --server-port ${gateway.port}`)
    await done('trunkline sms send --gateway Jasmin --to +380501234567 --from ACME --message Hello --quiet')
    await done('trunkline sms route set Jasmin --prefix 49 --quiet')
    await done('trunkline trunk route set carrier-one --prefix 49 --quiet')
    gateway.answerWith(500, JSON.stringify({ error: HOSTILE }))
    process.chdir(place.folder)
    writeFileSync('secret.txt', 'kW3-9fQm-Zt81\n')
    const quoted = HOSTILE.replaceAll(/[\r\n]/g, '')
    writeFileSync(
      'Master.csv',
      asteriskRow({ accountcode: quoted, from: quoted }) + asteriskRow({ to: quoted }) + quoted,
    )
    await place.run('trunkline cdr ingest Master.csv --format asterisk-csv --quiet', { env: { TRUNKLINE_DB: file } })
    await done('trunkline rate export --out rates.csv')
    await done('trunkline rate import rates.csv --tenant acme --mode replace --effective 2090-01-01 --yes --quiet')
    await done('trunkline cdr rerate --tenant acme --yes --quiet')
    poison(file)
    if (onPostgres) await done(`trunkline db copy --to ${place.db}`)
    refill = await snapshotOf(onPostgres ? place.db : file)
  })
  after(async () => {
    process.chdir(here)
    await gateway.close()
    place.remove()
  })

  for (const [path, command] of all) {
    it(`in what is printed by ${path}`, async () => {
      let printed = ''
      const examples = await examplesOf(place, path)
      const others = [
        ...(path.endsWith(' show') ? [`trunkline ${path} id:2`, `trunkline ${path} 2 --show-secrets`] : []),
        ...(path.endsWith(' export') ? [`trunkline ${path}`] : []),
      ]
      for (const line of [...examples, ...others])
        for (const [form, options] of FORMS) {
          await renew()
          const { stdout, stderr } = await harmless(`${line} ${form}`, options)
          printed += stdout + stderr
        }
      if (/ (?:list|show|export|check|doctor)$/.test(path) && !/^(?:config|session|db|gateway profile) /.test(path))
        assert.match(printed, /evil|forged/, 'nothing hostile was printed: this tests nothing')
      await renew()
      for (const words of given(command)) await harmless(`trunkline ${path} ${words}`, SCREEN)
    })
  }

  for (const path of all.map(([name]) => name).filter(name => name.endsWith(' import')))
    it(`in what ${path} reports of a file`, async () => {
      await renew()
      await place.done(`trunkline ${path.replace('import', 'export')} --out hostile.csv --force`)
      const [header = '', ...rows] = readFileSync('hostile.csv', 'utf8').split('\n')
      writeFileSync('unknown.csv', `${header},"${HOSTILE}"\n${rows.map(row => `${row},"${HOSTILE}"`).join('\n')}`)
      writeFileSync('broken.csv', `${header}\n${header.replaceAll(/[^,]+/g, `"${HOSTILE}"`)}\n`)
      writeFileSync('hostile.ndjson', `${JSON.stringify({ [HOSTILE]: HOSTILE })}\n${HOSTILE}\n`)
      for (const file of ['hostile.csv', 'unknown.csv', 'broken.csv', 'hostile.ndjson'])
        for (const form of IMPORTS) await harmless(`trunkline ${path} ${file} ${form}`, SCREEN)
    })
})
