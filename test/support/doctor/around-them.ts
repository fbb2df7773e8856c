import { chownSync, symlinkSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { Sqlite } from '../../../adapters/sqlite/database/driver.ts'
import { QUARANTINE_ROOM } from '../../../core/calls/quarantine.ts'
import type { Workplace } from '../cli/cli.ts'
import { asteriskRow } from '../data/switch.ts'
import { copyOf, sql, type Trouble } from './trouble.ts'

const MASTER = (place: Workplace): string => place.path('Master.csv')
const feed = (place: Workplace, tenant?: string) => ({
  TRUNKLINE_FEEDS: JSON.stringify([{ format: 'auto', path: MASTER(place), ...(tenant ? { tenant } : {}) }]),
})

function loseIndex({ db: path }: Workplace): void {
  const db = new Sqlite(path)
  db.unsafeMode(true)
  db.pragma('writable_schema = ON')
  db.exec("DELETE FROM sqlite_schema WHERE name = 'rates_by_prefix'")
  db.close()
}

/** Problems of pages, feeds, settings and the surroundings of the database. */
export const AROUND_THEM: readonly Trouble[] = [
  {
    kind: 'damage',
    title: 'an index that does not fit its table',
    make: async place => {
      await place.done(`trunkline db backup ${place.path('trunkline-2026-11-01T00-00-00Z.db')}`)
      loseIndex(place)
    },
    isOfFiles: true,
    env: place => ({ TRUNKLINE_BACKUP_DIR: place.folder }),
    changes: [],
  },
  {
    kind: 'damage',
    title: 'damage without a backup',
    make: loseIndex,
    isOfFiles: true,
    changes: [],
    shows: true,
  },
  {
    kind: 'feed_tenant',
    title: 'a feed of a tenant that is not there',
    make: place => writeFileSync(MASTER(place), ''),
    env: place => feed(place, 'gamma'),
    added: ' --name Gamma --domain gamma.example.com --status active --timezone UTC --max-extensions 5',
    changes: ['tenants 2 came'],
  },
  {
    kind: 'feed_missing',
    title: 'a feed whose file is not there',
    make: () => {},
    env: place => feed(place),
    changes: [],
    shows: true,
  },
  {
    kind: 'feed_unreadable',
    title: 'a feed whose file is a link to itself',
    make: place => symlinkSync(MASTER(place), MASTER(place)),
    env: place => feed(place),
    changes: [],
    shows: true,
  },
  {
    kind: 'feed_folder',
    title: 'a feed of a format that lies in one file, of a folder',
    make: () => {},
    env: ({ folder }) => ({ TRUNKLINE_FEEDS: JSON.stringify([{ format: 'asterisk-csv', path: folder }]) }),
    changes: [],
    shows: true,
  },
  {
    kind: 'no_country',
    title: 'calls to national numbers of a tenant that names no country',
    make: async place => {
      writeFileSync(MASTER(place), asteriskRow({ accountcode: 'acme', to: '0441234567', seconds: 60 }))
      await place.done(`trunkline cdr ingest ${MASTER(place)} --quiet`)
    },
    changes: ['tenants 1 settings: null → {"dialling":{"country":"UA"}}'],
  },
  {
    kind: 'quarantine',
    title: 'calls in quarantine',
    make: async place => {
      writeFileSync(MASTER(place), asteriskRow({ accountcode: 'nobody' }))
      await place.done(`trunkline cdr ingest ${MASTER(place)} --quiet`)
    },
    changes: [],
    shows: true,
  },
  {
    kind: 'unrated',
    title: 'calls that no rate matched',
    make: async place => {
      writeFileSync(MASTER(place), asteriskRow({ to: '0088123456' }))
      await place.done(`trunkline cdr ingest ${MASTER(place)} --quiet`)
    },
    changes: [],
    shows: true,
  },
  {
    kind: 'billed_abroad',
    title: 'national numbers that were billed as international, of a tenant without a country',
    make: async place => {
      await sql(
        "UPDATE tenants SET timezone = 'America/New_York'",
        "UPDATE dids SET number = '+12125550101'",
        "UPDATE rates SET prefix = '212'",
        ...copyOf('rates', "id = 2, prefix = '1'"),
      )(place)
      writeFileSync(MASTER(place), [1, 2, 3].map(n => asteriskRow({ id: `${n}`, to: `212555012${n}` })).join(''))
      await place.done(`trunkline cdr ingest ${MASTER(place)} --quiet`)
    },
    changes: ['tenants 1 settings: null → {"dialling":{"country":"US"}}'],
  },
  {
    kind: 'quarantine_full',
    title: 'a quarantine that is full',
    make: sql(
      `INSERT INTO quarantine (feed, format, rules, fingerprint, record, reason, created_at)
       VALUES ('f', 'ndjson', '{"timezone":"UTC","contexts":{},"tenant":null}', '1', '{}', 'x', '2026-11-01T00:00:00.000000Z')`,
      `INSERT INTO quarantine (feed, format, rules, fingerprint, record, reason, created_at)
       WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${QUARANTINE_ROOM})
       SELECT feed, format, rules, i, record, reason, created_at FROM n, quarantine`,
    ),
    changes: [],
    shows: true,
  },
  {
    kind: 'base_url_missing',
    title: 'receipts without a way back',
    make: sql("UPDATE sms_gateways SET server_host = 'sms.example.com'"),
    changes: [],
  },
  {
    kind: 'gateway_retargeted',
    title: 'a gateway whose host was changed since it accepted a message',
    make: async place => {
      await place.done('trunkline gateway update Jasmin --server-host 127.0.0.2')
    },
    changes: [],
    shows: true,
  },
  {
    kind: 'base_url_misfit',
    title: 'a base_url where nothing listens',
    make: () => {},
    env: () => ({ TRUNKLINE_BASE_URL: 'http://localhost:10' }),
    changes: [],
  },
  {
    kind: 'db_relative',
    isOfFiles: true,
    title: 'a settings file whose database depends on where a program is started',
    make: place => writeFileSync(place.path('trunkline.json'), JSON.stringify({ db: relative('.', place.db) })),
    env: place => ({ TRUNKLINE_CONFIG: place.path('trunkline.json'), TRUNKLINE_DB: '' }),
    changes: [],
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
          isOfFiles: true as const,
          title: "a database that is not its folder's owner's",
          make: (place: Workplace) => chownSync(place.db, 65534, 65534),
          changes: [],
        },
      ]
    : []),
]
