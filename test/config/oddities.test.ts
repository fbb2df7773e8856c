import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { loadSettings } from '../../config/load.ts'
import { misfit, odditiesIn } from '../../config/oddities.ts'
import { temporaryFolder } from '../support/http/app.ts'

const folder = temporaryFolder()
after(folder.remove)

const OWN = ['pbx', '192.0.2.5', '2001:db8::5']

/** The address given to clients, and the address where the daemon listens; without `meant` they match. */
const PLACES: readonly [base_url: string | null, host: string, port: number, trusted: number, meant?: string][] = [
  [null, '127.0.0.1', 8081, 0],
  ['http://127.0.0.1:8080', '127.0.0.1', 8080, 0],
  ['http://127.0.0.1:8080', '127.0.0.1', 8081, 0, 'http://127.0.0.1:8081'],
  ['http://localhost:8080/tel', '127.0.0.1', 8080, 0],
  ['http://localhost', '127.0.0.1', 8080, 0, 'http://localhost:8080'],
  ['http://192.0.2.5:8080', '0.0.0.0', 8080, 0],
  ['http://192.0.2.5:8080', '0.0.0.0', 8081, 0, 'http://192.0.2.5:8081'],
  ['http://[2001:db8::5]:1', '::', 2, 0, 'http://[2001:db8::5]:2'],
  ['http://192.0.2.5:8080', '127.0.0.1', 8080, 0, 'http://127.0.0.1:8080'],
  ['http://pbx:8080', '::1', 8080, 0, 'http://[::1]:8080'],
  ['https://127.0.0.1:8080', '127.0.0.1', 8080, 0, 'http://127.0.0.1:8080'],
  ['https://192.0.2.5', '127.0.0.1', 8080, 1],
  ['https://pbx.example.com', '127.0.0.1', 8080, 0],
  ['http://127.0.0.1:8080', '127.0.0.1', 0, 0],
]

describe('a base_url', () => {
  for (const [base_url, host, port, trusted_proxies, meant] of PLACES)
    test(`${base_url} ${meant ? 'does not fit' : 'fits'} port ${port} of ${host}, ${trusted_proxies} proxies`, () => {
      const found = misfit({ base_url, host, port, trusted_proxies }, OWN)
      assert.deepEqual(
        found.map(({ kind, fix }) => [kind, fix]),
        meant ? [['base_url_misfit', `export TRUNKLINE_BASE_URL=${meant}`]] : [],
      )
    })
})

test('a relative path of the database in a file is odd, and nowhere else', () => {
  const file = join(folder.path, 'settings.json')
  writeFileSync(file, '{"db":"data/trunkline.db"}')
  const [oddity, ...others] = odditiesIn(loadSettings({ flags: {}, environment: {}, file }))
  assert.deepEqual(others, [])
  assert.equal(oddity?.kind, 'db_relative')
  assert.equal(oddity?.fix, `export TRUNKLINE_DB='${join(process.cwd(), 'data/trunkline.db')}'`)
  assert.deepEqual(odditiesIn(loadSettings({ flags: { db: 'x.db' }, environment: {}, file })), [])
  writeFileSync(file, '{"db":"/srv/trunkline.db"}')
  assert.deepEqual(odditiesIn(loadSettings({ flags: {}, environment: {}, file })), [])
})

test('a setting of the other kind of database has no effect', () => {
  const found = (environment: Record<string, string>) =>
    odditiesIn(loadSettings({ flags: {}, environment })).map(({ finding, fix }) => [finding.split(':')[0], fix])
  const settings = {
    ...{ TRUNKLINE_JOB_DIR: '/srv/jobs', TRUNKLINE_CDR_PARTITIONS: 'month' },
    TRUNKLINE_DB_PASSWORD_FILE: '/etc/trunkline/db-password',
  }
  assert.deepEqual(found({ ...settings, TRUNKLINE_DB: 'postgres://db.example.com/trunkline' }), [
    ['job_dir has no effect', 'unset TRUNKLINE_JOB_DIR'],
  ])
  assert.deepEqual(found({ ...settings, TRUNKLINE_DB: '/srv/trunkline.db' }), [
    ['db_password_file has no effect', 'unset TRUNKLINE_DB_PASSWORD_FILE'],
    ['cdr_partitions has no effect', 'unset TRUNKLINE_CDR_PARTITIONS'],
  ])
  assert.deepEqual(found({ TRUNKLINE_CDR_PARTITIONS: 'off', TRUNKLINE_DB: '/srv/trunkline.db' }), [])
})

test('an address of PostgreSQL is no relative path, and its password is odd where others see it', () => {
  const db = 'postgres://trunkline:hidden@db.example.com/trunkline'
  const file = join(folder.path, 'address.json')
  writeFileSync(file, JSON.stringify({ db }))
  assert.deepEqual(odditiesIn(loadSettings({ flags: {}, environment: {}, file })), [])
  assert.deepEqual(odditiesIn(loadSettings({ flags: {}, environment: { TRUNKLINE_DB: db } })), [])
  const shown = odditiesIn(loadSettings({ flags: { db }, environment: {} }))
  assert.deepEqual(
    shown.map(({ kind }) => kind),
    ['db_password_shown'],
  )
  assert.doesNotMatch(JSON.stringify(shown), /hidden/)
})
