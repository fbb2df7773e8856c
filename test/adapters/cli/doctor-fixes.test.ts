import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import Sqlite, { type Database } from 'better-sqlite3'
import { QUARANTINE_ROOM } from '../../../core/rating/quarantine.ts'
import { furnish, runShell, spawnProgram, unbuilt, type Workplace, wordsOf, workplace } from '../../support/cli.ts'
import { asteriskRow } from '../../support/switch.ts'

/** Every row of every table that holds more than what is derived from others, or a note of what was done. */
function contentOf(db: Database): Map<string, Record<string, unknown>> {
  const tables = db
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_search%' ESCAPE '\\'
       AND name NOT LIKE 'search\\_%' ESCAPE '\\' AND name NOT IN ('audit', 'heartbeat', 'catalog_revisions')`,
    )
    .pluck()
    .all()
  const rows = tables.flatMap(table =>
    db
      .prepare<[], Record<string, unknown>>(`SELECT * FROM ${table}`)
      .all()
      .map(({ updated_at: _, ...row }) => [`${table} ${row.id ?? JSON.stringify(row)}`, row] as const),
  )
  return new Map(rows)
}

/** What differs between two contents: a line for each value that was changed, and each record that came or went. */
function differences(before: ReturnType<typeof contentOf>, after: ReturnType<typeof contentOf>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap(record => {
    const [was, is] = [before.get(record), after.get(record)]
    if (!was || !is) return [`${record} ${was ? 'went' : 'came'}`]
    return Object.keys(is).flatMap(name =>
      was[name] === is[name] ? [] : [`${record} ${name}: ${was[name]} → ${is[name]}`],
    )
  })
}

interface Trouble {
  /** The kind of what doctor finds. */
  readonly kind: string
  readonly title: string
  /** Brings it about, in a database that is as `furnish` made it. */
  make(db: Database, place: Workplace): void | Promise<void>
  readonly env?: (place: Workplace) => Record<string, string>
  /** What a person adds to the command, or types where it asks. */
  readonly added?: string
  /** All that the command changes in the database. */
  readonly changes: readonly string[]
  /** It shows more, where only a person can decide, and takes nothing away. */
  readonly shows?: true
}

const sql =
  (...lines: string[]) =>
  (db: Database): void => {
    db.pragma('foreign_keys = OFF')
    for (const line of lines) db.exec(line)
  }

/** A second tenant, 2, with an extension 101. */
const BETA = [
  `INSERT INTO tenants SELECT 2, 'Beta', 'beta', 'beta.example.com', status, timezone, 5, NULL, created_at, updated_at FROM tenants`,
  `INSERT INTO extensions SELECT 2, 2, '101', 'B', NULL, 'x', status, 0, created_at, updated_at FROM extensions`,
]
const copyOf = (table: string, changes: string): string[] => [
  `CREATE TEMP TABLE copied AS SELECT * FROM ${table} WHERE id = 1`,
  `UPDATE copied SET ${changes}`,
  `INSERT INTO ${table} SELECT * FROM copied`,
]
const MASTER = (place: Workplace): string => place.path('Master.csv')
const feed = (place: Workplace, tenant?: string) => ({
  TRUNKLINE_FEEDS: JSON.stringify([{ format: 'auto', path: MASTER(place), ...(tenant ? { tenant } : {}) }]),
})
const AS_JSON = (text: string): string => `'${text.replaceAll("'", "''")}'`
const DIGITS = '"id":12345678901234567890'

const TROUBLES: readonly Trouble[] = [
  {
    kind: 'file_readable',
    title: 'a database that others can read, with what lies beside it',
    make: (_, place) => {
      writeFileSync(`${place.db}-wal`, '')
      for (const name of [place.db, `${place.db}-wal`]) chmodSync(name, 0o644)
    },
    changes: [],
  },
  {
    kind: 'no_account',
    title: 'accounts that are disabled',
    make: sql('UPDATE accounts SET disabled = 1'),
    changes: ['accounts 1 disabled: 1 → 0'],
  },
  {
    kind: 'no_account',
    title: 'no account at all',
    make: sql('DELETE FROM accounts'),
    changes: ['accounts 2 came'],
  },
  {
    kind: 'limit_passed',
    title: 'a limit that is passed, of a tenant whose slug is the id of another',
    make: sql(
      ...BETA,
      "UPDATE tenants SET slug = '2', max_extensions = 1 WHERE id = 1",
      ...copyOf('extensions', "id = 3, extension_number = '102'"),
    ),
    changes: ['tenants 1 max_extensions: 1 → 2'],
  },
  {
    kind: 'same_key',
    title: 'two rates of one prefix',
    make: sql(...copyOf('rates', 'id = 2')),
    changes: ['rates 1 went'],
  },
  {
    kind: 'same_key',
    title: 'two DIDs of one number, the newer without a route',
    make: sql(...copyOf('dids', 'id = 2')),
    changes: ['dids 2 went'],
  },
  {
    kind: 'same_key',
    title: 'two DIDs of one number, the older without a route',
    make: sql(...copyOf('dids', 'id = 2'), 'UPDATE routes SET did_id = 2'),
    changes: ['dids 1 went'],
  },
  {
    kind: 'same_key',
    title: 'two queues of one number',
    make: sql(...copyOf('queues', 'id = 2')),
    changes: ['queues 2 went'],
  },
  {
    kind: 'same_key',
    title: 'two gateways of one name, which messages point to',
    make: sql(
      `UPDATE sms_gateways SET name = 'it''s "$HOME"'`,
      ...copyOf('sms_gateways', 'id = 2'),
      "UPDATE copied SET id = 3, name = 'it''s \"$HOME\" 2'",
      'INSERT INTO sms_gateways SELECT * FROM copied',
    ),
    changes: [`sms_gateways 2 name: it's "$HOME" → it's "$HOME" 3`],
  },
  {
    kind: 'two_tenants',
    title: 'an agent of two tenants',
    make: sql(...BETA, 'UPDATE agents SET extension_id = 2'),
    changes: ['agents 1 went'],
  },
  {
    kind: 'two_tenants',
    title: 'a route of two tenants',
    make: sql(...BETA, 'UPDATE dids SET tenant_id = 2'),
    changes: ['routes 1 went'],
  },
  {
    kind: 'two_tenants',
    title: 'a call of an extension of another tenant',
    make: sql(...BETA, 'UPDATE cdrs SET extension_id = 2'),
    changes: ['cdrs 1 extension_id: 2 → null'],
  },
  {
    kind: 'status_unknown',
    title: 'a status that was meant to be another',
    make: sql("UPDATE rates SET status = 'Active'"),
    changes: ['rates 1 status: Active → active'],
  },
  {
    kind: 'status_unknown',
    title: 'a status of a rate that means nothing',
    make: sql("UPDATE rates SET status = 'Mars/Phobos'"),
    changes: ['rates 1 status: Mars/Phobos → inactive'],
  },
  {
    kind: 'status_unknown',
    title: 'a status of a tenant that means nothing',
    make: sql("UPDATE tenants SET status = 'Mars/Phobos'"),
    changes: ['tenants 1 status: Mars/Phobos → active'],
  },
  {
    kind: 'setting_unread',
    title: 'a key that was meant to be another, beside digits that no double holds',
    make: sql(`UPDATE sms_gateways SET meta = '{${DIGITS},"dlr_levle":3}'`),
    changes: [`sms_gateways 1 meta: {${DIGITS},"dlr_levle":3} → {${DIGITS},"dlr_level":3}`],
  },
  {
    kind: 'setting_unread',
    title: 'a key with a dot and a text that a shell would read',
    make: sql(`UPDATE sms_gateways SET meta = ${AS_JSON(`{"a":1,"DLR.ack":"it's \\"$HOME\\" \`id\` = 1\\n"}`)}`),
    changes: [
      `sms_gateways 1 meta: {"a":1,"DLR.ack":"it's \\"$HOME\\" \`id\` = 1\\n"} → {"a":1,"dlr_ack":"it's \\"$HOME\\" \`id\` = 1\\n"}`,
    ],
  },
  {
    kind: 'setting_unread',
    title: 'a whole object under a key that was meant to be another',
    make: sql(`UPDATE tenants SET settings = '{"Dialing":{"country":"US","area_code":"212"},${DIGITS}}'`),
    changes: [
      `tenants 1 settings: {"Dialing":{"country":"US","area_code":"212"},${DIGITS}} → {${DIGITS},"dialling":{"country":"US","area_code":"212"}}`,
    ],
  },
  {
    kind: 'setting_unread',
    title: 'a value below a key that was meant to be another',
    make: sql(`UPDATE tenants SET settings = '{"dialling":{"country":"UK","area_code":"20"},"a":1}'`),
    changes: [
      'tenants 1 settings: {"dialling":{"country":"UK","area_code":"20"},"a":1} → {"dialling":{"country":"GB","area_code":"20"},"a":1}',
    ],
  },
  {
    kind: 'setting_unread',
    title: 'a value of another type',
    make: sql(`UPDATE tenants SET settings = '{"international_prefix":11,${DIGITS}}'`),
    changes: [`tenants 1 settings: {"international_prefix":11,${DIGITS}} → {${DIGITS}}`],
  },
  {
    kind: 'setting_unread',
    title: 'a place of the token that cannot be read',
    make: sql(`UPDATE sms_gateways SET callback_token = 'x', meta = '{"dlr_token_in":"here",${DIGITS}}'`),
    changes: [`sms_gateways 1 meta: {"dlr_token_in":"here",${DIGITS}} → {"dlr_token_in":"query:token",${DIGITS}}`],
  },
  {
    kind: 'token_unchecked',
    title: 'a token that nobody checks',
    make: sql(`UPDATE sms_gateways SET callback_token = 'x', meta = '{${DIGITS}}'`),
    changes: [`sms_gateways 1 meta: {${DIGITS}} → {${DIGITS},"dlr_token_in":"query:token"}`],
  },
  {
    kind: 'time_zone_unknown',
    title: 'a time zone that this system does not know',
    make: sql("UPDATE tenants SET timezone = 'Europe/Parris'"),
    changes: ['tenants 1 timezone: Europe/Parris → Europe/Paris'],
  },
  {
    kind: 'dangling',
    title: 'a call of an extension that is not there',
    make: sql('UPDATE cdrs SET extension_id = 99'),
    changes: ['cdrs 1 extension_id: 99 → null'],
  },
  {
    kind: 'dangling',
    title: 'a telephone of an extension that is not there',
    make: sql('UPDATE devices SET extension_id = 99'),
    changes: ['devices 1 went'],
  },
  {
    kind: 'dangling',
    title: 'a rate of a tenant that is not there',
    make: sql('UPDATE rates SET tenant_id = 99'),
    changes: ['rates 1 went'],
  },
  {
    kind: 'damage',
    title: 'an index that does not fit its table',
    make: async (db, place) => {
      await place.done(`trunkline db backup ${place.path('trunkline-2026-11-01T00-00-00Z.db')}`)
      db.unsafeMode(true)
      db.pragma('writable_schema = ON')
      db.exec("DELETE FROM sqlite_schema WHERE name = 'rates_by_prefix'")
      db.pragma('writable_schema = OFF')
    },
    env: place => ({ TRUNKLINE_BACKUP_DIR: place.folder }),
    changes: [],
  },
  {
    kind: 'damage',
    title: 'damage without a backup',
    make: db => {
      db.unsafeMode(true)
      db.pragma('writable_schema = ON')
      db.exec("DELETE FROM sqlite_schema WHERE name = 'rates_by_prefix'")
    },
    changes: [],
    shows: true,
  },
  {
    kind: 'feed_tenant',
    title: 'a feed of a tenant that is not there',
    make: (_, place) => writeFileSync(MASTER(place), ''),
    env: place => feed(place, 'gamma'),
    added: ' --name Gamma --domain gamma.example.com --status active --timezone UTC --max-extensions 5',
    changes: ['tenants 2 came'],
  },
  {
    kind: 'feed_unreadable',
    title: 'a feed whose file is not there',
    make: () => {},
    env: place => feed(place),
    changes: [],
    shows: true,
  },
  {
    kind: 'quarantine',
    title: 'calls in quarantine',
    make: async (_, place) => {
      writeFileSync(MASTER(place), asteriskRow({ accountcode: 'nobody' }))
      await place.done(`trunkline cdr ingest ${MASTER(place)} --quiet`)
    },
    changes: [],
    shows: true,
  },
  {
    kind: 'quarantine_full',
    title: 'a quarantine that is full',
    make: sql(
      `INSERT INTO quarantine (feed, format, rules, fingerprint, record, reason, created_at)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${QUARANTINE_ROOM})
       SELECT 'f', 'ndjson', '{"timezone":"UTC","contexts":{},"tenant":null}', i, '{}', 'x', '2026-11-01T00:00:00.000000Z' FROM n`,
    ),
    changes: [],
    shows: true,
  },
  {
    kind: 'base_url_missing',
    title: 'receipts without a way back',
    make: sql("UPDATE sms_gateways SET server_host = 'sms.example.com'"),
    changes: [],
    shows: true,
  },
  {
    kind: 'untrusted_proxy',
    title: 'a proxy that is not trusted',
    make: sql("INSERT INTO notices VALUES ('untrusted_proxy', '', 'x', '2026-11-01', '2026-11-01')"),
    changes: [],
    shows: true,
  },
  ...(process.getuid?.() === 0
    ? [
        {
          kind: 'file_owner',
          title: "a database that is not its folder's owner's",
          make: (_: Database, place: Workplace) => chownSync(place.db, 65534, 65534),
          changes: [],
        },
      ]
    : []),
]

/** Kinds that only a system in that state shows: a full disk, a log that nobody puts away, a daemon of another database. */
const ELSEWHERE = ['disk_full', 'log_size', 'daemon_elsewhere', 'file_owner']

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

let furnished: Workplace
before(async () => {
  furnished = workplace()
  await furnish(furnished)
})
after(() => furnished.remove())

async function withTrouble(
  trouble: Pick<Trouble, 'make' | 'env'>,
  check: (place: Workplace, env: Record<string, string>) => Promise<void>,
) {
  const place = workplace()
  try {
    copyFileSync(furnished.db, place.db)
    chmodSync(place.db, 0o600)
    const db = new Sqlite(place.db)
    try {
      await trouble.make(db, place)
    } finally {
      db.close()
    }
    await check(place, { ...place.env, ...trouble.env?.(place) })
  } finally {
    place.remove()
  }
}

function contentAt(path: string): ReturnType<typeof contentOf> {
  const db = new Sqlite(path, { readonly: true })
  try {
    return contentOf(db)
  } finally {
    db.close()
  }
}

async function fixesOf(kind: string, place: Workplace, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await place.run('trunkline doctor --output json', { env })
  const found: { kind: string; fix: string }[] = JSON.parse(stdout)
  return found.filter(each => each.kind === kind).map(({ fix }) => fix)
}

describe('the command that doctor prints fixes, and changes nothing else:', { skip: unbuilt, timeout: 300_000 }, () => {
  for (const trouble of TROUBLES)
    it(trouble.title, () =>
      withTrouble(trouble, async (place, env) => {
        const [fix = '', ...others] = await fixesOf(trouble.kind, place, env)
        assert.deepEqual([fix === '', others], [false, []])
        const before = contentAt(place.db)
        const isAsked = / (?:delete|remove|restore) /.test(fix)
        const { code, stderr } = await runShell(
          { ...place, env },
          `${fix}${trouble.added ?? ''}${isAsked ? ' --yes' : ''}`,
        )
        if (trouble.shows) assert.ok(code < 64, `${fix} ended with ${code}: ${stderr}`)
        else {
          assert.equal(code, 0, `${fix}: ${stderr}`)
          assert.deepEqual(await fixesOf(trouble.kind, place, env), [])
        }
        assert.deepEqual(differences(before, contentAt(place.db)), trouble.changes)
      }),
    )

  it('a daemon that is down', () =>
    withTrouble({ make: () => {} }, async place => {
      const env = { ...place.env, TRUNKLINE_PORT: String(await freePort()) }
      const [fix = ''] = await fixesOf('daemon_down', place, env)
      const before = contentAt(place.db)
      const [program, ...words] = wordsOf(fix)
      assert.equal(program, 'trunkline')
      const daemon = spawnProgram(place, words, { env, stdio: ['ignore', 'pipe', 'ignore'] })
      await once(daemon.stdout ?? daemon, 'data')
      assert.deepEqual(await fixesOf('daemon_down', place, env), [])
      daemon.kill('SIGTERM')
      await once(daemon, 'close')
      assert.deepEqual(differences(before, contentAt(place.db)), [])
    }))

  it('for every kind that it finds', () => {
    const folder = 'adapters/cli/doctor'
    const sources = readdirSync(folder).map(name => readFileSync(`${folder}/${name}`, 'utf8'))
    const kinds = sources.flatMap(text => [...text.matchAll(/kind: '(\w+)'/g)].map(([, kind = '']) => kind))
    const known = new Set([...TROUBLES.map(({ kind }) => kind), ...ELSEWHERE, 'daemon_down', 'unopened'])
    assert.deepEqual(
      kinds.filter(kind => !known.has(kind)),
      [],
      'add a trouble of that kind, with what its command changes',
    )
  })
})
