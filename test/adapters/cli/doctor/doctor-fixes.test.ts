import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  callIds,
  furnish,
  runShell,
  spawnProgram,
  unbuilt,
  type Workplace,
  wordsOf,
  workplace,
} from '../../../support/cli/cli.ts'
import { type Refill, snapshotOf } from '../../../support/data/content.ts'
import { readerOf } from '../../../support/data/reader.ts'
import { until } from '../../../support/data/switch.ts'
import { AROUND_THEM } from '../../../support/doctor/around-them.ts'
import { IN_RECORDS } from '../../../support/doctor/in-records.ts'
import { OF_MESSAGES } from '../../../support/doctor/of-messages.ts'
import { sql, type Trouble } from '../../../support/doctor/trouble.ts'
import { databaseAt, onPostgres } from '../../../support/storages.ts'

type Content = ReadonlyMap<string, Record<string, unknown>>

/** Tables of audit entries and of what is derived from others. */
const DERIVED =
  /^sqlite_|_search|^search_|^(?:audit|heartbeat|catalog_revisions|call_revisions|switch_changes|did_numbers)$/
const TABLES = onPostgres
  ? `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
  : `SELECT name FROM sqlite_schema WHERE type = 'table'`

/** Every row of every other table. */
async function contentAt(db: string): Promise<Content> {
  const reader = await readerOf(db)
  const content = new Map<string, Record<string, unknown>>()
  for (const table of (await reader.rows(TABLES)).map(String).filter(name => !DERIVED.test(name)))
    for (const { updated_at: _, ...row } of await reader.records(`SELECT * FROM ${table}`))
      content.set(`${table} ${row.id ?? JSON.stringify(row)}`, row)
  await reader.close()
  return content
}

/** The differences between two contents: a line for each changed value and each added or removed record. */
function differences(before: Content, after: Content): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap(record => {
    const [was, is] = [before.get(record), after.get(record)]
    if (!was || !is) return [`${record} ${was ? 'went' : 'came'}`]
    return Object.keys(is).flatMap(name =>
      String(was[name]) === String(is[name]) ? [] : [`${record} ${name}: ${was[name]} → ${is[name]}`],
    )
  })
}

const ALL: readonly Trouble[] = [...IN_RECORDS, ...AROUND_THEM, ...OF_MESSAGES]
const TROUBLES = ALL.filter(({ isOfFiles = false }) => !(isOfFiles && onPostgres))

/** Kinds that only a system in that state shows, and those of daemons, which have separate tests below. */
const ELSEWHERE = [
  'db_password_shown',
  'setting_unused',
  // See call-months.test.ts.
  'not_partitioned',
  'partition_missing',
  'default_partition',
  'disk_full',
  'log_size',
  'file_owner',
  'daemon_down',
  'daemon_elsewhere',
  'daemon_address',
  // Asterisk makes the file; see doctor.test.ts.
  'feed_awaited',
  // The daemon says so; see switch-check.test.ts.
  'feed_failing',
  'deck_due',
  'unopened',
  // See server.test.ts.
  'connections',
  'lock_wait',
  'replica_lag',
  'replica_away',
  'dead_rows',
  'index_bloat',
  // See switch-check.test.ts.
  'slug_unfit',
  'domain_unfit',
  'domain_case',
  'limit_unreadable',
  'number_unfit',
  'hides_emergency',
  'no_secret',
  'did_of_two_tenants',
  'no_switch',
]

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

let furnished: Workplace
let call: number | undefined
let refill: Refill
before(async () => {
  furnished = workplace()
  await furnish(furnished)
  ;[call] = await callIds(furnished)
  refill = await snapshotOf(furnished.db)
})
after(() => furnished.remove())

async function withTrouble(
  trouble: Pick<Trouble, 'make' | 'env'>,
  check: (place: Workplace, env: Record<string, string>) => Promise<void>,
) {
  const place = workplace()
  try {
    await place.ready
    await refill(place.db)
    await trouble.make(place)
    await check(place, { ...place.env, ...trouble.env?.(place) })
  } finally {
    place.remove()
  }
}

async function fixesOf(kind: string, place: Workplace, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await place.run('trunkline doctor --output json', { env })
  const found: { kind: string; fix: string }[] = JSON.parse(stdout)
  return found.filter(each => each.kind === kind).map(({ fix }) => fix)
}

/** What `export NAME=VALUE` sets. */
function exportedBy(line: string): Record<string, string> {
  const [, name, value] = /^export (\w+)=(.*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? {} : { [name]: wordsOf(value).join(' ') }
}

describe('the command that doctor prints fixes, and changes nothing else:', { skip: unbuilt, timeout: 300_000 }, () => {
  for (const trouble of TROUBLES)
    it(trouble.title, () =>
      withTrouble(trouble, async (place, env) => {
        const [fix = '', ...others] = await fixesOf(trouble.kind, place, env)
        assert.deepEqual([fix === '', others], [false, []])
        const before = await contentAt(place.db)
        const isAsked = / (?:delete|remove|restore) /.test(fix)
        const { code, stderr } = await runShell(
          { ...place, env },
          `${fix}${trouble.added ?? ''}${isAsked ? ' --yes' : ''}`,
        )
        if (trouble.shows) assert.ok(code < 64, `${fix} ended with ${code}: ${stderr}`)
        else {
          assert.equal(code, 0, `${fix}: ${stderr}`)
          assert.deepEqual(await fixesOf(trouble.kind, place, { ...env, ...exportedBy(fix) }), [])
        }
        const changes = trouble.changes.map(change => change.replace(/^cdrs 1 /, `cdrs ${call} `))
        assert.deepEqual(differences(before, await contentAt(place.db)), changes)
      }),
    )

  const withDaemon = async (
    place: Workplace,
    words: readonly string[],
    env: Record<string, string>,
    check: () => Promise<void>,
  ) => {
    const daemon = spawnProgram(place, words, { env, stdio: ['ignore', 'pipe', 'ignore'] })
    try {
      await once(daemon.stdout ?? daemon, 'data')
      await check()
    } finally {
      daemon.kill('SIGTERM')
      if (daemon.exitCode === null) await once(daemon, 'close')
    }
  }

  it('a daemon that is down', () =>
    withTrouble({ make: () => {} }, async place => {
      const env = { ...place.env, TRUNKLINE_PORT: String(await freePort()) }
      const [fix = ''] = await fixesOf('daemon_down', place, env)
      const before = await contentAt(place.db)
      const [program, ...words] = wordsOf(fix)
      assert.equal(program, 'trunkline')
      await withDaemon(place, words, env, async () => assert.deepEqual(await fixesOf('daemon_down', place, env), []))
      assert.deepEqual(differences(before, await contentAt(place.db)), [])
    }))

  describe('a deck that is due and not in force', () => {
    const due = (price: number) =>
      sql(
        `INSERT INTO decks (id, tenant_id, effective_at, state, file, rates, created_at)
          SELECT 9, id, '2026-02-01T00:00:00.000000Z', 'pending', 'new.csv', 1, '2026-01-01T00:00:00.000000Z'
          FROM tenants LIMIT 1`,
        `INSERT INTO deck_rates (deck_id, seq, prefix, destination, cost_per_minute, billing_increment, status)
          VALUES (9, 1, '44', 'UK', ${price}, 1, 'active')`,
      )

    it('since no daemon runs: starting one puts it in force', () =>
      withTrouble({ make: due(1) }, async place => {
        const env = { ...place.env, TRUNKLINE_PORT: String(await freePort()) }
        const [fix = ''] = await fixesOf('deck_due', place, env)
        const stateOf = async () => (await contentAt(place.db)).get('decks 9')?.state
        assert.equal(await stateOf(), 'pending')
        await withDaemon(place, wordsOf(fix).slice(1), env, () =>
          until('it is', async () => (await stateOf()) === 'in force'),
        )
        assert.deepEqual(await fixesOf('deck_due', place, env), [])
      }))

    it('though a daemon runs that fails to: the list of decks', () =>
      // No rate may cost less than nothing.
      withTrouble({ make: due(-1) }, async place => {
        const env = { ...place.env, TRUNKLINE_PORT: String(await freePort()) }
        await withDaemon(place, ['serve'], env, async () => {
          const [fix = ''] = await fixesOf('deck_due', place, env)
          assert.match(fix, /^trunkline rate pending list /)
          const { code, stdout } = await runShell({ ...place, env }, fix)
          assert.deepEqual([code, /^9\t/m.test(stdout)], [0, true], stdout)
          assert.equal((await runShell({ ...place, env }, 'trunkline rate pending cancel 9 --yes')).code, 0)
          assert.deepEqual(await fixesOf('deck_due', place, env), [])
        })
      }))
  })

  for (const [kind, title, other] of [
    ['daemon_address', 'a daemon that listens elsewhere', () => ({ TRUNKLINE_PORT: '9' })],
    ['daemon_elsewhere', 'a daemon of another database', (_, db) => ({ TRUNKLINE_DB: db })],
  ] satisfies [string, string, (place: Workplace, other: string) => Record<string, string>][])
    it(title, () =>
      withTrouble({ make: () => {} }, async place => {
        const served = { ...place.env, TRUNKLINE_PORT: String(await freePort()) }
        const copy = await databaseAt(place.path('copy.db'))
        const env = { ...served, ...other(place, copy) }
        await refill(copy)
        await withDaemon(place, ['serve'], served, async () => {
          const [fix = ''] = await fixesOf(kind, place, env)
          const before = await contentAt(place.db)
          const { code, stdout } = await runShell({ ...place, env }, fix)
          assert.deepEqual([code, stdout.includes(env.TRUNKLINE_PORT)], [0, true])
          assert.deepEqual(differences(before, await contentAt(place.db)), [])
        })
      }),
    )

  it('for every kind that it finds', () => {
    const folder = 'adapters/cli/doctor'
    const inFolder = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'))
    const files = [...inFolder.map(name => `${folder}/${name}`), 'config/oddities.ts']
    const sources = files.map(name => readFileSync(name, 'utf8'))
    const kinds = sources.flatMap(text => [...text.matchAll(/kind: '(\w+)'/g)].map(([, kind = '']) => kind))
    const known = new Set([...ALL.map(({ kind }) => kind), ...ELSEWHERE])
    assert.deepEqual(
      kinds.filter(kind => !known.has(kind)),
      [],
      'add a trouble of that kind, with what its command changes',
    )
  })
})
